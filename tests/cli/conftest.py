"""The recorded games of the Hanabi tests, for commands that read files."""

from tests.worlds.hanabi.recordings.conftest import altered, games, recorded, smartbot

__all__ = ["altered", "games", "recorded", "smartbot"]
