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
from sqlalchemy import bindparam, select, update
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


def records(transaction: Session, attempt: str, configuration: str | None = None) -> list[Record]:
    """The games of an attempt that count."""
    query = select(Table).where(Table.attempt_id == attempt, Table.status.in_(("done", "forfeit")))
    if configuration is not None:
        query = query.where(Table.configuration == configuration)
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


def scores_of(configurations: str, games: Sequence[Record]) -> dict[str, float]:
    """Score by table; `configurations` as an attempt has them."""
    scores: dict[str, float] = {}
    for name, one in json.loads(configurations).items():
        part = [record for record in games if record.configuration == name]
        if part:
            game = game_of(one["game"], json.dumps(one["settings"], sort_keys=True))
            scores |= dict(zip([record.id for record in part], replay_scores(game, part), strict=True))
    return scores


def finish(database: Database, attempt: str, force: bool = False) -> list[str]:
    """Scores the configurations whose games are all over, and ends the attempt when that is every one of them.

    With `force` it ends now: what was played is scored and marked partial. Returns the configurations scored.
    """
    with database.read() as transaction:
        found = transaction.get(Attempt, attempt)
        if found is None or found.status != "open":
            return []
        names = list(json.loads(found.configurations))
        running = Table.status.in_(("todo", "active", "stuck"))
        query = select(Table.configuration).where(Table.attempt_id == attempt, running).distinct()
        unfinished = set(transaction.scalars(query))
        written = set(transaction.scalars(select(Result.configuration).where(Result.attempt_id == attempt)))
    if force and unfinished:
        with database.write() as transaction:  # whoever still plays them can no longer write
            transaction.execute(update(Table).where(Table.attempt_id == attempt, running).values(status="cut"))
    due = [name for name in names if name not in written and (force or name not in unfinished)]
    scored = [name for name in due if _score(database, found, name, name in unfinished)]
    if force or not unfinished:
        with database.write() as transaction:
            status = "partial" if unfinished else "finished"
            change = update(Attempt).where(Attempt.id == attempt, Attempt.status == "open")
            transaction.execute(change.values(status=status, finished=time.time()))
    return scored


def scored_configurations(database: Database, attempt: str) -> list[str]:
    """The configurations of an attempt that have results."""
    with database.read() as transaction:
        return list(transaction.scalars(select(Result.configuration).where(Result.attempt_id == attempt)))


def _score(database: Database, attempt: Attempt, configuration: str, partial: bool) -> bool:
    """Replays the games of one configuration and writes their scores and the result."""
    with database.read() as transaction:
        games = records(transaction, attempt.id, configuration)
    if not games:
        return False
    scores = scores_of(attempt.configurations, games)
    with database.write() as transaction:
        written = select(Result.id).where(Result.attempt_id == attempt.id, Result.configuration == configuration)
        if transaction.scalar(written) is not None:  # another process was quicker
            return False
        rows = [{"b_id": table, "b_score": score} for table, score in scores.items()]
        change = update(Table).where(Table.id == bindparam("b_id")).values(score=bindparam("b_score"))
        transaction.connection().execute(change, rows)
        _write_result(transaction, attempt, configuration, games, scores, partial)
    return True


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


def _write_result(
    transaction: Session,
    attempt: Attempt,
    configuration: str,
    games: Sequence[Record],
    scores: dict[str, float],
    partial: bool,
) -> None:
    challenge = transaction.get(Challenge, attempt.challenge_id) if attempt.challenge_id else None
    found, digest = summary(games, scores), log_hash(games)
    transaction.add(
        Result(
            attempt_id=attempt.id,
            configuration=configuration,
            **found._asdict(),
            partial=partial,
            log_hash=digest,
            rules_version=challenge.rules_version if challenge else "",
            pool_hash=challenge.pool_hash if challenge else "",
            created=time.time(),
        )
    )
    if attempt.kind == "eval":
        detail = {"attempt": attempt.id, "configuration": configuration, "log_hash": digest, "mean": found.mean}
        audit.note(transaction, "server", "configuration scored", **detail, partial=partial)
