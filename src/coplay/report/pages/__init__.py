"""Whole pages, one per measure."""
