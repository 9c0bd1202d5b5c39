"""The decisions that an attempt is asked about, and what it answered."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from coplay.challenge.batches import block
from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.prediction import (
    APART,
    Answer,
    Recorded,
    judge,
    lengths_of,
    name_of,
    of_set,
    recorded,
    seen_by_all,
)
from coplay.challenge.rules import Prediction
from coplay.serve.ledger import audit
from coplay.serve.store.models import Attempt, Challenge, Guess, Result

MOST = 200  # decisions in one batch: their answer fits into a body
Sets = Sequence[Prediction]


def answered(transaction: Session, attempt: str) -> dict[int, int]:
    """How many decisions of each game are answered."""
    query = select(Guess.game, func.count()).where(Guess.attempt_id == attempt).group_by(Guess.game)
    return {row[0]: row[1] for row in transaction.execute(query)}


def next_batch(transaction: Session, attempt: str, sets: Sets, limit: int, seats: str = "acting") -> dict[str, Any]:
    """The next decision of as many games of one set as fit, of the next set when one is through; with `seats` "all"
    also what every seat sees then."""
    done = answered(transaction, attempt)
    number, open_ = now_asked(sets, done)
    asked, data = sets[number], recorded(sets[number])
    games, at = ([pair[place] for pair in open_[: min(limit, MOST)]] for place in (0, 1))
    views = _views(asked, games, at) if seats == "all" else {}
    return views | {
        "game": [game + number * APART for game in games],
        "turn": at,
        "seat": [turn % data.players for turn in at],
        "players": data.players,
        "actions": data.legal.shape[-1],
        "size": data.size,  # of a view's vector
        "vector": block(data.vectors[games, at]),
        "legal": block(np.packbits(data.legal[games, at], axis=1)) if games else "",
        "left": left_of(sets, done),
    }


def open_games(sets: Sets, done: dict[int, int]) -> list[list[tuple[int, int]]]:
    """For every set, its games that are not through, and the turn that each is at."""
    found = []
    for number, one in enumerate(sets):
        lengths = lengths_of(one)
        turns = [(game, done.get(game + number * APART, 0)) for game in range(len(lengths))]
        found.append([(game, turn) for game, turn in turns if turn < lengths[game]])
    return found


def now_asked(sets: Sets, done: dict[int, int]) -> tuple[int, list[tuple[int, int]]]:
    """The set that is asked about now, and its games that are not through."""
    found = open_games(sets, done)
    return next(((number, own) for number, own in enumerate(found) if own), (len(sets) - 1, []))


def left_of(sets: Sets, done: dict[int, int]) -> int:
    """Decisions to come."""
    return sum(int(lengths_of(one).sum()) for one in sets) - sum(done.values())


def past_views(transaction: Session, attempt: str, sets: Sets, turn: int, first: int) -> dict[str, Any]:
    """What every seat saw before a move that is foreseen already, in games of one set from number `first` on: for a
    program that goes on and has forgotten them."""
    number, own = past_games(answered(transaction, attempt), turn, first)
    if not own:
        return {"game": [], "turn": [], "seat": [], "players": 0}
    at, players = [turn] * len(own), recorded(sets[number]).players
    return {"game": own, "turn": at, "seat": [turn % players] * len(own), "players": players} | _views(
        sets[number], [game % APART for game in own], at
    )


def past_games(done: dict[int, int], turn: int, first: int) -> tuple[int, list[int]]:
    """The games of one set, from a number on, in which a turn is answered; and which set that is."""
    found = sorted(game for game, turns in done.items() if turns > turn and game >= first)
    number = found[0] // APART if found else 0
    return number, [game for game in found if game // APART == number][:MOST]


def _views(prediction: Prediction, games: list[int], turns: list[int]) -> dict[str, Any]:
    seen = seen_by_all(prediction)
    players = recorded(prediction).players
    return {"spec": seen.spec, "words": seen.words, "views": block(seen.at(games, turns, players))}


def take(
    transaction: Session,
    attempt: Attempt,
    sets: Sets,
    games: list[int],
    turns: list[int],
    given: np.ndarray,
) -> int:
    """Keeps probabilities float32 [decisions, actions] about games of one set; returns how many decisions are left."""
    number = set_of(sets, games)
    data = recorded(sets[number])
    if given.shape != (len(games), data.legal.shape[-1]) or len(turns) != len(games):
        text = f"give one row of {data.legal.shape[-1]} probabilities (float32) per game and turn; got {given.shape}."
        raise ChallengeError(text, 422, "malformed")
    done = answered(transaction, attempt.id)
    rows = []
    for game, turn, row in zip(games, turns, given, strict=True):
        _check_row(data, game, turn, row)
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
        if not open_games(sets, done)[number]:
            _finish(transaction, attempt, sets[number], number)
    return left_of(sets, done)


def set_of(sets: Sets, games: list[int]) -> int:
    """Which set all these games are of."""
    found = {game // APART for game in games}
    if len(found) != 1:
        raise ChallengeError("answer games of one number of players at a time, as they are asked.", 422, "malformed")
    (number,) = found
    if not 0 <= number < len(sets):
        raise ChallengeError(f"there is no game {games[0]}.", 404, "unknown")
    return number


def _check_row(data: Recorded, game: int, turn: int, row: np.ndarray) -> None:
    own = game % APART
    if own >= len(data.lengths) or not 0 <= turn < data.lengths[own]:
        raise ChallengeError(f"there is no turn {turn} of game {game}.", 404, "unknown")
    if not np.isfinite(row).all() or (row < 0).any() or row[data.legal[own, turn]].sum() <= 0:
        text = f"game {game}, turn {turn}: probabilities are at least 0 and not all 0 on the legal actions."
        raise ChallengeError(text, 422, "malformed")


def answers(transaction: Session, attempt: str) -> list[Answer]:
    """What an attempt has said, in order."""
    query = select(Guess).where(Guess.attempt_id == attempt).order_by(Guess.game, Guess.turn)
    return [Answer(one.game, one.turn, one.probabilities) for one in transaction.scalars(query)]


def _finish(transaction: Session, attempt: Attempt, prediction: Prediction, number: int) -> None:
    """Scores a set whose decisions are all foreseen."""
    data, name = recorded(prediction), name_of(prediction)
    found = judge(of_set(answers(transaction, attempt.id), number), data)
    challenge = transaction.get(Challenge, attempt.challenge_id)
    assert challenge is not None
    transaction.add(
        Result(
            attempt_id=attempt.id,
            configuration=name,
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
        detail = {"attempt": attempt.id, "configuration": name, "cross_entropy": found.value}
        audit.note(transaction, "server", "prediction scored", **detail)
