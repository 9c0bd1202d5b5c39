"""Players of Overcooked."""
