"""Action prediction: recorded games, decision by decision; each is answered once, and the next is shown only then.

What was done at a decision can be read off the next view of the game: a whole trajectory would give the answers away.
All games go forward together: a batch holds the next decision of every game that is not through.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Prediction, Rules
from coplay.data.formats import read
from coplay.measure.prediction import action_prediction
from coplay.rollouts.replay import acting_views

FLOOR = 1e-6  # no action is impossible: an infinite cross-entropy could not be compared


@dataclasses.dataclass(frozen=True, eq=False)
class Recorded:
    """The decisions of recorded games."""

    players: int
    size: int  # of a view's vector
    vectors: np.ndarray  # uint8 [games, turns, bytes]: packed bits, of the seat to move
    legal: np.ndarray  # bool [games, turns, actions]
    actions: np.ndarray  # int32 [games, turns]
    lengths: np.ndarray  # int32 [games]


@cache
def recorded(prediction: Prediction) -> Recorded:
    """Reads a file of games and replays it; once per process."""
    games = read(prediction.data)[: prediction.games]
    vectors, legal = acting_views(games, lambda view: (games.game.encode(view), games.game.legal(view)))
    packed = np.packbits(vectors, axis=-1)
    return Recorded(games.game.players, vectors.shape[-1], packed, legal, games.actions, games.lengths)


def prediction_of(rules: Rules) -> Prediction:
    if rules.prediction is None:
        raise ChallengeError("this challenge has no action prediction.", 404, "unknown")
    return rules.prediction


def name_of(prediction: Prediction) -> str:
    """What its line of results is called."""
    return f"prediction {recorded(prediction).players}p"


class Answer(NamedTuple):
    """A decision that an entrant has foreseen."""

    game: int
    turn: int
    probabilities: bytes  # float32 [actions]


def judge(given: Sequence[Answer], data: Recorded) -> Any:
    """The cross-entropy of answers, with its interval. One that is missing or is of no decision raises ValueError."""
    decisions = [(game, turn) for game, length in enumerate(data.lengths) for turn in range(length)]
    if [(one.game, one.turn) for one in given] != decisions:
        raise ValueError(f"{len(given)} answers for {len(decisions)} decisions: they do not fit together")
    logs, legal = [], []
    for game, turn, probabilities in given:
        allowed = data.legal[game, turn]
        row = np.where(allowed, np.frombuffer(probabilities, np.float32), 0).astype(np.float64)
        share = row / row.sum() * (1 - FLOOR) + allowed / allowed.sum() * FLOOR
        logs.append(np.log(share[data.actions[game, turn]]))
        legal.append(allowed.sum())
    return action_prediction(logs, legal, data.players, games=[game for game, _ in decisions]).cross_entropy
