"""Scores, from the log only: games are dealt again from their seeds and played again by the rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.batches import as_key, chunks, padded
from coplay.challenge.log import unpack
from coplay.challenge.rules import game_of
from coplay.game import Game
from coplay.measure.stats import bootstrap
from coplay.rollouts.episode import forfeited_score
from coplay.sides import sign_of


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


def replay_scores(game: Game, games: Sequence[Record]) -> list[float]:
    """The score of every game, of two sides the entrant's own lead; of a forfeited one what it counts. A log that the
    rules do not allow raises."""
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
            score = float(end[0][index]) * own_sign(game, one.seats)
            scores.append(score if one.status == "done" else forfeited_score(score))
    return scores


def own_sign(game: Game, seats: str) -> int:
    """1, or -1 where the game counts the score for the other side than that of the entrant's seats ("1,3")."""
    return int(sign_of(game, int(seats.split(",")[0])))


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
