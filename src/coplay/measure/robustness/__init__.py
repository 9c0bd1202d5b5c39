"""Unit tests of collaboration: situations in which everybody knows what a good partner would do.

After Knott et al. 2021, "Evaluating the Robustness of Collaborative Agents". The tests are a face of the game's world
(`coplay.faces.Tests`): data, mostly, that one runner plays.
"""

from coplay.measure.robustness.result import Failure, Outcome, Robustness, RobustnessFolder, failed
from coplay.measure.robustness.run import read_robustness, robustness, suite_of
from coplay.measure.robustness.validation import Validation, read_validation, validate

__all__ = [
    "Failure",
    "Outcome",
    "Robustness",
    "RobustnessFolder",
    "Validation",
    "failed",
    "read_robustness",
    "read_validation",
    "robustness",
    "suite_of",
    "validate",
]
