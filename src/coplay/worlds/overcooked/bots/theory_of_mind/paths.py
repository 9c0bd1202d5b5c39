"""The Theory-of-Mind agent's choice of a step towards its goals.

Exact: the cost of a step alone in the kitchen, from the distance tables, and the Boltzmann choice among the steps.
Approximate: the joint plan with the partner. Of the two, one gives way to the other's shortest path (`joint.py`):
the one for whom it costs less, and of equals the later seat, so that two agents who know each other's goals find the
same plan.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from coplay.worlds.overcooked.bots.distances import FAR, FloorPlan
from coplay.worlds.overcooked.bots.errands import Errands, Sources
from coplay.worlds.overcooked.bots.scene import Scene, least, pots_as_stations
from coplay.worlds.overcooked.bots.theory_of_mind.joint import BLOCKED, giving_way, next_poses, walking_round
from coplay.worlds.overcooked.bots.theory_of_mind.parameters import Number
from coplay.worlds.overcooked.kitchen import items as it
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, word
from coplay.worlds.overcooked.rules import INTERACT, STAY

Array = jax.Array

HOPELESS = -1000.0  # exponent of a step from which no goal can be reached


class Steps(NamedTuple):
    """The four directions, then staying."""

    poses: Array  # int32 [5]: where each leads
    free: Array  # bool [5]: can one go there now?


def steps_from(plan: FloorPlan, scene: Scene) -> Steps:
    """What a chef can do next if its partner stands still."""
    here = scene.nodes[0] // 4
    cells = jnp.asarray(plan.ahead)[here]
    free = (cells != here) & (cells != scene.nodes[1] // 4)
    return Steps(jnp.append(cells * 4 + jnp.arange(4), scene.nodes[0]), jnp.append(free, True))


class Aims(NamedTuple):
    """The goals of a chef, and how far they are after each of the five steps."""

    goals: Array  # bool [goals]
    costs: Array  # int32 [5, goals]: actions, alone in the kitchen; FAR for what is no goal
    best: Array  # int32: the nearest goal from here

    @property
    def alone(self) -> Array:
        """int32 [5]: actions to the nearest goal."""
        return self.costs.min(-1)


def choose_step(
    tables: Errands,
    scene: Scene,
    sources: Sources,
    seat: Array,
    goals: Array,
    together: Array,
    around: Array,
    rationality: Number,
    chance: list[Array],
) -> tuple[Array, Array]:
    """(goal, action): a step towards one of the goals (bool [goals]).

    Planned alone, or `together` with the partner, or `around` it as if it were furniture, where there is such a way.
    Takes two random numbers.
    """
    plan = tables.plan
    here, goal_nodes = scene.nodes[0], jnp.asarray(plan.goal_nodes)
    steps = steps_from(plan, scene)
    costs = jnp.where(goals, jnp.asarray(plan.steps)[steps.poses], FAR)
    detours = jnp.asarray(walking_round(tables.kitchen))[scene.nodes[1] // 4, steps.poses].astype(jnp.int32)
    detours = jnp.where(goals, detours, FAR)
    around = around & (detours[STAY] < FAR).any()
    costs = jnp.where(around, detours, costs)
    aims = Aims(goals, costs, nearest(costs[STAY], chance[0]))
    pose = goal_nodes[aims.best]
    at_goal = pose // 4 == here // 4
    joint = joint_costs(tables, scene, sources, seat, steps, aims)
    # who already stands at the goal turns and interacts first
    joint = joint.at[STAY].set(jnp.where(at_goal, aims.alone[STAY], joint[STAY]))
    cost = jnp.where(together & ~around & (steps.free & (joint < FAR)).any(), joint, aims.alone)
    bonus = at_goal & (jnp.arange(5) == STAY)
    weight = jnp.where(cost < FAR, -rationality * (cost - bonus).astype(jnp.float32), HOPELESS)
    step = boltzmann(weight, steps.free, chance[1])
    use = jnp.where(here == pose, INTERACT, pose % 4)
    action = jnp.where(step == STAY, jnp.where(at_goal, use, STAY), step)
    return nearest(costs[step], chance[0]), action.astype(jnp.int32)


def joint_costs(tables: Errands, scene: Scene, sources: Sources, seat: Array, steps: Steps, aims: Aims) -> Array:
    """int32 [5]: actions to the nearest goal after each step of a plan for both; the partner has a goal of its own."""
    table, plan = giving_way(tables.kitchen), tables.plan
    if table is None:
        return aims.alone
    ways = jnp.asarray(table)
    here, there = scene.nodes
    theirs = partner_goal(tables, scene, sources)
    if_i_do = jnp.where(aims.goals, ways[there // 4, theirs, here], BLOCKED).min() - aims.alone[STAY]
    if_they_do = ways[here // 4, aims.best, there, theirs] - jnp.asarray(plan.steps)[there, theirs]
    i_do = (if_i_do < if_they_do) | ((if_i_do == if_they_do) & (seat > 0))
    onward = jnp.asarray(next_poses(tables.kitchen))[there, theirs] // 4
    after = jnp.where(aims.goals, ways[onward, theirs, steps.poses], BLOCKED).min(-1).astype(jnp.int32)
    return jnp.where(i_do, jnp.where(after == BLOCKED, FAR, after), aims.alone)


def partner_goal(tables: Errands, scene: Scene, sources: Sources) -> Array:
    """int32: the goal of a greedy partner."""
    plan = tables.plan
    node, hand = scene.nodes[1], scene.hands[1]
    hot, room = scene.left >= 0, (scene.left < 0) & (scene.missing > 0)
    free = jnp.where(hot.any(), sources.dish, sources.onion)
    free = jnp.where(sources.soups.any(), tables.faces(sources.soups), free)
    goals = jnp.where(hand == word(NOTHING), free, sources.empty)
    for item, pots in ((ONION, room), (DISH, hot)):
        use = tables.faces(pots_as_stations(plan, pots))
        goals = jnp.where((hand == word(item)) & pots.any(), use, goals)
    goals = jnp.where(it.is_soup(hand), jnp.asarray(plan.at("S")[plan.goal_stations]), goals)
    return least(jnp.where(goals, jnp.asarray(plan.steps)[node], FAR))[0]


def nearest(costs: Array, chance: Array) -> Array:
    """int32: the goal with the smallest of the costs (int32 [goals]), ties by chance."""
    count = costs.shape[0]
    shift = (chance * count).astype(jnp.int32)
    order = (jnp.arange(count) + shift) % count
    smallest = (costs * count + order).min()
    return (smallest % count - shift) % count


def boltzmann(weight: Array, possible: Array, chance: Array) -> Array:
    """int32: an index by the softmax of its weight among the possible ones, from one number in [0, 1)."""
    top = jnp.where(possible, weight, -jnp.inf).max()
    odds = jnp.where(possible, jnp.exp(weight - top), 0)
    left = chance * odds.sum()
    chosen, heap = jnp.int32(weight.shape[0] - 1), jnp.float32(0)
    for index in range(weight.shape[0]):
        chosen = jnp.where((left >= heap) & (left < heap + odds[index]), index, chosen)
        heap = heap + odds[index]
    return chosen
