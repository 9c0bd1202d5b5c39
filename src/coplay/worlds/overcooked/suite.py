"""The kitchens' suite: reads `suite.toml`, sets the scenes and judges how they end."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache, partial
from importlib import resources
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay.agents.spec import agent
from coplay.measure import MeasureError
from coplay.measure.robustness.excerpt import Starts
from coplay.measure.robustness.unit_test import UnitTest
from coplay.worlds.overcooked import Overcooked, State
from coplay.worlds.overcooked.bots.theory_of_mind.parameters import validation_sets
from coplay.worlds.overcooked.kitchen import items as codes
from coplay.worlds.overcooked.kitchen.layouts import Cell
from coplay.worlds.overcooked.rules import CELL_BITS, FACING_BITS

PARTNER, AGENT = 0, 1  # seats, as in the paper
_CODES = {"nothing": 0, "onion": 1, "dish": 2, "soup": 3}
_FACINGS = 4


class Placement(NamedTuple):
    """A start, facings apart."""

    cells: tuple[Cell, Cell]
    hands: tuple[str, str]
    pots: tuple[str, str]  # what the first holds, and all others
    lying: dict[Cell, str]


@cache
def _data() -> dict[str, Any]:
    text = resources.files("coplay.worlds.overcooked").joinpath("suite.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def paper_layouts() -> list[str]:
    """The four kitchens the paper reports."""
    return list(_data()["paper_layouts"])


def layouts() -> list[str]:
    """The kitchens that the suite has starts for."""
    return list(dict.fromkeys(name for spots in _data()["spots"].values() for name in spots))


def places() -> list[Overcooked]:
    """The paper's kitchens."""
    return [Overcooked(layout=name) for name in paper_layouts()]


def where(game: Overcooked) -> str:
    """How tables call the game."""
    return game.kitchen.name


def validators(game: Overcooked) -> list[str]:
    """The ten Theory-of-Mind agents of the manual population that the paper kept for validation.

    Its other half, ten clones of held-out people, is not published.
    """
    del game
    return [f"theory-of-mind?params={name}" for name in validation_sets()]


def suite(game: Overcooked) -> list[UnitTest]:
    """The tests that exist in this kitchen."""
    name = game.kitchen.name
    if name not in layouts():
        raise MeasureError(f"there are no unit tests for the kitchen {name!r}; choose one of {', '.join(layouts())}.")
    if game.dynamics != "old" or game.players != 2:
        raise MeasureError(
            f"dynamics={game.dynamics!r} with {game.players} chefs: the tests are for two chefs and pots that cook by "
            'themselves. Make the game with dynamics="old" and two chefs.'
        )
    made = [_unit_test(game, test) for test in _data()["test"]]
    return [test for test in made if test is not None]


def _unit_test(game: Overcooked, test: dict[str, Any]) -> UnitTest | None:
    layout = game.kitchen.name
    scenes = [scene for start in test["starts"] for scene in _scenes(game, start)]
    if not scenes:
        return None
    lengths = _data()["steps"][test["steps"]] | test.get("steps_in", {})
    steps = lengths.get(layout, lengths["default"])
    if steps > game.horizon:
        raise MeasureError(f"horizon={game.horizon} is too short: test {test['name']} takes {steps} steps.")
    judge = SUCCESS[test["success"]]
    return UnitTest(
        name=test["name"],
        category=test["category"],
        says=test["says"],
        partner=test["partner"],
        make_partner=partial(agent, test["partner"], game),
        seat=AGENT,
        num_starts=len(scenes),
        prepare=partial(_prepare, game, test["name"], scenes, steps),
        passed=lambda starts, before, after: judge(_look(before), _look(after)),
    )


def _scenes(game: Overcooked, start: dict[str, Any]) -> list[Placement]:
    layout = game.kitchen.name
    partner = start.get("partner_in", {}).get(layout, start["partner"])
    first, _, others = start["pots"].partition(", then ")
    full: dict[Cell, str] = {cell: start["counters"] for cell in game.kitchen.places["X"] if "counters" in start}
    scenes = []
    for spot in _data()["spots"][start["spots"]].get(layout, []):
        chef, tested, *things = spot.split()
        lying = {_cell(thing[1:]): _thing(thing[0]) for thing in things}
        cells = (_cell(chef), _cell(tested))
        scenes.append(Placement(cells, (partner, start["agent"]), (first, others or first), full | lying))
    return scenes


def _cell(digits: str) -> Cell:
    return int(digits[0]), int(digits[1])


def _thing(letter: str) -> str:
    return next(name for name in _CODES if name[0] == letter and name != "nothing")


def _prepare(game: Overcooked, name: str, scenes: list[Placement], steps: int, rollouts: int, seed: int) -> Starts:
    """Every scene `rollouts` times, with facings drawn anew each time."""
    rows = len(scenes) * rollouts
    chance = np.random.default_rng([seed, *name.encode()])
    facings = chance.integers(_FACINGS, size=(rollouts, len(scenes), game.players))  # more rollouts keep the first
    facings = np.swapaxes(facings, 0, 1).reshape(rows, game.players).astype(np.uint32)
    placed = [jax.device_get(_set(game, scene)) for scene in scenes]
    states = jax.tree.map(lambda *leaves: np.repeat(np.stack(leaves), rollouts, 0), *placed)
    chefs = tuple(chef | facings[:, seat] << np.uint32(CELL_BITS) for seat, chef in enumerate(states.chefs))
    return Starts(
        states=states._replace(chefs=chefs),
        turns=np.full(rows, steps, np.int32),
        script=np.zeros((rows, 0), np.int16),
        watched=np.full(rows, -1, np.int32),
    )


def _set(game: Overcooked, scene: Placement) -> State:
    """The start with both chefs facing north, whose number is 0."""
    ready = (codes.POT_SIZE, 0, game.kitchen.orders.time(codes.soup(codes.POT_SIZE, 0)))
    soups = {"two onions": (3, 2, 0, -1), "ready": (3, *ready)}
    objects: dict[Cell, Any] = {
        cell: (3, *ready) if thing == "soup" else _CODES[thing] for cell, thing in scene.lying.items()
    }
    for number, cell in enumerate(game.kitchen.places["P"]):
        contents = scene.pots[min(number, 1)]
        if contents != "empty":
            objects[cell] = soups[contents]
    held = [_CODES[hand] for hand in scene.hands]
    return game.place(scene.cells, held=held, held_soups=[ready] * len(held), objects=objects)


class Sight(NamedTuple):
    """What the judges look at; one row per game."""

    hands: np.ndarray  # [games, chefs]: item codes
    pots: np.ndarray  # [games, pots]: contents and clocks
    lying: np.ndarray  # [games, cells]: item codes on counters

    @property
    def counter_soups(self) -> np.ndarray:
        return np.where(np.isin(self.lying, codes.SOUPS), self.lying, codes.NOTHING)

    def holds_soup(self, seat: int) -> np.ndarray:
        return np.isin(self.hands[:, seat], codes.SOUPS)


def _look(states: State) -> Sight:
    words = np.stack(states.lying, 1)
    shifts = np.arange(0, codes.SLOTS * codes.ITEM_BITS, codes.ITEM_BITS, dtype=np.uint32)
    lying = ((words[:, :, None] >> shifts) & np.uint32(codes.CODES - 1)).reshape(len(words), -1)
    hands = np.stack(states.chefs, 1) >> np.uint32(CELL_BITS + FACING_BITS)
    return Sight(hands, np.stack(states.pots, 1), lying)


def pots_changed(before: Sight, after: Sight) -> np.ndarray:
    """A soup in a pot or on a counter was begun, filled, moved or taken."""
    counters = (before.counter_soups != after.counter_soups).any(1)
    return (before.pots != after.pots).any(1) | counters


def dish_or_soup(before: Sight, after: Sight) -> np.ndarray:
    """The agent holds a dish, or any soup changed or moved."""
    return (after.hands[:, AGENT] == codes.DISH) | pots_changed(before, after)


def thing_taken(before: Sight, after: Sight) -> np.ndarray:
    """Something that lay on a counter is no longer in its place. Who took it does not matter, in the paper as here."""
    return ((before.lying != codes.NOTHING) & (before.lying != after.lying)).any(1)


def soup_taken(before: Sight, after: Sight) -> np.ndarray:
    """A soup was taken from its counter, and not only the one that the partner holds."""
    taken = ((before.counter_soups != codes.NOTHING) & (before.lying != after.lying)).sum(1)
    return taken >= 1 + after.holds_soup(PARTNER)


def hand_changed(before: Sight, after: Sight) -> np.ndarray:
    """The agent no longer holds the kind of thing it began with."""
    return before.hands[:, AGENT] != after.hands[:, AGENT]


def partner_served(before: Sight, after: Sight) -> np.ndarray:
    """The partner got rid of its soup."""
    del before
    return ~after.holds_soup(PARTNER)


SUCCESS: dict[str, Callable[[Sight, Sight], np.ndarray]] = {
    judge.__name__: judge
    for judge in (pots_changed, dish_or_soup, thing_taken, soup_taken, hand_changed, partner_served)
}
