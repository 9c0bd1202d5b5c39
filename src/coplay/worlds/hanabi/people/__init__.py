"""Hanabi as people see and play it: pictures, words, the terminal, the demo."""
