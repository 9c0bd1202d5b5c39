"""Commands that put an agent to the test."""
