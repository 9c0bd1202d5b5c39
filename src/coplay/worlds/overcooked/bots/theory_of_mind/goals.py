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

from coplay.worlds.overcooked.bots.distances import FAR
from coplay.worlds.overcooked.bots.errands import (
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
from coplay.worlds.overcooked.bots.scene import Scene, least
from coplay.worlds.overcooked.bots.theory_of_mind.parameters import MAX_LOOK_AHEAD, Number
from coplay.worlds.overcooked.kitchen import items as it
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, POT_SIZE, word
from coplay.worlds.overcooked.kitchen.layouts import Layout

Array = jax.Array

CHARGED_SOUPS = 3
LEVELS = np.arange(MAX_LOOK_AHEAD)


class Tasks(NamedTuple):
    """Levels of equally urgent tasks, most urgent first. A level is of one kind; only the first can be FETCH."""

    kind: Array  # int32 [levels]: FETCH, DELIVER or FILL
    soups: Array  # bool [stations]: tasks of kind FETCH
    pots: Array  # bool [levels, pots]: the other tasks

    @property
    def any(self) -> Array:
        """bool [levels]: is there a task?"""
        return self.pots.any(-1) | (self.soups.any() & (LEVELS == 0))


class Task(NamedTuple):
    """One task of a list."""

    found: Array  # bool
    level: Array  # int32
    kind: Array  # int32
    station: Array  # int32: pots are the first stations


def task_list(scene: Scene, sources: Sources) -> Tasks:
    """The levels, each as if those before were done."""
    stage = jnp.where(scene.left >= 0, POT_SIZE, POT_SIZE - scene.missing)  # onions, full: cooking or ready
    lie = sources.soups.any()
    kinds, chosen = [], []
    for _ in LEVELS:
        cook = (stage == POT_SIZE).any()
        kinds.append(jnp.where(lie, FETCH, jnp.where(cook, DELIVER, FILL)))
        fullest = jnp.where(stage < POT_SIZE, stage, -1).max()
        pots = ~lie & jnp.where(cook, stage == POT_SIZE, stage == fullest)
        chosen.append(pots)
        stage = jnp.where(pots, jnp.where(cook, 0, stage + 1), stage)
        lie = jnp.zeros((), bool)
    return Tasks(jnp.stack(kinds), sources.soups, jnp.stack(chosen))


def cheapest(tasks: Tasks, costs: Costs) -> tuple[Array, Array]:
    """int32 [levels] each: cost and station of the task of a level that is cheapest for a chef with these costs."""
    by_pot = jnp.where(tasks.kind[:, None] == DELIVER, costs.deliver, costs.fill)
    pot, pot_cost = jax.vmap(least)(jnp.where(tasks.pots, by_pot, FAR))
    soup, soup_cost = least(jnp.where(tasks.soups, costs.fetch, FAR))
    fetches = tasks.kind == FETCH
    return jnp.where(fetches, soup_cost, pot_cost), jnp.where(fetches, soup, pot)


def presumed_task(
    tables: Errands, scene: Scene, sources: Sources, tasks: Tasks, costs: Costs, only_first: Array
) -> Task:
    """What the partner seems to be doing, from what it holds or where it faces."""
    node, hand, own_hand = scene.nodes[1], scene.hands[1], scene.hands[0]
    fills, fetches = tasks.kind == FILL, tasks.kind == FETCH
    used = jnp.where(fills, word(ONION), jnp.where(fetches, word(NOTHING), word(DISH)))
    uses = (hand != word(NOTHING)) & (hand == used) & (~only_first | (LEVELS == 0))
    level, unused = least(~uses)
    ahead = jnp.asarray(tables.before)[node]
    source = tables.faces(ahead) & jnp.where(fills[0], sources.onion, sources.dish)
    soups = tasks.soups & ahead
    seen = jnp.where(fetches[0], soups.any(), source.any() & (own_hand != used[0]))
    looks = (hand == word(NOTHING)) & seen
    level = jnp.where(looks, 0, level)
    _, stations = cheapest(tasks._replace(soups=soups), costs)
    return Task((unused == 0) | looks, level, tasks.kind[level], stations[level])


def cross_off(tasks: Tasks, task: Task) -> Tasks:
    """The list without a task."""
    here = task.found & (task.level == LEVELS)
    pots = tasks.pots & ~(here[:, None] & (np.arange(tasks.pots.shape[1]) == task.station))
    return tasks._replace(soups=tasks.soups & ~(here[0] & (np.arange(tasks.soups.shape[0]) == task.station)), pots=pots)


def partner_totals(tables: Errands, scene: Scene, sources: Sources, tasks: Tasks, presumed: Task) -> Array:
    """int32 [levels]: what it costs the partner to do all tasks up to and with each level, one after another."""
    node, hand = scene.nodes[1], scene.hands[1]
    pots = scene.left.shape[0]
    serves = it.is_soup(hand)
    busy = Busy(
        total=jnp.where(serves, jnp.asarray(tables.serve)[node], 0),
        node=jnp.where(serves, jnp.asarray(tables.serve_end)[node], node),
        hand=jnp.where(serves, word(NOTHING), hand),
    )
    # the presumed task, soups on counters, then all pots of each level, as one sequence
    soups, doing, places = tasks.soups, [presumed.found], [presumed.station]
    for _ in range(CHARGED_SOUPS):
        station, absent = least(~soups)
        doing.append(absent == 0)
        places.append(station)
        soups = soups & (np.arange(soups.shape[0]) != station)
    kinds = jnp.concatenate([presumed.kind[None], jnp.full(CHARGED_SOUPS, FETCH), jnp.repeat(tasks.kind, pots)])
    doing = jnp.concatenate([jnp.stack(doing), tasks.pots.reshape(-1)])
    places = jnp.concatenate([jnp.stack(places), np.tile(np.arange(pots), len(LEVELS))])
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
    return totals[CHARGED_SOUPS + pots :: pots]


def choose_task(
    tables: Errands, scene: Scene, sources: Sources, greedy: Array, observes: Array, look_ahead: Number
) -> Task:
    """The task of a chef who holds no soup; `found` is False if everything is left to the partner."""
    tasks = task_list(scene, sources)
    own = all_costs(tables, sources, scene.nodes[0], scene.hands[0])
    others = all_costs(tables, sources, scene.nodes[1], scene.hands[1])
    presumed = presumed_task(tables, scene, sources, tasks, others, only_first=greedy)
    in_list = presumed.level < look_ahead
    presumed = presumed._replace(found=presumed.found & observes & in_list & ~it.is_soup(scene.hands[1]))
    tasks = cross_off(tasks, presumed)
    totals = partner_totals(tables, scene, sources, tasks, presumed)
    costs, stations = cheapest(tasks, own)
    # the greedy choice ends with the first level that is not empty, whatever it costs
    mine = tasks.any & (greedy | ((costs <= totals) & (costs < FAR))) & (look_ahead > LEVELS)
    level, left = least(~mine)
    return Task((left == 0) & (costs[level] < FAR), level, tasks.kind[level], stations[level])


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
