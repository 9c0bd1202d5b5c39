"""A challenge: a measure with a host, keys, hidden partners and a leaderboard."""
