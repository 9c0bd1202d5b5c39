"""What is trained and judged: kitchens, populations of partners, starts, seeds, and for how long."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coplay.game import Game
from coplay.games import make
from coplay.train.settings import TrainError
from coplay.worlds.overcooked.bots.theory_of_mind.parameters import training_sets, validation_sets

LAYOUTS = ("bottleneck", "large_room", "centre_objects", "centre_pots")  # the paper's
STARTS = ("ordinary", "diverse")
WHOLE = "whole.json"  # is written when a run is done: who its learners are


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much of everything. The paper's: 5 seeds, 50 rollouts, until nothing is gained for 5 million turns."""

    seeds: int = 3
    turns: float = 1e7
    recorded: int = 90  # games of a kitchen: one half to learn from, the other for the clones that judge
    clones: int = 20
    held_out: int = 10  # clones that judge
    epochs: int = 60  # of cloning
    matches: int = 4  # games of every pair of clones, in each seat, to find the best of them
    drawn: tuple[int, ...] = (20, 200)  # sizes of the populations that are drawn at random
    rollouts: int = 50  # from every start of a unit test
    each: int = 20  # whole games with every partner that validates, in each seat
    learn: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # settings of every learner


# 600 games and 80 turns are the paper's 48,000 turns of an update; its convolutions: --set encoder=cnn. Self-play is
# annealed away in the first part of the run, as there.
LEARNER: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    games=600,
    turns=80,
    stretch=40,
    minibatches=15,
    epochs=4,
    cell="gru",
    layers=2,
    filters=25,
    embed=64,
    hidden=64,
    actor=64,
    critic=64,
    learning_rate=1e-3,
    anneal=True,
    entropy=0.1,
    entropy_left=0.1,
    discount=0.99,
    trace=0.98,
    gradient_norm=0.5,
    begin=0.1,
    end=0.4,
)
SMALL = {"games": 8, "turns": 40, "minibatches": 2, "epochs": 1, "layers": 1, "bundle": 1}
SMALL |= dict.fromkeys(("embed", "hidden", "actor", "critic"), 8)
QUICK = Scale(
    seeds=1, turns=640, recorded=20, clones=2, held_out=2, epochs=1, matches=1, drawn=(2, 4), rollouts=1, each=1,
    learn=SMALL,
)  # fmt: skip


class Population(NamedTuple):
    """Whom a learner meets; how many of each kind."""

    name: str
    clones: int = 0
    chosen: int = 0  # Theory-of-Mind agents: one is the fitted one, more are of the manual population
    drawn: int = 0  # Theory-of-Mind agents at random

    def partners(self, place: Place) -> list[str]:
        """Their specs."""
        clones = [place.clone(number) for number in ([place.best()] if self.clones == 1 else range(self.clones))]
        sets = ["fitted"] if self.chosen == 1 else _spread(training_sets(), self.chosen)
        sets += [f"random-{number}" for number in range(self.drawn)]
        return clones + [theory_of_mind(name) for name in sets]


def populations(scale: Scale) -> list[Population]:
    """Of the scale's sizes; learners with clones alone first, so that neighbours meet partners of one kind."""
    many = scale.clones
    return [
        Population("1 BC", clones=1),
        Population(f"{many} BC", clones=many),
        Population(f"{many // 2} BC + {many // 2} ToM", clones=many // 2, chosen=many // 2),
        Population("1 ToM", chosen=1),
        Population(f"{many} ToM", chosen=many),
        *(Population(f"{size} random ToM", drawn=size) for size in scale.drawn),
    ]


def theory_of_mind(params: str) -> str:
    return f"theory-of-mind?params={params}"


def validators(place: Place, scale: Scale) -> list[str]:
    """The suite: Theory-of-Mind agents that were kept for it, and clones of games that no partner was made from."""
    return [theory_of_mind(name) for name in validation_sets()] + [
        place.held_out_clone(number) for number in range(scale.held_out)
    ]


def _spread(sets: Sequence[str], count: int) -> list[str]:
    """So many of them, evenly, so that a few differ as all of them do."""
    return [sets[number * len(sets) // count] for number in range(count)]


class Place(NamedTuple):
    """A kitchen and where its things are kept."""

    root: Path
    layout: str

    @property
    def game(self) -> Game:
        return make("overcooked", layout=self.layout)

    @property
    def prepared(self) -> Path:
        return self.root / "prepared" / self.layout

    @property
    def games(self) -> Path:
        return self.prepared / "games.safetensors"

    @property
    def held_out_games(self) -> Path:
        return self.prepared / "held-out.safetensors"

    @property
    def choice(self) -> Path:
        """Says which clone is the best, and whose games these are."""
        return self.prepared / "choice.json"

    def clone(self, number: int) -> str:
        return f"unstuck:run:{self.prepared}/clones/agent-{number}.safetensors"

    def held_out_clone(self, number: int) -> str:
        return f"unstuck:run:{self.prepared}/held-out-clones/agent-{number}.safetensors"

    def best(self) -> int:
        """The number of the clone that scores most with the others."""
        return self._chosen()["best"]

    def whose(self) -> str:
        """Whose games were recorded: people's, or a surrogate's."""
        return self._chosen()["games"]

    def _chosen(self) -> dict[str, Any]:
        if not self.choice.is_file():
            raise TrainError(f"{self.choice} is missing; make the clones first: coplay study robustness prepare.")
        return json.loads(self.choice.read_text(encoding="utf-8"))


class Job(NamedTuple):
    """Learners of every population and seed in one kitchen with one kind of starts: one program."""

    place: Place
    starts: str

    @property
    def folder(self) -> Path:
        return self.place.root / "trained" / self.place.layout / self.starts

    @property
    def is_whole(self) -> bool:
        return (self.folder / WHOLE).is_file()

    @property
    def judged(self) -> Path:
        return self.place.root / "judged" / self.place.layout / self.starts


def jobs(root: Path, layouts: Sequence[str], starts: Sequence[str] | None = None) -> Iterator[Job]:
    """The plan, kitchen by kitchen."""
    unknown = set(starts or ()) - set(STARTS)
    if unknown:
        raise TrainError(f"--starts {unknown.pop()}: choose one of {', '.join(STARTS)}.")
    for layout in layouts:
        yield from (Job(Place(root, layout), one) for one in starts or STARTS)
