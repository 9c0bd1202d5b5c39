"""Overcooked in the browser: the page of the kitchen and what its script is told."""
