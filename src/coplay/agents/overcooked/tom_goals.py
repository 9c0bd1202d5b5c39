"""The Theory-of-Mind agent's choice of a task and of the places to go for it.

A list of tasks, level by level, each as if the level before were done: soups on counters; else pots that cook or are
ready; else an onion for every pot of the fullest kind that is not full. A greedy chef takes what is cheapest for itself
on the first level. A team player leaves a level to its partner when the partner would have done all of it, and what
comes before, sooner. An observant chef first crosses off what the partner seems to be doing.

Where the published description leaves room: what lies on counters is not used up by simulated tasks; a partner is
charged for at most three soups on counters; the waiting place of somebody who is early (see `waiting_places`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.overcooked.distances import FAR
from coplay.agents.overcooked.errands import (
    DELIVER,
    FETCH,
    FILL,
    Busy,
    Costs,
    Errands,
    Sources,
    all_costs,
    do_task,
    errands,
    put_down,
)
from coplay.agents.overcooked.scene import Scene, least
from coplay.agents.overcooked.tom_parameters import MAX_LOOK_AHEAD, Number
from coplay.games.overcooked import items as it
from coplay.games.overcooked.items import DISH, NOTHING, ONION, POT_SIZE, word
from coplay.games.overcooked.layouts import Layout

Array = jax.Array

CHARGED_SOUPS = 3


class Level(NamedTuple):
    """Equally urgent tasks, all of one kind."""

    kind: Array  # int32: FETCH, DELIVER or FILL
    soups: Array  # bool [stations]: tasks of kind FETCH
    pots: Array  # bool [pots]: the other tasks

    @property
    def any(self) -> Array:
        return self.soups.any() | self.pots.any()


class Task(NamedTuple):
    """One task of a list."""

    found: Array  # bool
    level: Array  # int32
    kind: Array  # int32
    station: Array  # int32: pots are the first stations


def task_list(scene: Scene, sources: Sources) -> list[Level]:
    """The levels, most urgent first."""
    levels = []
    stage = jnp.where(scene.left >= 0, POT_SIZE, POT_SIZE - scene.missing)  # onions, full: cooking or ready
    soups = sources.soups
    for _ in range(MAX_LOOK_AHEAD):
        lie, cook = soups.any(), (stage == POT_SIZE).any()
        kind = jnp.where(lie, FETCH, jnp.where(cook, DELIVER, FILL))
        fullest = jnp.where(stage < POT_SIZE, stage, -1).max()
        pots = jnp.where(lie, False, jnp.where(cook, stage == POT_SIZE, stage == fullest))
        levels.append(Level(kind, soups, pots))
        soups = jnp.zeros_like(soups)
        stage = jnp.where(pots, jnp.where(cook, 0, stage + 1), stage)
    return levels


def cheapest(level: Level, costs: Costs) -> tuple[Array, Array]:
    """(cost, station) of the task of a level that is cheapest for a chef with these costs."""
    by_pot = jnp.where(level.kind == DELIVER, costs.deliver, costs.fill)
    by_pot = jnp.where(level.pots, by_pot, FAR)
    by_soup = jnp.where(level.soups, costs.fetch, FAR)
    (soup, soup_cost), (pot, pot_cost) = least(by_soup), least(by_pot)
    fetches = level.kind == FETCH
    return jnp.where(fetches, soup_cost, pot_cost), jnp.where(fetches, soup, pot)


def presumed_task(
    tables: Errands, scene: Scene, sources: Sources, levels: list[Level], costs: Costs, only_first: Array
) -> Task:
    """What the partner seems to be doing, from what it holds or where it faces."""
    node, hand, own_hand = scene.nodes[1], scene.hands[1], scene.hands[0]
    found, at, station = jnp.zeros((), bool), jnp.int32(0), jnp.int32(0)
    for index, level in enumerate(levels):
        used = jnp.where(level.kind == FILL, word(ONION), jnp.where(level.kind == DELIVER, word(DISH), word(NOTHING)))
        uses = (hand != word(NOTHING)) & (hand == used) & (~only_first | (index == 0)) & ~found
        at, station = jnp.where(uses, index, at), jnp.where(uses, cheapest(level, costs)[1], station)
        found = found | uses
    first = levels[0]
    ahead = jnp.asarray(tables.before)[node]
    needed = jnp.where(first.kind == FILL, word(ONION), word(DISH))
    source = tables.faces(ahead) & jnp.where(first.kind == FILL, sources.onion, sources.dish)
    soups = first.soups & ahead
    seen = jnp.where(first.kind == FETCH, soups.any(), source.any() & (own_hand != needed))
    looks = (hand == word(NOTHING)) & seen
    station = jnp.where(looks, cheapest(first._replace(soups=soups), costs)[1], station)
    at = jnp.where(looks, 0, at)
    kind = jnp.stack([level.kind for level in levels])[at]
    return Task(found | looks, at, kind, station)


def cross_off(levels: list[Level], task: Task) -> list[Level]:
    """The list without a task."""
    shorter = []
    for index, level in enumerate(levels):
        hit = task.found & (task.level == index)
        soups = level.soups & ~(hit & (jnp.arange(level.soups.shape[0]) == task.station))
        pots = level.pots & ~(hit & (jnp.arange(level.pots.shape[0]) == task.station))
        shorter.append(Level(level.kind, soups, pots))
    return shorter


def partner_totals(tables: Errands, scene: Scene, sources: Sources, levels: list[Level], presumed: Task) -> list[Array]:
    """What it costs the partner to do all tasks up to and with each level, one after another."""
    node, hand = scene.nodes[1], scene.hands[1]
    pots = scene.left.shape[0]
    serves = it.is_soup(hand)
    busy = Busy(
        total=jnp.where(serves, jnp.asarray(tables.serve)[node], 0),
        node=jnp.where(serves, jnp.asarray(tables.serve_end)[node], node),
        hand=jnp.where(serves, word(NOTHING), hand),
    )
    # the presumed task, soups on counters, then all pots of each level, as one sequence
    soups, stations = levels[0].soups, []
    for _ in range(CHARGED_SOUPS):
        station, absent = least(~soups)
        stations.append((absent == 0, FETCH, station))
        soups = soups & (jnp.arange(soups.shape[0]) != station)
    sequence = [(presumed.found, presumed.kind, presumed.station), *stations]
    sequence += [(level.pots[pot], level.kind, pot) for level in levels for pot in range(pots)]
    doing, kinds, places = (jnp.stack([jnp.asarray(part) for part in column]) for column in zip(*sequence, strict=True))

    drop = put_down(tables, sources, node)

    def do_next(busy: Busy, step: tuple[Array, Array, Array]) -> tuple[Busy, Array]:
        doing, kind, station = step
        cost, end = do_task(tables, sources, drop, busy, kind, station)
        after = Busy(
            total=busy.total + jnp.where(doing, cost, 0),
            node=jnp.where(doing & (cost < FAR), end, busy.node),
            hand=jnp.where(doing, word(NOTHING), busy.hand),
        )
        return after, after.total

    _, totals = jax.lax.scan(do_next, busy, (doing, kinds, places))
    return list(totals[CHARGED_SOUPS + pots :: pots])


def choose_task(
    tables: Errands, scene: Scene, sources: Sources, greedy: Array, observes: Array, look_ahead: Number
) -> Task:
    """The task of a chef who holds no soup; `found` is False if everything is left to the partner."""
    levels = task_list(scene, sources)
    own = all_costs(tables, sources, scene.nodes[0], scene.hands[0])
    others = all_costs(tables, sources, scene.nodes[1], scene.hands[1])
    presumed = presumed_task(tables, scene, sources, levels, others, only_first=greedy)
    in_list = presumed.level < look_ahead
    presumed = presumed._replace(found=presumed.found & observes & in_list & ~it.is_soup(scene.hands[1]))
    levels = cross_off(levels, presumed)
    totals = partner_totals(tables, scene, sources, levels, presumed)
    done = jnp.zeros((), bool)
    task = Task(done, jnp.int32(0), jnp.int32(FILL), jnp.int32(0))
    for index, (level, total) in enumerate(zip(levels, totals, strict=True)):
        cost, station = cheapest(level, own)
        # the greedy choice ends with the first level that is not empty, whatever it costs
        mine = jnp.where(greedy, level.any, level.any & (cost <= total) & (cost < FAR))
        takes = ~done & mine & (index < look_ahead)
        chosen = Task(cost < FAR, jnp.int32(index), level.kind, station)
        task = jax.tree.map(lambda new, old, takes=takes: jnp.where(takes, new, old), chosen, task)
        done = done | takes
    return task


@cache
def waiting_places(kitchen: Layout) -> np.ndarray:
    """bool [pots, goals]: where to go with something for a pot that is not to be used yet.

    The dispenser, pot or counter that is nearest to the pot, faced from a cell that leaves the pot's own places free.
    """
    plan = errands(kitchen).plan
    rows = []
    for pot in range(len(kitchen.places["P"])):
        stands = plan.goal_nodes[plan.goal_stations == pot]
        candidates = plan.at("PODX")[plan.goal_stations] & ~np.isin(plan.goal_nodes // 4, stands // 4)
        steps = np.where(candidates, plan.steps[stands].min(0, initial=FAR), FAR)
        rows.append(candidates & (steps == steps.min()) & (steps < FAR))
    return np.asarray(rows)


def goals_of(tables: Errands, scene: Scene, sources: Sources, task: Task) -> Array:
    """bool [goals]: the places to go next."""
    kitchen, plan = tables.kitchen, tables.plan
    node, hand = scene.nodes[0], scene.hands[0]
    needed = jnp.where(task.kind == FILL, word(ONION), jnp.where(task.kind == DELIVER, word(DISH), word(NOTHING)))
    source = jnp.where(task.kind == FILL, sources.onion, sources.dish)
    here = jnp.asarray(plan.goal_stations) == task.station
    source = jnp.where(task.kind == FETCH, here, source)
    early = task.level > 0 if kitchen.name != "asymmetric_advantages" else jnp.zeros((), bool)
    places = jnp.asarray(waiting_places(kitchen))[jnp.minimum(task.station, scene.left.shape[0] - 1)]
    use = jnp.where(early & places.any(), places, here)
    goals = jnp.where(hand == word(NOTHING), source, jnp.where(hand == needed, use, sources.empty))
    goals = goals & task.found
    goals = jnp.where(it.is_soup(hand), jnp.asarray(plan.at("S")[plan.goal_stations]), goals)
    reachable = jnp.asarray(plan.steps < FAR)[node]
    anything = jnp.asarray(plan.at("POD")[plan.goal_stations])
    return jnp.where((goals & reachable).any(), goals, anything)
