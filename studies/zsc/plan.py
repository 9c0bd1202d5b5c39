"""What is trained and judged: layouts, methods, population sizes, seeds, and for how long."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coplay.game import Game
from coplay.games import make

# Layout -> (candidates that are chosen, of each the trained and the half-trained self; seeds of every method).
LAYOUTS: dict[str, tuple[int, int]] = {
    "asymmetric_advantages": (15, 5),
    "coordination_ring": (15, 5),
    "counter_circuit": (10, 5),
    "forced_coordination": (10, 3),
    "bothway_coordination": (10, 3),
    "blocked_corridor": (10, 3),
    "asymmetric_coordination": (15, 3),
}
ENTROPY = "0.2@0,0.05@0.5,0.01@1"  # the paper's Table 2
# What every agent that is judged is made of. ZSC-Eval's scripts anneal the shaped reward over 1e8 turns for all
# methods, which is longer than anybody learns.
LEARNER = {"cell": "gru", "useful": True, "shaping": 1e8}


class Method(NamedTuple):
    """A line of the table."""

    name: str
    recipe: str
    sizes: tuple[int, ...]  # of its population; 0: it has none

    def settings(self, scale: Scale, size: int) -> dict[str, Any]:
        """Of one run: the paper's, in shares of its lengths."""
        given: dict[str, Any] = {**LEARNER, "entropy_path": ENTROPY, "total_turns": self.turns(scale, size)}
        if self.recipe in POPULATION_BASED:
            given |= {"size": size, "population_turns": scale.population}
        if size == 36:
            given |= {"games": 576}  # which 36 partners and 64 minibatches share
        if self.recipe == "cole":
            # Two generations for each place in the cast, and shares of self-play so that all together divide the games.
            given |= {"size": size, "own": 7 * size // 25, "generation": self.turns(scale, size) / (2 * size)}
        if self.recipe == "hsp":
            given |= {"pairs": scale.tastes}
        return given

    def turns(self, scale: Scale, size: int) -> float:
        return scale.alone if size == 0 else scale.agent * EFFORT[size]


POPULATION_BASED = ("fcp", "mep", "trajedi", "hsp")
METHODS = (
    Method("SP", "ippo", (0,)),
    Method("E3T", "e3t", (0,)),
    Method("FCP", "fcp", (12, 24, 36)),
    Method("MEP", "mep", (12, 24, 36)),
    Method("TrajeDi", "trajedi", (12, 24, 36)),
    Method("HSP", "hsp", (12, 24, 36)),
    Method("COLE", "cole", (25, 50, 75)),
)
# How long agents learn with a population of this size, where 1 is the smallest: as in the paper.
EFFORT = {12: 1.0, 24: 1.6, 36: 2.0, 25: 1.0, 50: 2.0, 75: 3.0}


@dataclasses.dataclass(frozen=True)
class Scale:
    """For how long everything learns. The paper's lengths: 1e7, 5e7, 1e7."""

    alone: float = 1e7  # turns of an agent without a population
    agent: float = 2e7  # turns of an agent with the smallest population
    population: float = 1e7  # turns of every member of a population
    tastes: int = 24  # pairs of which HSP takes its partners
    pairs: int = 64  # candidates for the partners that judge
    candidate: float = 1.2e7  # turns for which these learn
    response: float = 1e7  # turns for which best responses learn
    episodes: int = 50  # with every partner, in each seat
    learn: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # settings of every learner, for a try


QUICK = Scale(
    alone=4e4, agent=4e4, population=2e4, tastes=12, pairs=6, candidate=6e4, response=2e4, episodes=4,
    learn={"games": 96, "turns": 64, "minibatches": 4, "hidden": 32, "embed": 32, "actor": 32, "critic": 32},
)  # fmt: skip


class Job(NamedTuple):
    """A run of several seeds of one method in one layout."""

    layout: str
    method: Method
    size: int

    @property
    def game(self) -> Game:
        return make("overcooked", layout=self.layout)

    @property
    def name(self) -> str:
        return f"{self.method.recipe}-{self.size}" if self.size else self.method.recipe

    @property
    def seeds(self) -> int:
        return LAYOUTS[self.layout][1]

    def folder(self, root: Path) -> Path:
        return root / self.layout / self.name


def jobs(layouts: list[str] | None = None, methods: list[str] | None = None, sizes: int = 1) -> Iterator[Job]:
    """The plan; `sizes`: how many population sizes of each method, the smallest first."""
    for layout in layouts or LAYOUTS:
        for method in METHODS:
            if methods is None or method.name in methods:
                yield from (Job(layout, method, size) for size in method.sizes[:sizes])


def partners_folder(root: Path, layout: str) -> Path:
    return root / layout / f"zsc-{layout}"
