"""What chefs may prefer: the events and weights of "Quantifying Zero-Shot Coordination Capability with Behavior
Preferring Partners", Table 3."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import jax

from coplay.faces import Wish
from coplay.game import Step
from coplay.worlds.overcooked.events import ZSC_EVAL
from coplay.worlds.overcooked.rules import State
from coplay.worlds.overcooked.settings import Overcooked

# Event -> the weights that it may have besides 0, and how that is said.
WEIGHTS: dict[str, dict[float, str]] = {
    "pickup_onion_from_O": {-20: "avoids onions", 10: "fetches onions"},
    "pickup_dish_from_D": {-20: "avoids dishes", 10: "fetches dishes"},
    "SOUP_PICKUP": {-20: "avoids plating", 5: "plates", 10: "loves plating"},
    "PLACEMENT_IN_POT": {-20: "avoids pots", 3: "fills pots", 10: "loves filling pots"},
    "delivery": {-20: "avoids serving"},
    "STAY": {-0.1: "restless", 0.1: "lazy"},
}
REWARDS = (1.0, 0.1)  # of a soup, in shares of what the game pays
MOST = 3  # weights that are not 0, that of the game's own reward among them


def counting(game: Overcooked) -> Overcooked:
    return dataclasses.replace(game, events="zsc_eval")


def events(game: Overcooked) -> Sequence[str]:
    del game
    return ZSC_EVAL


def count(game: Overcooked, state: State, actions: jax.Array, step: Step) -> jax.Array:
    del game, state, actions
    return step.events.flags


def wishes(game: Overcooked) -> Sequence[Wish]:
    """All combinations, those that concern few events first."""
    del game
    found = []
    for size in range(MOST):
        for names in itertools.combinations(WEIGHTS, size):
            for values in itertools.product(*(WEIGHTS[name] for name in names)):
                found += [_wish(dict(zip(names, values, strict=True)), reward) for reward in REWARDS]
    return found


def _wish(weights: dict[str, float], reward: float) -> Wish:
    words = [WEIGHTS[name][value] for name, value in weights.items()]
    if reward < 1:
        words.append("cares little for soups")
    return Wish(", ".join(words) or "plain", reward, tuple(float(weights.get(name, 0)) for name in ZSC_EVAL))


def described_by(game: Overcooked) -> Sequence[int]:
    """All but movement and what had no effect."""
    del game
    return [number for number, name in enumerate(ZSC_EVAL) if name != "MOVEMENT" and not name.startswith("IDLE")]
