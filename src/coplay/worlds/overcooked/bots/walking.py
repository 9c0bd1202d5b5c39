"""Getting there: down the distance tables, around a chef who stands in the way, and out of the way when idle.

A cook walks as if it were alone. When a step fails it flips a coin and either insists or gives way: if both wanted the
same free cell it waits a step; if somebody stands there, that chef counts as furniture for a while (and as long as it
does not move) and the cook takes the way round, or steps aside at random when there is none. The coin is what lets two
equal cooks pass each other.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from coplay.worlds.overcooked.bots.distances import FAR, FloorPlan
from coplay.worlds.overcooked.bots.scene import Scene, least
from coplay.worlds.overcooked.rules import INTERACT, STAY

Array = jax.Array

INSIST = 0.5  # probability of trying the same step again
SHORTEST_DETOUR, LONGEST_DETOUR = 2, 14  # steps
LONG = 10  # steps without moving after which a chef counts as furniture in choosing a job, too
MAKE_ROOM = 0.5  # probability that an idle cook steps aside when somebody is next to it


class Walk(NamedTuple):
    """What a cook remembers between steps."""

    aim: Array  # int32: the floor cell that the last step was to reach, -1 if it was no step
    detour: Array  # int32: for so many more steps the nearest other chef is furniture
    furniture: Array  # int32: the floor cell where that chef stood
    still: Array  # int32: for so many steps it has not moved


class Ways(NamedTuple):
    """What walking costs from here."""

    after: Array  # int32 [4, stations]: actions until a station is faced, after an action in each direction
    cost: Array  # int32 [stations]: actions until it is faced
    free: Array  # bool [4]: a step in this direction leads to a cell where nobody stands
    yields: Array  # bool: wait a step for somebody who wants the same cell
    walk: Walk
    reached: Array  # bool [stations]: not shut off by a chef who has not moved for long


def begin() -> Walk:
    return Walk(jnp.int32(-1), jnp.int32(0), jnp.int32(-1), jnp.int32(0))


def find_ways(plan: FloorPlan, scene: Scene, walk: Walk, chance: list[Array]) -> Ways:
    """Costs of walking, after noticing that the last step failed; takes two random numbers."""
    here = scene.nodes[0] // 4
    others = [node // 4 for node in scene.nodes[1:]]
    after = jnp.asarray(plan.after)[here]
    next_cells = jnp.asarray(plan.ahead)[here]
    free, occupied = next_cells != here, jnp.zeros((), bool)
    for other in others:
        free = free & (next_cells != other)
        occupied = occupied | (walk.aim == other)
    gives_way = (walk.aim >= 0) & (walk.aim != here) & (chance[0] >= INSIST)
    if others and plan.detours is not None:
        near = jnp.stack([jnp.asarray(plan.apart)[here, other] for other in others])
        furniture = jnp.stack(others)[least(near)[0]]
        length = SHORTEST_DETOUR + (chance[1] * (LONGEST_DETOUR - SHORTEST_DETOUR + 1)).astype(jnp.int32)
        moved = furniture != walk.furniture
        detour = jnp.where(gives_way & occupied, length, jnp.maximum(walk.detour - moved, 0))
        walk = walk._replace(detour=detour, furniture=furniture, still=jnp.where(moved, 0, walk.still + 1))
        around = jnp.asarray(plan.detours)[furniture, here].astype(jnp.int32)
        after = jnp.where(detour > 0, around, after)
    facing = jnp.arange(len(plan.stations)) == jnp.asarray(plan.faced)[scene.nodes[0]]
    cost = jnp.where(facing, 0, jnp.minimum(after.min(0) + 1, FAR))
    reached = jnp.where(walk.still >= LONG, cost < FAR, jnp.asarray(plan.to_station < FAR)[scene.nodes[0]])
    return Ways(after, cost, free, gives_way & ~occupied, walk, reached)


def go(plan: FloorPlan, scene: Scene, ways: Ways, wanted: Array, chance: list[Array]) -> tuple[Walk, Array]:
    """One action towards the nearest of the wanted stations (bool [stations]): a step, a turn, or the interact.

    Without one the cook is idle. Takes two random numbers.
    """
    here = scene.nodes[0] // 4
    target, cost = least(jnp.where(wanted, ways.cost, FAR))
    found = wanted.any()
    there, stuck = found & (cost == 0), found & (cost >= FAR)
    after = ways.after[:, target]
    step = jnp.where(ways.yields, STAY, pick(after == after.min(), chance[0]))
    crowded = jnp.zeros((), bool)
    for other in scene.nodes[1:]:
        crowded = crowded | (jnp.asarray(plan.apart)[here, other // 4] <= 1)
    makes_room = jnp.where(found, stuck, crowded & (chance[1] < MAKE_ROOM)) & ways.free.any()
    aside = jnp.where(makes_room, pick(ways.free, chance[0]), STAY)
    action = jnp.where(there, INTERACT, jnp.where(found & ~stuck, step, aside))
    next_cell = jnp.asarray(plan.ahead)[here, jnp.minimum(action, 3)]
    aim = jnp.where((action < STAY) & (next_cell != here), next_cell, -1)
    detour = jnp.where(there, 0, jnp.maximum(ways.walk.detour - ~found, 0))
    return ways.walk._replace(aim=aim, detour=detour), action.astype(jnp.int32)


def pick(options: Array, chance: Array) -> Array:
    """int32: one of the True entries of `options`, uniformly by one number in [0, 1)."""
    rank = (chance * options.sum()).astype(jnp.int32)
    chosen, before = jnp.int32(0), jnp.int32(0)
    for index in range(options.shape[0]):
        chosen = jnp.where(options[index] & (before == rank), index, chosen)
        before = before + options[index]
    return chosen
