"""Many teams of two policies at once: the first of each pair alone in every seat, the second in all others.

The policies of all pairs are stacks [pairs, ...] of the same shape, so that everything is one program. What each seat
did is counted where the world knows what can be preferred.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.faces import Preferences
from coplay.game import Game
from coplay.rollouts.rollout import decide_one, start_memory
from coplay.rollouts.seeds import derive
from coplay.sides import sign_of

Array = jax.Array


class PairScores(NamedTuple):
    """What pairs of policies came to, [pairs, seats of the first, episodes]."""

    scores: np.ndarray  # float32
    events: np.ndarray  # float32 [pairs, seats of the first, players, events]: means per episode

    @property
    def means(self) -> np.ndarray:
        """float [pairs]: over seats and episodes."""
        return self.scores.mean((1, 2))

    @property
    def by_first(self) -> np.ndarray:
        """float [pairs, seats, events]: what the first of each pair did, in each of its seats."""
        seats = np.arange(self.events.shape[1])
        return self.events[:, seats, seats]

    @property
    def by_others(self) -> np.ndarray:
        """float [pairs, seats, events]: what the others did, on average, for each seat of the first."""
        seats = np.arange(self.events.shape[1])
        total = self.events.sum(2) - self.events[:, seats, seats]
        return total / (self.events.shape[2] - 1)


def play_pairs(
    game: Game, first: Any, second: Any, episodes: int, seed: int = 0, liked: Preferences | None = None
) -> PairScores:
    """Plays `episodes` episodes of every pair in every seat of the first; all pairs meet the same deals."""
    counting = game if liked is None else liked.counting(game)
    keys = jax.random.split(derive(seed, "pairs"), episodes)
    scores, events = _all(counting, first, second, keys, liked.count if liked else None)
    return PairScores(np.asarray(scores), np.asarray(events))


@eqx.filter_jit
def _all(game: Game, first: Any, second: Any, keys: Array, count: Any) -> tuple[Array, Array]:
    seats = jnp.arange(game.players)

    def pair(first: Any, second: Any) -> tuple[Array, Array]:
        one = partial(_episode, game, count, first, second)
        scores, events = jax.vmap(jax.vmap(one, (None, 0)), (0, None))(seats, keys)
        return scores, events.mean(1)

    return eqx.filter_vmap(pair)(first, second)


def _episode(game: Game, count: Any, first: Any, second: Any, seat: Array, key: Array) -> tuple[Array, Array]:
    """(score, float32 [players, events]) of one episode with the first policy in this seat."""
    deal, luck = jax.random.split(key)
    state = game.reset(deal)
    memories = (start_memory(first), start_memory(second, game.players))
    nothing = jnp.zeros((game.players, 0)) if count is None else _zeros(game, count, state)

    def turn(now: tuple[Any, ...], number: Array) -> tuple[tuple[Any, ...], None]:
        state, (mine, theirs), counted = now
        keys = jax.random.split(jax.random.fold_in(luck, number), game.players + 1)
        mine, action = decide_one(game, first, seat, state, mine, keys[0])
        theirs, actions = jax.vmap(lambda s, m, k: decide_one(game, second, s, state, m, k))(
            jnp.arange(game.players), theirs, keys[1:]
        )
        actions = jnp.where(jnp.arange(game.players) == seat, action, actions)
        step = game.step(state, actions)
        if count is not None:
            counted = counted + count(game, state, actions, step)
        return (step.state, (mine, theirs), counted), None

    begin = (state, memories, nothing)
    (state, _, counted), _ = jax.lax.scan(turn, begin, jnp.arange(game.max_steps))
    return game.score(state).astype(jnp.float32) * sign_of(game, seat), counted


def _zeros(game: Game, count: Any, state: Any) -> Array:
    moves = jnp.zeros(game.players, jnp.int32)
    shape = jax.eval_shape(lambda s: count(game, s, moves, game.step(s, moves)), state).shape
    return jnp.zeros(shape, jnp.float32)
