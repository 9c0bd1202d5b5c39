"""Generalised advantage estimation over decisions of the learner only.

Between two decisions of the learner others may move. Such a turn has no value of its own: what it is worth is what it
pays plus what comes after, so it passes value and advantage on, discounted by one turn. The decay `trace` counts
decisions.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from coplay.train.learner.rollout import Rollout
from coplay.train.learner.rows import Layout

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


def one_step(rollout: Rollout, discount: float) -> tuple[Array, Array]:
    """Advantages and targets of rows with an outlook: what is paid until the seat decides again, and what it then
    expects. The discount is for that whole time."""
    rows, flow = rollout.rows, rollout.flow
    target = flow.reward + discount * jnp.where(flow.ends, 0, rows.extra["next_value"])
    return jnp.where(rows.learns, target - rows.value, 0), jnp.where(rows.learns, target, 0)


def of_rollout(layout: Layout, rollout: Rollout, discount: float, trace: float) -> tuple[Array, Array]:
    """Advantages and targets [turns, groups, rows].

    In a turn game the stream of a game runs through whoever is to move: the team shares the reward, so the value of the
    next seat's view is what the position is worth. Where all move at once, every seat has its own stream.
    """
    rows, flow = rollout.rows, rollout.flow
    own = layout.simultaneous or rows.value.shape[2] == 1
    last_value = layout.to_flow(rollout.last_value[None], rollout.next_learns[None] | own)[0]
    # Nobody is to move where a game waits; of the seats that see its last position one is enough.
    shown = layout.to_rows(flow.waits, rows.learns) & (layout.simultaneous | (jnp.arange(rows.learns.shape[2]) == 0))
    value = layout.to_flow(rows.value, rows.learns | shown)
    decides = layout.to_flow(rows.learns, rows.learns).astype(bool)
    found, target = advantages(
        *(flow.reward, value, decides, flow.waits, flow.ends, last_value), discount=discount, trace=trace
    )
    return tuple(jnp.where(rows.learns, layout.to_rows(column, rows.value), 0) for column in (found, target))  # pyright: ignore[reportReturnType]


def forget_blind_tail(layout: Layout, rollout: Rollout) -> Rollout:
    """The learner's last decision has no estimate if a partner moves next: what follows is not yet known.

    Its own value still serves the decision before it, so there the game waits.
    """

    def back(blind: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        decides, ends = now
        blind = blind & ~ends
        return blind & ~decides, blind & decides

    rows, flow = rollout.rows, rollout.flow
    decides = layout.to_flow(rows.learns, rows.learns).astype(bool)
    next_learns = layout.to_flow(rollout.next_learns[None], rollout.next_learns[None])[0].astype(bool)
    _, lost = jax.lax.scan(back, ~next_learns, (decides, flow.ends), reverse=True)
    gone = layout.to_rows(lost, rows.learns)
    rows = rows._replace(learns=rows.learns & ~gone, weight=jnp.where(gone, 0, rows.weight))
    return rollout._replace(rows=rows, flow=flow._replace(waits=flow.waits | lost))
