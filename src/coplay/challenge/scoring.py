"""Scores, from the log only: games are dealt again from their seeds and played again by the rules."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from coplay.challenge import audit
from coplay.challenge.hall import as_key, chunks, padded
from coplay.challenge.live import unpack
from coplay.challenge.rules import game_of
from coplay.challenge.store.database import Database
from coplay.challenge.store.models import Attempt, Challenge, Result, Table
from coplay.challenge.store.seats import logs
from coplay.games.game import Game
from coplay.measure.stats import bootstrap


class Record(NamedTuple):
    """One game as it is stored or exported."""

    id: str
    configuration: str
    deal: int
    seed: str
    seats: str
    partners: str
    status: str  # done or forfeit
    actions: tuple[str, ...]


def log_hash(records: Sequence[Record]) -> str:
    """SHA-256 of every game of an attempt."""
    lines = [json.dumps(record) for record in sorted(records)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def records(transaction: Session, attempt: str) -> list[Record]:
    """The games of an attempt that count."""
    query = select(Table).where(Table.attempt_id == attempt, Table.status.in_(("done", "forfeit")))
    tables = list(transaction.scalars(query))
    found = logs(transaction, [table.id for table in tables])
    return [
        Record(t.id, t.configuration, t.deal, t.seed, t.seats, t.partners, t.status, tuple(found[t.id])) for t in tables
    ]


def replay_scores(game: Game, games: Sequence[Record]) -> list[float]:
    """The score of every game; a forfeited one scores 0. A log that the rules do not allow raises."""
    scores: list[float] = []
    for begin, count, size in chunks(len(games)):
        part = games[begin : begin + count]
        made, lengths = _actions(game, part)
        seeds = padded(np.stack([as_key(one.seed) for one in part]), size, 0)
        end = jax.device_get(_replay(game, seeds, padded(made, size, 0), padded(lengths, size, 0)))
        for index, one in enumerate(part):
            if end[1][index]:
                raise ValueError(f"table {one.id}: its log holds an illegal action")
            if one.status == "done" and not end[2][index]:
                raise ValueError(f"table {one.id}: its log stops before the end of the game")
            scores.append(float(end[0][index]) if one.status == "done" else 0.0)
    return scores


def _actions(game: Game, games: Sequence[Record]) -> tuple[np.ndarray, np.ndarray]:
    made = np.zeros((len(games), game.max_steps, game.players), np.int32)
    lengths = np.asarray([len(one.actions) for one in games], np.int32)
    for index, one in enumerate(games):
        if len(one.actions) > game.max_steps:
            raise ValueError(f"table {one.id}: {len(one.actions)} turns; no game of {game.name} is so long")
        for turn, text in enumerate(one.actions):
            made[index, turn] = unpack(text)
    return made, lengths


@eqx.filter_jit
def _replay(game: Game, seeds: Any, actions: Any, lengths: Any) -> tuple[Any, Any, Any]:
    """Scores, whether an action was illegal, whether the game is over."""

    def one(seed: Any, actions: Any, length: Any) -> tuple[Any, Any, Any]:
        def turn(carry: tuple[Any, Any], now: tuple[Any, Any]) -> tuple[tuple[Any, Any], None]:
            state, wrong = carry
            number, joint = now
            step = game.step(state, joint)
            played = number < length
            bad = played & ((step.events.illegal & game.turn(state)).any() | ~game.turn(state).any())
            state = jax.tree.map(lambda new, old: jnp.where(played, new, old), step.state, state)
            return (state, wrong | bad), None

        begin = game.reset(jax.random.wrap_key_data(seed)), jnp.asarray(False)
        (state, wrong), _ = jax.lax.scan(turn, begin, (jnp.arange(game.max_steps), actions))
        return jnp.float32(game.score(state)), wrong, ~game.turn(state).any()

    return jax.vmap(one)(seeds, actions, lengths)


def scores_of(attempt_configurations: str, games: Sequence[Record]) -> dict[str, float]:
    """Score by table of an attempt's games."""
    scores: dict[str, float] = {}
    for name, one in json.loads(attempt_configurations).items():
        part = [record for record in games if record.configuration == name]
        if part:
            game = game_of(one["game"], json.dumps(one["settings"], sort_keys=True))
            scores |= dict(zip([record.id for record in part], replay_scores(game, part), strict=True))
    return scores


def finish(database: Database, attempt: str, force: bool = False) -> bool:
    """Ends an attempt whose games are all over (or any, with `force`: it is marked partial) and writes its results."""
    with database.read() as transaction:
        found = transaction.get(Attempt, attempt)
        if found is None or found.status != "open":
            return False
        left = transaction.scalar(
            select(Table.id).where(Table.attempt_id == attempt, Table.status.in_(("todo", "active", "stuck"))).limit(1)
        )
        if left is not None and not force:
            return False
        games = records(transaction, attempt)
    scores = scores_of(found.configurations, games)
    with database.write() as transaction:
        status = "finished" if left is None else "partial"
        change = update(Attempt).where(Attempt.id == attempt, Attempt.status == "open")
        values = {"status": status, "finished": time.time(), "log_hash": log_hash(games)}
        if transaction.execute(change.values(**values)).rowcount != 1:  # pyright: ignore[reportAttributeAccessIssue]
            return False
        for table, score in scores.items():
            transaction.execute(update(Table).where(Table.id == table).values(score=score))
        if found.kind == "eval":
            _write_results(transaction, found, games, scores, status == "partial")
            detail = {"attempt": attempt, "log_hash": values["log_hash"], "means": _means(games, scores)}
            audit.note(transaction, "server", f"attempt {status}", **detail)
    return True


def _means(games: Sequence[Record], scores: dict[str, float]) -> dict[str, float]:
    names = sorted({one.configuration for one in games})
    return {name: float(np.mean([scores[one.id] for one in games if one.configuration == name])) for name in names}


class Summary(NamedTuple):
    """What a leaderboard shows of one configuration's games."""

    games: int
    forfeits: int
    mean: float
    low: float
    high: float
    median: float


def summary(games: Sequence[Record], scores: dict[str, float]) -> Summary:
    # in order of deal, so that the bootstrap draws the same games wherever it is done again
    ordered = sorted(games, key=lambda one: (one.deal, one.id))
    values = np.asarray([scores[one.id] for one in ordered])
    mean = bootstrap(values, np.mean) if len(values) > 1 else None
    return Summary(
        games=len(values),
        forfeits=sum(one.status == "forfeit" for one in games),
        mean=float(values.mean()),
        low=float(mean.low) if mean else float(values.mean()),
        high=float(mean.high) if mean else float(values.mean()),
        median=float(np.median(values)),
    )


def _write_results(
    transaction: Session, attempt: Attempt, games: Sequence[Record], scores: dict[str, float], partial: bool
) -> None:
    challenge = transaction.get(Challenge, attempt.challenge_id)
    assert challenge is not None
    for name in json.loads(attempt.configurations):
        part = [one for one in games if one.configuration == name]
        if part:
            transaction.add(
                Result(
                    attempt_id=attempt.id,
                    configuration=name,
                    **summary(part, scores)._asdict(),
                    partial=partial,
                    rules_version=challenge.rules_version,
                    pool_hash=challenge.pool_hash,
                    created=time.time(),
                )
            )
