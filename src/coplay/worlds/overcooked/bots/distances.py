"""How far everything is in a kitchen: tables made once per layout with numpy, so that a policy only looks things up.

A chef's pose is a *node*: floor cell times four plus facing. A *station* is a cell that is no floor but can be faced
(counters, dispensers, pots, serving places), and a *goal* is a node that faces a station. Distances count actions:
walking a step is one, turning towards something that cannot be walked on is one, the interact itself is not counted.
"""

from __future__ import annotations

import dataclasses
from functools import cache, cached_property

import numpy as np

from coplay.worlds.overcooked.kitchen.layouts import OFFSETS, Layout

FAR = 10_000  # no way there; sums of a few of them still fit an int32
MAX_DETOURS = 8_000_000  # entries of the table of detours; larger kitchens do without it


@dataclasses.dataclass(frozen=True)
class FloorPlan:
    """The tables of one layout; all arrays are constants for the compiler."""

    floor: np.ndarray  # int32 [cells]: number of a floor cell among the floor cells, 0 for the others
    cells: np.ndarray  # int32 [floor]: its cell number
    ahead: np.ndarray  # int32 [floor, 4]: the next floor cell in a direction, or the same one where no floor follows
    stations: np.ndarray  # int32 [stations]: cell numbers
    letters: str  # terrain of each station
    goal_nodes: np.ndarray  # int32 [goals]
    goal_stations: np.ndarray  # int32 [goals]
    faced: np.ndarray  # int32 [nodes]: the station in front, -1 for floor
    steps: np.ndarray  # int32 [nodes, goals]

    def at(self, letters: str) -> np.ndarray:
        """bool [stations]: is it one of these kinds?"""
        return np.asarray([letter in letters for letter in self.letters], bool)

    def numbers(self, cells: tuple[int, ...]) -> np.ndarray:
        """int32: the stations on these cells."""
        return np.asarray([list(self.stations).index(cell) for cell in cells], np.int32)

    def nearest(self, values: np.ndarray) -> np.ndarray:
        """[..., goals] -> [..., stations]: the smallest over the goals of each station, FAR if it has none."""
        masks = self.goal_stations[:, None] == np.arange(len(self.stations))
        columns = [values[..., mask].min(-1, initial=FAR) for mask in masks.T]
        return np.stack(columns, axis=-1)

    @cached_property
    def to_station(self) -> np.ndarray:
        """int32 [nodes, stations]: actions until the station is faced."""
        return self.nearest(self.steps)

    @cached_property
    def after(self) -> np.ndarray:
        """int32 [floor, 4, stations]: actions until the station is faced, after an action in each direction."""
        return self.to_station[self.ahead * 4 + np.arange(4)]

    @cached_property
    def detours(self) -> np.ndarray | None:
        """int16 [floor, floor, 4, stations]: `after` while somebody stands on the first cell and never moves."""
        floor, goals = len(self.cells), len(self.goal_nodes)
        if floor * floor * 4 * goals > MAX_DETOURS:
            return None
        tables = []
        for blocked in range(floor):
            ahead = np.where(self.ahead == blocked, np.arange(floor)[:, None], self.ahead)
            goals_open = self.goal_nodes // 4 != blocked
            steps = self.nearest(walk(ahead, self.goal_nodes, goals_open))
            tables.append(steps[ahead * 4 + np.arange(4)])
        return np.asarray(tables, np.int16)

    @cached_property
    def apart(self) -> np.ndarray:
        """int32 [floor, floor]: steps between two cells."""
        table = np.where(np.eye(len(self.cells), dtype=bool), 0, FAR)
        while True:
            closer = np.minimum(table, table[self.ahead].min(1) + 1)
            if (closer == table).all():
                return table.astype(np.int32)
            table = closer


@cache
def floor_plan(kitchen: Layout) -> FloorPlan:
    """The tables of a kitchen."""
    floor_cells = kitchen.places[" "]
    number = {cell: index for index, cell in enumerate(floor_cells)}
    facing = [[(x + dx, y + dy) for dx, dy in OFFSETS] for x, y in floor_cells]
    touched = {cell for around in facing for cell in around if cell not in number}
    cells = [cell for letter in "PODSTX" for cell in kitchen.places[letter] if cell in touched or letter == "P"]
    station = {cell: index for index, cell in enumerate(cells)}
    floor = np.zeros(kitchen.num_cells, np.int32)
    for cell, index in number.items():
        floor[kitchen.index(cell)] = index
    ahead = np.asarray([[number.get(c, i) for c in around] for i, around in enumerate(facing)], np.int32)
    faced = np.asarray([station.get(c, -1) for around in facing for c in around], np.int32)
    goal_nodes = np.flatnonzero(faced >= 0).astype(np.int32)
    return FloorPlan(
        floor=floor,
        cells=np.asarray([kitchen.index(cell) for cell in floor_cells], np.int32),
        ahead=ahead,
        stations=np.asarray([kitchen.index(cell) for cell in cells], np.int32),
        letters="".join(kitchen.letter(cell) for cell in cells),
        goal_nodes=goal_nodes,
        goal_stations=faced[goal_nodes],
        faced=faced,
        steps=walk(ahead, goal_nodes, np.ones(len(goal_nodes), bool)),
    )


def walk(ahead: np.ndarray, goal_nodes: np.ndarray, open_goals: np.ndarray) -> np.ndarray:
    """int32 [nodes, goals]: actions to each goal by breadth-first search from all goals at once."""
    floor, goals = len(ahead), len(goal_nodes)
    steps = np.full((floor * 4, goals), FAR, np.int32)
    steps[goal_nodes[open_goals], np.flatnonzero(open_goals)] = 0
    while True:
        # where an action leads depends on the cell and the direction, not on the facing before
        onward = steps[ahead * 4 + np.arange(4)].min(axis=1) + 1
        closer = np.minimum(steps, np.repeat(onward, 4, axis=0))
        if (closer == steps).all():
            return steps
        steps = closer
