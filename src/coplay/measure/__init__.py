"""Questions asked of games: how good is a team, and who plays well with whom?

Every measure is a function of `coplay`: `evaluate`, `crossplay`, `tournament`, … What it gives is a frozen record.

| others use | for |
|---|---|
| a module or folder per question | its function, its result, and `read_…` to read a run folder again |
| `study` | the runner, run folders, who takes part: what a measure is made of |
| `stats` | `Estimate`, and the intervals around it |
"""


class MeasureError(ValueError):
    """A measure was asked something it cannot answer; the message names the value, the rule and the remedy."""


class MeasureWarning(UserWarning):
    """The answer is given, but something about the question makes it weaker than it looks."""
