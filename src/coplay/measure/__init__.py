"""Questions asked of games: how good is a team, and who plays well with whom?"""


class MeasureError(ValueError):
    """A measure was asked something it cannot answer; the message names the value, the rule and the remedy."""


class MeasureWarning(UserWarning):
    """The answer is given, but something about the question makes it weaker than it looks."""
