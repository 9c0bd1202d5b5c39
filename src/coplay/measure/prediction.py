"""Action prediction: how surely does an agent foresee what people did? (AH2AC2's second challenge)

An agent is shown recorded games up to each decision and says how likely every action is (teacher forcing). The
cross-entropy is the mean of -log p(action taken), in nats. AH2AC2 publishes it averaged over all seats at every turn;
a seat that is not on turn can only wait, which costs nothing and divides the figure by the number of players. Both
units are given here. Accuracy is over real decisions in either case.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from coplay.measure import MeasureError
from coplay.measure.stats import Estimate, bootstrap
from coplay.measure.study.validate import numbers, whole


class ActionPrediction(NamedTuple):
    """Cross-entropies in nats, lower is better; beside each, what choosing uniformly among legal actions gets."""

    cross_entropy: Estimate  # per decision
    uniform: float
    paper_cross_entropy: Estimate  # per seat and turn, as AH2AC2 prints it
    paper_uniform: float
    accuracy: Estimate | None  # share of decisions where the likeliest action was the one taken
    uniform_accuracy: float
    impossible: int  # decisions whose action the agent thought impossible: one is enough for an infinite cross-entropy


def action_prediction(
    log_probs: Any,
    legal_actions: Any,
    players: int,
    hits: Any = None,
    games: Any = None,
    smoothing: float = 0.0,
    seed: int = 0,
) -> ActionPrediction:
    """Judges predictions, one entry per decision and nothing for seats that were not on turn.

    log_probs: [decisions], natural log of the probability given to the action that was taken.
    legal_actions: [decisions], how many actions were legal then.
    hits: [decisions], whether the agent's likeliest action was the one taken.
    games: [decisions], which game each belongs to; decisions of one game are drawn together for the intervals.
    smoothing: mixes that share of uniform play over the legal actions in, so that agents who never doubt (scripted
    bots) get a finite figure. Say it when you report it.
    """
    logs, legal = _log_probs(log_probs), _per_decision("legal_actions", legal_actions, log_probs)
    players = whole("players", players, 1)
    if (legal < 1).any() or (legal % 1).any():
        odd = legal[(legal < 1) | (legal % 1 != 0)][0]
        raise MeasureError(f"legal_actions holds {odd:g}; a decision has a whole number of legal actions, at least 1.")
    if not 0 <= smoothing < 1:
        raise MeasureError(f"smoothing must be at least 0 and below 1; got {smoothing!r}.")
    if smoothing:
        logs = np.logaddexp(math.log1p(-smoothing) + logs, math.log(smoothing) - np.log(legal))
    entropy = _mean(-logs, games, seed)
    uniform = float(np.log(legal).mean())
    right = None
    if hits is not None:
        right = _per_decision("hits", hits, log_probs)
        if not np.isin(right, (0, 1)).all():
            raise MeasureError(f"hits must be true or false; got {right[~np.isin(right, (0, 1))][0]:g}.")
    return ActionPrediction(
        cross_entropy=entropy,
        uniform=uniform,
        paper_cross_entropy=Estimate(entropy.value / players, entropy.low / players, entropy.high / players, entropy.n),
        paper_uniform=uniform / players,
        accuracy=None if right is None else _mean(right, games, seed),
        uniform_accuracy=float((1 / legal).mean()),
        impossible=int(np.isneginf(logs).sum()),
    )


def _mean(values: np.ndarray, games: Any, seed: int) -> Estimate:
    """The mean with its interval; where one value is infinite, so is the mean, and no bound below it is known."""
    if np.isinf(values).any():
        return Estimate(math.inf, math.nan, math.inf, len(values))
    return bootstrap(values, np.mean, clusters=games, seed=seed)


def _log_probs(log_probs: Any) -> np.ndarray:
    """[decisions]: at most 0; minus infinity is allowed, NaN is not."""
    logs = np.asarray(log_probs, np.float64)
    impossible = np.isneginf(logs)
    numbers("log_probs", np.where(impossible, 0, logs), 1)
    if (logs > 1e-6).any():
        raise MeasureError(
            f"log_probs holds {logs.max():g}; the logarithm of a probability is at most 0. "
            "Give log-probabilities over the legal actions, not scores or logits."
        )
    return np.minimum(logs, 0)


def _per_decision(what: str, values: Any, log_probs: Any) -> np.ndarray:
    array = numbers(what, values, 1)
    if len(array) != len(log_probs):
        raise MeasureError(f"{what} has {len(array)} entries for {len(log_probs)} decisions; give one per decision.")
    return array
