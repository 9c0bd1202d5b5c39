"""The games that come with coplay: everything that knows one of them lives in its folder."""

DEFAULT = "hanabi"  # what commands play where nobody names a game
