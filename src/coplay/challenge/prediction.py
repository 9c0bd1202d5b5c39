"""Action prediction: recorded games, decision by decision; each is answered once, and the next is shown only then.

What was done at a decision can be read off the next view of the game: a whole trajectory would give the answers away.
All games go forward together: a batch holds the next decision of every game that is not through.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import jax
import numpy as np
from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from coplay.challenge import audit
from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Prediction, Rules
from coplay.challenge.store.models import Attempt, Challenge, Guess, Result
from coplay.data.kinds import read
from coplay.data.replay import replay_views
from coplay.measure.prediction import action_prediction

MOST = 200  # decisions in one batch: their answer fits into a body
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
    look = jax.vmap(functools.partial(replay_views, games.game))
    views, _ = look(games.decks, games.actions, games.lengths)
    vectors = jax.vmap(jax.vmap(games.game.encode))(views)
    legal = jax.vmap(jax.vmap(games.game.legal))(views)
    packed = np.packbits(np.asarray(vectors), axis=-1)
    return Recorded(games.players, vectors.shape[-1], packed, np.asarray(legal), games.actions, games.lengths)


def prediction_of(rules: Rules) -> Prediction:
    if rules.prediction is None:
        raise ChallengeError("this challenge has no action prediction.", 404, "unknown")
    return rules.prediction


def name_of(prediction: Prediction) -> str:
    """What its line of results is called."""
    return f"prediction {recorded(prediction).players}p"


def answered(transaction: Session, attempt: str) -> dict[int, int]:
    """How many decisions of each game are answered."""
    query = select(Guess.game, func.count()).where(Guess.attempt_id == attempt).group_by(Guess.game)
    return {row[0]: row[1] for row in transaction.execute(query)}


def next_batch(transaction: Session, attempt: str, prediction: Prediction, limit: int) -> dict[str, Any]:
    """The next decision of as many games as fit."""
    from coplay.challenge.history import block

    data, done = recorded(prediction), answered(transaction, attempt)
    turns = [(game, done.get(game, 0)) for game in range(len(data.lengths))]
    open_ = [(game, turn) for game, turn in turns if turn < data.lengths[game]]
    games, at = ([pair[place] for pair in open_[: min(limit, MOST)]] for place in (0, 1))
    return {
        "game": games,
        "turn": at,
        "seat": [turn % data.players for turn in at],
        "players": data.players,
        "actions": data.legal.shape[-1],
        "size": data.size,  # of a view's vector
        "vector": block(data.vectors[games, at]),
        "legal": block(np.packbits(data.legal[games, at], axis=1)) if games else "",
        "left": int(data.lengths.sum()) - sum(done.values()),
    }


def take(
    transaction: Session,
    attempt: Attempt,
    prediction: Prediction,
    games: list[int],
    turns: list[int],
    given: np.ndarray,
) -> int:
    """Keeps probabilities float32 [decisions, actions]; returns how many decisions are left."""
    data = recorded(prediction)
    if given.shape != (len(games), data.legal.shape[-1]) or len(turns) != len(games):
        text = f"give one row of {data.legal.shape[-1]} probabilities (float32) per game and turn; got {given.shape}."
        raise ChallengeError(text, 422, "malformed")
    done = answered(transaction, attempt.id)
    rows = []
    for game, turn, row in zip(games, turns, given, strict=True):
        if not 0 <= game < len(data.lengths) or not 0 <= turn < data.lengths[game]:
            raise ChallengeError(f"there is no turn {turn} of game {game}.", 404, "unknown")
        if not np.isfinite(row).all() or (row < 0).any() or row[data.legal[game, turn]].sum() <= 0:
            text = f"game {game}, turn {turn}: probabilities are at least 0 and not all 0 on the legal actions."
            raise ChallengeError(text, 422, "malformed")
        if turn < done.get(game, 0):
            kept = transaction.get(Guess, (attempt.id, game, turn))
            if kept is None or kept.probabilities != row.tobytes():
                raise ChallengeError(f"turn {turn} of game {game} is answered; it is answered once.", 409, "conflict")
        elif turn > done.get(game, 0):
            raise ChallengeError(f"game {game} is at turn {done.get(game, 0)}, not {turn}.", 409, "conflict")
        else:
            done[game] = turn + 1
            guess = {"attempt_id": attempt.id, "game": game, "turn": turn}
            rows.append(guess | {"probabilities": row.tobytes(), "at": time.time()})
    if rows:
        transaction.execute(insert(Guess), rows)
    left = int(data.lengths.sum()) - sum(done.values())
    if rows and left == 0:
        _finish(transaction, attempt, prediction)
    return left


class Answer(NamedTuple):
    """A decision that an entrant has foreseen."""

    game: int
    turn: int
    probabilities: bytes  # float32 [actions]


def answers(transaction: Session, attempt: str) -> list[Answer]:
    """What an attempt has said, in order."""
    query = select(Guess).where(Guess.attempt_id == attempt).order_by(Guess.game, Guess.turn)
    return [Answer(one.game, one.turn, one.probabilities) for one in transaction.scalars(query)]


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


def _finish(transaction: Session, attempt: Attempt, prediction: Prediction) -> None:
    data = recorded(prediction)
    found = judge(answers(transaction, attempt.id), data)
    challenge = transaction.get(Challenge, attempt.challenge_id)
    assert challenge is not None
    transaction.add(
        Result(
            attempt_id=attempt.id,
            configuration=name_of(prediction),
            games=len(data.lengths),
            forfeits=0,
            low=found.low,
            high=found.high,
            cross_entropy=found.value,
            partial=False,
            log_hash="",
            rules_version=challenge.rules_version,
            pool_hash=challenge.pool_hash,
            created=time.time(),
        )
    )
    if attempt.kind == "eval":
        detail = {"attempt": attempt.id, "cross_entropy": found.value}
        audit.note(transaction, "server", "prediction scored", **detail)
