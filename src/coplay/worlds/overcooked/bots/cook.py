"""The scripted cooks: what to do next in an onion kitchen. Each kind of cook has a file that names its jobs.

A cook with something in its hands takes it where it is used. With empty hands it takes the first job there is: a soup
that lies about, a dish if a soup is nearly done, an onion if a pot needs one, a dish for later. What others hold is
counted, so that two cooks do not fetch two dishes for one soup. Something without a use is put down when there is a job
that needs free hands. A cook without a job waits, and steps aside when somebody comes next to it.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.worlds.overcooked import Overcooked, View
from coplay.worlds.overcooked.bots.distances import FAR, FloorPlan, floor_plan
from coplay.worlds.overcooked.bots.scene import Scene, look, onion_kitchen, pots_as_stations, uniforms
from coplay.worlds.overcooked.bots.walking import Walk, Ways, begin, find_ways, go
from coplay.worlds.overcooked.kitchen import items as it
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, word

Array = jax.Array


class Reach(NamedTuple):
    """Who can come to face what; bool [stations]."""

    mine: Array
    others: Array  # some chef who cannot walk to me
    shared: Array  # counters where things can be handed over


class Jobs(NamedTuple):
    """Where to go for each job with empty hands; bool [stations], all False if the job is not there."""

    soup: Array
    start: Array  # new dynamics: a full pot that somebody must light
    dish: Array
    onion: Array
    urgent: Array  # bool: the dish before the onion


class Cook(eqx.Module):
    """A cook with some of the kitchen's jobs."""

    game: Overcooked = eqx.field(static=True)
    name: str = eqx.field(static=True)
    onions: bool = eqx.field(static=True, default=True)  # fills pots
    soups: bool = eqx.field(static=True, default=True)  # plates and serves
    hands_over: bool = eqx.field(static=True, default=False)  # works with chefs behind a counter
    hears = "own"

    def __check_init__(self) -> None:
        onion_kitchen(self.name, self.game)

    def start(self) -> Walk:
        return begin()

    def act(self, memory: Walk, view: View, key: Array) -> tuple[Walk, Array]:
        plan = floor_plan(self.game.kitchen)
        scene = look(view)
        chance = uniforms(key, 4)
        ways = find_ways(plan, scene, memory, chance[:2])
        wanted = self._wanted(plan, scene, ways)
        return go(plan, scene, ways, wanted, chance[2:])

    def _wanted(self, plan: FloorPlan, scene: Scene, ways: Ways) -> Array:
        """bool [stations]: what to interact with next."""
        reach = self._reach(plan, scene, ways)
        jobs = self._jobs(plan, scene, ways, reach)
        hand = scene.hands[0]
        empty = jnp.asarray(plan.at("X")) & (scene.lying == word(NOTHING)) & reach.mine
        private = first(empty & ~reach.shared, empty)
        drop_onion = empty & reach.shared & (self._onions_awaited(plan, scene, reach) > 0)
        drop_dish = empty & reach.shared & self._dish_awaited(plan, scene, reach)
        other_than_onion = (jobs.soup | jobs.start | jobs.dish).any()
        other_than_dish = (jobs.soup | jobs.start | jobs.onion).any()
        takes = pots_as_stations(plan, _has_room(scene)) & reach.mine & self.onions
        hot = pots_as_stations(plan, scene.left >= 0) & reach.mine & self.soups
        with_onion = first(takes, drop_onion, private & other_than_onion)
        with_dish = first(hot, drop_dish, private & other_than_dish)
        with_soup = first(jnp.asarray(plan.at("S")) & reach.mine, empty & reach.shared)
        dish_first = jobs.urgent | ~jobs.onion.any()
        with_nothing = first(jobs.soup, jobs.start, jobs.dish & dish_first, jobs.onion)
        chosen = jnp.where(hand == word(NOTHING), with_nothing, private)  # strange things are put away
        for kind, where in ((hand == word(ONION), with_onion), (hand == word(DISH), with_dish)):
            chosen = jnp.where(kind, where, chosen)
        return jnp.where(it.is_soup(hand), with_soup, chosen)

    def _reach(self, plan: FloorPlan, scene: Scene, ways: Ways) -> Reach:
        """What I can get to now, and what the chefs that I cannot walk to can get to at all."""
        to = jnp.asarray(plan.to_station < FAR)
        mine = ways.reached
        others = jnp.zeros_like(mine)
        for node in scene.nodes[1:] if self.hands_over else ():
            behind = jnp.asarray(plan.apart >= FAR)[scene.nodes[0] // 4, node // 4]
            others = others | (to[node] & behind)
        return Reach(mine, others, jnp.asarray(plan.at("X")) & mine & others)

    def _jobs(self, plan: FloorPlan, scene: Scene, ways: Ways, reach: Reach) -> Jobs:
        none = jnp.zeros_like(reach.mine)
        held = [_count(scene, DISH), _count(scene, ONION)]
        my_pots = reach.mine[: len(scene.missing)]
        serving = jnp.asarray(plan.at("S")) & reach.mine
        soup = it.is_soup(scene.lying) & reach.mine & serving.any() if self.soups else none
        # pots that others are about to fill count as cooking
        soon = (scene.left >= 0) | (scene.missing <= held[1])
        dishes = (jnp.asarray(plan.at("D")) | (scene.lying == word(DISH))) & reach.mine
        plates = ((soon & my_pots).sum() > held[0]) & self.soups
        dish_steps = jnp.where(dishes, ways.cost, FAR).min() + 3
        urgent = ((scene.left >= 0) & (scene.left <= dish_steps) & my_pots).any()
        onions = (jnp.asarray(plan.at("O")) | (scene.lying == word(ONION))) & reach.mine
        fills = (jnp.where(_has_room(scene) & my_pots, scene.missing, 0).sum() > held[1]) & self.onions
        start = none
        if self.game.dynamics == "new":
            start = pots_as_stations(plan, (scene.missing == 0) & (scene.left < 0) & my_pots)
        dish, onion = dishes & plates, onions & fills
        if self.hands_over:
            kept = ~reach.shared  # what lies on a shared counter has been handed over already
            give_dish = self._dish_awaited(plan, scene, reach)
            room = (reach.shared & (scene.lying == word(NOTHING))).sum()
            give_onion = (self._onions_awaited(plan, scene, reach) > 0) & (room >= jnp.minimum(reach.shared.sum(), 2))
            dish = first(dish, dishes & kept & give_dish & (room > 0))
            onion = first(onion, onions & kept & give_onion)
            urgent = urgent | (give_dish & ~plates)
        return Jobs(soup, start, dish, onion, urgent)

    def _dish_awaited(self, plan: FloorPlan, scene: Scene, reach: Reach) -> Array:
        """bool: does a chef behind a counter need a dish for a soup, more than it holds or has been handed?"""
        pots = reach.others[: len(scene.left)]
        lacking = ~(jnp.asarray(plan.at("D")) & reach.others).any()
        handed = ((scene.lying == word(DISH)) & reach.others).sum()
        return lacking & (((scene.left >= 0) & pots).sum() > handed + _count(scene, DISH))

    def _onions_awaited(self, plan: FloorPlan, scene: Scene, reach: Reach) -> Array:
        """int32: onions that pots behind the counter need, more than are held or handed over there."""
        pots = reach.others[: len(scene.left)] & ~reach.mine[: len(scene.left)]
        lacking = ~(jnp.asarray(plan.at("O")) & reach.others).any()
        handed = ((scene.lying == word(ONION)) & reach.others).sum()
        needed = jnp.where(_has_room(scene) & pots, scene.missing, 0).sum()
        return jnp.where(lacking, needed - handed - _count(scene, ONION), 0)


def first(*options: Array) -> Array:
    """The first of some sets of stations that is not empty."""
    chosen = options[-1]
    for option in reversed(options[:-1]):
        chosen = jnp.where(option.any(), option, chosen)
    return chosen


def _has_room(scene: Scene) -> Array:
    """bool [pots]: does it take another ingredient?"""
    return (scene.missing > 0) & (scene.left < 0)


def _count(scene: Scene, item: int) -> Array:
    """int32: how many of the others hold this."""
    return sum((hand == word(item)).astype(jnp.int32) for hand in scene.hands[1:]) + jnp.int32(0)
