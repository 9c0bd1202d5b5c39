"""Unit tests of collaboration: situations in which everybody knows what a good partner would do.

After Knott et al. 2021, "Evaluating the Robustness of Collaborative Agents". For kitchens their suite, for Hanabi one
of our own; both are data (`overcooked.toml`, `hanabi.toml`) that one runner plays.
"""

from coplay.measure.robustness.run import Failure, Outcome, Robustness, failed, robustness, suite_of

__all__ = ["Failure", "Outcome", "Robustness", "failed", "robustness", "suite_of"]
