"""What serves a challenge: its database, its running games, its protocol, its pages. What decides is in `challenge`."""
