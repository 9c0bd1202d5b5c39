"""What a task costs one chef, in actions, from where it stands and with what it holds.

A task is a soup on a counter to be served, a pot whose soup is to be plated and served, or a pot that is to get an
onion. Its cost: put a wrong thing down on the nearest counter, fetch what is needed from the source with the best sum,
go to the pot, and for soups on to the serving place; every interact is one action. The kitchen is taken as it is now,
and the chef as alone in it.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.overcooked.bots.distances import FAR, FloorPlan, floor_plan
from coplay.worlds.overcooked.bots.scene import Scene, least
from coplay.worlds.overcooked.kitchen import items as it
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, word
from coplay.worlds.overcooked.kitchen.layouts import OFFSETS, Layout

Array = jax.Array

FETCH, DELIVER, FILL = 1, 2, 3  # kinds of tasks


@dataclasses.dataclass(frozen=True)
class Errands:
    """Tables of one layout. Poses are nodes; costs include the interacts."""

    kitchen: Layout
    plan: FloorPlan
    fill: np.ndarray  # int32 [nodes, pots]: to put something into the pot
    fill_end: np.ndarray  # int32 [nodes, pots]: where that ends
    serve: np.ndarray  # int32 [nodes]: to serve a soup in hand
    serve_end: np.ndarray  # int32 [nodes]
    plate: np.ndarray  # int32 [nodes, pots]: with a dish in hand, to plate and serve
    plate_end: np.ndarray  # int32 [nodes, pots]
    fetch: np.ndarray  # int32 [nodes, stations]: to take a soup from a counter and serve it
    fetch_end: np.ndarray  # int32 [nodes, stations]
    before: np.ndarray  # bool [nodes, stations]: in the half-plane that a pose faces, its own row or column included

    def faces(self, stations: Array) -> Array:
        """bool [goals]: does it face one of these stations (bool [stations])?"""
        return stations[self.plan.goal_stations]


@cache
def errands(kitchen: Layout) -> Errands:
    """The tables of a kitchen."""
    plan = floor_plan(kitchen)
    pots = len(kitchen.places["P"])

    def nearest(goals: np.ndarray, onward: np.ndarray | int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Costs and ends of the best of some goals, after each of which `onward` [goals] is still to come."""
        if not goals.any():
            return np.full(len(plan.steps), FAR, np.int32), np.arange(len(plan.steps), dtype=np.int32)
        costs = np.where(goals, plan.steps + 1 + onward, FAR)
        best = costs.argmin(1)
        return np.minimum(costs.min(1), FAR).astype(np.int32), plan.goal_nodes[best]

    serve, serve_end = nearest(plan.at("S")[plan.goal_stations])
    fills = [nearest(plan.goal_stations == pot) for pot in range(pots)]
    fill, fill_end = (np.stack(part, axis=1) for part in zip(*fills, strict=True))
    after_taking = serve[plan.goal_nodes]
    takes = [nearest(plan.goal_stations == station, after_taking) for station in range(len(plan.stations))]
    fetch, fetch_end = (np.stack(part, axis=1) for part in zip(*takes, strict=True))
    return Errands(
        kitchen=kitchen,
        plan=plan,
        fill=fill,
        fill_end=fill_end,
        serve=serve,
        serve_end=serve_end,
        plate=np.minimum(fill + serve[fill_end], FAR),
        plate_end=serve_end[fill_end],
        fetch=fetch,
        fetch_end=serve_end[fetch_end],
        before=_half_planes(kitchen, plan),
    )


def _half_planes(kitchen: Layout, plan: FloorPlan) -> np.ndarray:
    spots = np.asarray([kitchen.cell(int(cell)) for cell in plan.stations])
    rows = []
    for cell in plan.cells:
        for offset in OFFSETS:
            rows.append((spots - kitchen.cell(int(cell))) @ np.asarray(offset) >= 0)
    return np.asarray(rows)


class Sources(NamedTuple):
    """Where things are now; bool [goals] unless noted."""

    onion: Array
    dish: Array
    empty: Array  # free counters
    soups: Array  # bool [stations]: soups on counters


def find_sources(tables: Errands, scene: Scene) -> Sources:
    plan = tables.plan
    return Sources(
        onion=tables.faces(jnp.asarray(plan.at("O")) | (scene.lying == word(ONION))),
        dish=tables.faces(jnp.asarray(plan.at("D")) | (scene.lying == word(DISH))),
        empty=tables.faces(jnp.asarray(plan.at("X")) & (scene.lying == word(NOTHING))),
        soups=it.is_soup(scene.lying),
    )


class Costs(NamedTuple):
    """What every task would cost a chef now."""

    fetch: Array  # int32 [stations]
    deliver: Array  # int32 [pots]
    fill: Array  # int32 [pots]


class PutDown(NamedTuple):
    """Getting rid of what is in the hand."""

    cost: Array  # int32: actions, FAR if no counter is free
    node: Array  # int32: where that ends


def put_down(tables: Errands, sources: Sources, node: Array) -> PutDown:
    """On the nearest free counter."""
    best, cost = least(jnp.where(sources.empty, jnp.asarray(tables.plan.steps)[node] + 1, FAR))
    return PutDown(cost, jnp.where(cost < FAR, jnp.asarray(tables.plan.goal_nodes)[best], node))


def all_costs(tables: Errands, sources: Sources, node: Array, hand: Array) -> Costs:
    """The costs of all tasks for a chef who holds no soup."""
    drop = put_down(tables, sources, node)
    free = hand == word(NOTHING)
    start, spent = jnp.where(free, node, drop.node), jnp.where(free, 0, drop.cost)
    row = jnp.asarray(tables.plan.steps)[start]

    def with_thing(item: int, source: Array, table: np.ndarray) -> Array:
        via = jnp.where(source, row + 1, FAR)[:, None] + table[tables.plan.goal_nodes]
        return jnp.where(hand == word(item), jnp.asarray(table)[node], spent + via.min(0))

    return Costs(
        fetch=jnp.minimum(spent + jnp.asarray(tables.fetch)[start], FAR),
        deliver=jnp.minimum(with_thing(DISH, sources.dish, tables.plate), FAR),
        fill=jnp.minimum(with_thing(ONION, sources.onion, tables.fill), FAR),
    )


class Busy(NamedTuple):
    """A chef in the middle of a sequence of tasks."""

    total: Array  # int32: actions so far
    node: Array  # int32
    hand: Array  # uint32


def do_task(
    tables: Errands, sources: Sources, drop: PutDown, busy: Busy, kind: Array, station: Array
) -> tuple[Array, Array]:
    """(cost, end pose) of one task; `drop` is for what is in the hand before the first one."""
    goal_nodes = jnp.asarray(tables.plan.goal_nodes)
    pot = jnp.minimum(station, tables.fill.shape[1] - 1)
    fills, fetches = kind == FILL, kind == FETCH
    right = busy.hand == jnp.where(fills, word(ONION), jnp.where(fetches, word(NOTHING), word(DISH)))
    wrong = ~right & (busy.hand != word(NOTHING))
    start, spent = jnp.where(wrong, drop.node, busy.node), jnp.where(wrong, drop.cost, 0)
    onward = jnp.where(fills, jnp.asarray(tables.fill.T)[pot], jnp.asarray(tables.plate.T)[pot])  # [nodes]
    via = jnp.where(jnp.where(fills, sources.onion, sources.dish), jnp.asarray(tables.plan.steps)[start] + 1, FAR)
    source, fetching = least(via + onward[goal_nodes])
    begin = jnp.where(right, start, goal_nodes[source])
    cost = jnp.where(right, onward[start], spent + fetching)
    end = jnp.where(fills, jnp.asarray(tables.fill_end)[begin, pot], jnp.asarray(tables.plate_end)[begin, pot])
    cost = jnp.where(fetches, spent + jnp.asarray(tables.fetch)[start, station], cost)
    end = jnp.where(fetches, jnp.asarray(tables.fetch_end)[start, station], end)
    return jnp.minimum(cost, FAR), end
