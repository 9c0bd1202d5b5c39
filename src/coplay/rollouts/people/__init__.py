"""A person among agents at a terminal: how they are seated, asked and heard."""
