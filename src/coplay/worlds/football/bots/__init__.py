"""Scripted players of football."""
