"""Kitchens as people see and play them: pictures, words, the terminal."""
