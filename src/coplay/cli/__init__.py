"""The command line: one module per noun, and nothing heavy imported before a command runs."""

from coplay.cli.app import app, main

__all__ = ["app", "main"]
