"""Hanabi in the browser: the page of the table and what its script is told."""
