"""Studies with people: what is asked and played, in which order, and who passes. No HTTP, no SQL."""
