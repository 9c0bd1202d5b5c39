"""Unit tests of collaboration at the Hanabi table: positions in which everybody knows what a good partner would do."""
