"""Walking without getting in each other's way, as tables made once per layout.

A chef who does not move is walked round. For one who does there are joint plans. The original Theory-of-Mind agent
searches the joint positions of both chefs; here one of the two walks its shortest path to its goal and waits there, and
the other plans around it in space and time for the next few steps: it may not stand where the first one steps, nor
exchange cells with it. Beyond that horizon its way goes on as if alone.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from coplay.worlds.overcooked.bots.distances import FAR, FloorPlan, floor_plan, walk
from coplay.worlds.overcooked.kitchen.layouts import Layout

HORIZON = 10  # steps that are foreseen
INTERACTING = 2  # steps that a chef is left alone at its goal
BLOCKED = 127  # no way within reach of an int8
MAX_ENTRIES = 16_000_000  # larger kitchens do without joint plans


@cache
def next_poses(kitchen: Layout) -> np.ndarray:
    """int32 [nodes, goals]: the pose after the first action of a shortest path, the same one at the goal."""
    plan = floor_plan(kitchen)
    following = plan.ahead * 4 + np.arange(4)  # [floor, 4]
    best = plan.steps[following].argmin(1)  # [floor, goals]
    moves = np.repeat(np.take_along_axis(following, best, axis=1), 4, axis=0)
    still = np.arange(len(plan.steps))[:, None]
    return np.where((plan.steps == 0) | (plan.steps >= FAR), still, moves).astype(np.int32)


@cache
def walking_round(kitchen: Layout) -> np.ndarray:
    """int16 [floor, nodes, goals]: actions to each goal while somebody stands on the first cell and never moves."""
    plan = floor_plan(kitchen)
    cells = np.arange(len(plan.cells))
    tables = []
    for blocked in cells:
        ahead = np.where(plan.ahead == blocked, cells[:, None], plan.ahead)
        tables.append(walk(ahead, plan.goal_nodes, plan.goal_nodes // 4 != blocked))
    return np.asarray(tables, np.int16)


@cache
def giving_way(kitchen: Layout) -> np.ndarray | None:
    """int8 [floor, goals, nodes, goals]: actions from a node to a goal while giving way to another chef.

    The first two say where that chef stands and which goal it walks to. A goal counts as reached only if the other does
    not come to that cell while the interact is done. BLOCKED if there is no way.
    """
    plan = floor_plan(kitchen)
    floor, goals = len(plan.cells), len(plan.goal_nodes)
    if floor * goals * floor * 4 * goals > MAX_ENTRIES:
        return None
    return np.stack([_giving_way_to(plan, ways) for ways in _foreseen(kitchen)])


def _foreseen(kitchen: Layout) -> np.ndarray:
    """int32 [floor, goals, steps]: the cells of a shortest path, from now until an interact after the horizon."""
    plan, onward = floor_plan(kitchen), next_poses(kitchen)
    floor, goals = len(plan.cells), np.arange(len(plan.goal_nodes))
    # which way a chef faces at first does not change the cells of its path
    poses = np.repeat(np.arange(floor)[:, None] * 4, len(goals), axis=1)
    ways = []
    for _ in range(HORIZON + INTERACTING + 1):
        ways.append(poses // 4)
        poses = onward[poses, goals]
    return np.stack(ways, axis=-1)


def _giving_way_to(plan: FloorPlan, ways: np.ndarray) -> np.ndarray:
    """int8 [their goals, nodes, goals] from their ways, int32 [their goals, steps]: from the horizon back to now."""
    floor, goals = len(plan.cells), len(plan.goal_nodes)
    cells = np.arange(floor)
    solo = np.minimum(plan.steps, BLOCKED).astype(np.int16).reshape(floor, 4, goals)
    there = cells == ways[:, :, None]  # [their goals, steps, floor]
    costs = np.where(there[:, HORIZON, :, None, None], BLOCKED, solo)  # [their goals, floor, 4, goals]
    for step in reversed(range(HORIZON)):
        swaps = there[:, step][:, plan.ahead] & there[:, step + 1][:, :, None]  # [their goals, floor, 4]
        stepping = np.where(swaps[..., None], BLOCKED, costs[:, plan.ahead, np.arange(4)])
        later = np.minimum(stepping.min(2, keepdims=True), costs) + 1
        clear = ~there[:, step : step + INTERACTING + 1].any(1)
        now = np.where((solo == 0) & clear[..., None, None], 0, later)
        costs = np.minimum(np.where(there[:, step, :, None, None], BLOCKED, now), BLOCKED).astype(np.int16)
    return costs.reshape(-1, floor * 4, goals).astype(np.int8)
