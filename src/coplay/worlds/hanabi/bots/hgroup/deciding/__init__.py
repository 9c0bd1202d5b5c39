"""What a player of the conventions does: reasons for every move, what they weigh, habits and slips."""
