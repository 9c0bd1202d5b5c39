"""The decisions that an attempt is asked about, and what it answered."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from coplay.challenge.batches import block
from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.prediction import Answer, judge, name_of, recorded, seen_by_all
from coplay.challenge.rules import Prediction
from coplay.serve.ledger import audit
from coplay.serve.store.models import Attempt, Challenge, Guess, Result

MOST = 200  # decisions in one batch: their answer fits into a body


def answered(transaction: Session, attempt: str) -> dict[int, int]:
    """How many decisions of each game are answered."""
    query = select(Guess.game, func.count()).where(Guess.attempt_id == attempt).group_by(Guess.game)
    return {row[0]: row[1] for row in transaction.execute(query)}


def next_batch(
    transaction: Session, attempt: str, prediction: Prediction, limit: int, seats: str = "acting"
) -> dict[str, Any]:
    """The next decision of as many games as fit; with `seats` "all" also what every seat sees then."""
    data, done = recorded(prediction), answered(transaction, attempt)
    turns = [(game, done.get(game, 0)) for game in range(len(data.lengths))]
    open_ = [(game, turn) for game, turn in turns if turn < data.lengths[game]]
    games, at = ([pair[place] for pair in open_[: min(limit, MOST)]] for place in (0, 1))
    views = _views(prediction, games, at) if seats == "all" else {}
    return views | {
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


def past_views(transaction: Session, attempt: str, prediction: Prediction, turn: int, first: int) -> dict[str, Any]:
    """What every seat saw before a move that is foreseen already, in games from number `first` on: for a program that
    goes on and has forgotten them."""
    done = answered(transaction, attempt)
    games = sorted(game for game, turns in done.items() if turns > turn and game >= first)[:MOST]
    at = [turn] * len(games)
    players = recorded(prediction).players
    return {"game": games, "turn": at, "seat": [turn % players] * len(games), "players": players} | _views(
        prediction, games, at
    )


def _views(prediction: Prediction, games: list[int], turns: list[int]) -> dict[str, Any]:
    seen = seen_by_all(prediction)
    players = recorded(prediction).players
    return {"spec": seen.spec, "words": seen.words, "views": block(seen.at(games, turns, players))}


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


def answers(transaction: Session, attempt: str) -> list[Answer]:
    """What an attempt has said, in order."""
    query = select(Guess).where(Guess.attempt_id == attempt).order_by(Guess.game, Guess.turn)
    return [Answer(one.game, one.turn, one.probabilities) for one in transaction.scalars(query)]


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
