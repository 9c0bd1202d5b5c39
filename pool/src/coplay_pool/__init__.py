"""Trained partners for coplay, with what they score with whom, and recorded games. Data only: coplay reads it."""

__version__ = "0.1.0"
