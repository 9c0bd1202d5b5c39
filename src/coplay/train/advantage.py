"""Generalised advantage estimation over decisions of the learner only.

Between two decisions of the learner others may move. Such a turn has no value of its own: what it is worth is what it
pays plus what comes after, so it passes value and advantage on, discounted by one turn. The decay `trace` counts
decisions.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from coplay.train.rows import Rows

Array = jax.Array


def advantages(
    reward: Array,
    value: Array,
    decides: Array,
    waits: Array,
    ends: Array,
    last_value: Array,
    discount: float,
    trace: float,
) -> tuple[Array, Array]:
    """(advantage, target value), float32 [turns, ...]; all arguments but the last three are [turns, ...].

    `last_value` [...] is the value of the position after the last turn. `ends`: the rules ended the game there. A turn
    that `waits` shows the last position of a game cut off by the clock: its value counts, nothing flows through it.
    """

    def back(later: tuple[Array, Array], now: tuple[Array, ...]) -> tuple[tuple[Array, Array], Array]:
        next_value, next_advantage = later
        reward, value, decides, waits, ends = now
        keep = discount * (1 - ends)
        worth = reward + keep * next_value
        advantage = worth - value + trace * keep * next_advantage
        passed = jnp.where(waits, 0, jnp.where(decides, advantage, keep * next_advantage))
        return (jnp.where(waits | decides, value, worth), passed), advantage

    zero = jnp.zeros_like(last_value)
    columns = (reward, value, decides, waits, ends.astype(jnp.float32))
    _, found = jax.lax.scan(back, (last_value, zero), columns, reverse=True)
    found = jnp.where(decides, found, 0)
    return found, found + value


def of_rows(
    rows: Rows, last_value: Array, next_learns: Array, simultaneous: bool, discount: float, trace: float
) -> tuple[Array, Array]:
    """Advantages and targets [turns, games, rows].

    In a turn game the stream of a game runs through whoever is to move: the team shares the reward, so the value of the
    next seat's view is what the position is worth. Where all move at once, every seat has its own stream.
    """
    if simultaneous or rows.value.shape[2] == 1:
        return advantages(
            *(rows.reward, rows.value, rows.learns, rows.waits, rows.ends, last_value), discount=discount, trace=trace
        )
    last_value = jnp.where(next_learns, last_value, 0).sum(1)
    mine = rows.learns
    value = jnp.where(mine | rows.waits, rows.value, 0).sum(2)
    found, target = advantages(
        *(rows.reward[..., 0], value, mine.any(2), rows.waits.any(2), rows.ends[..., 0], last_value),
        discount=discount,
        trace=trace,
    )
    return jnp.where(mine, found[..., None], 0), jnp.where(mine, target[..., None], 0)
