"""Pages of the challenge."""
