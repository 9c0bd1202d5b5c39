"""The lossless layers without what never changes: a short vector.

Most of a kitchen's layers are always 0 (no chef stands on a counter, no onion lies on a pot) or always the same (the
terrain). Left out they cost a network nothing of what it can know, and a third of the numbers is left.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.overcooked import encode
from coplay.worlds.overcooked.kitchen.layouts import OFFSETS, Layout

if TYPE_CHECKING:
    from coplay.worlds.overcooked.view import View

ON_POTS = ("onions in idle pot", "tomatoes in idle pot", "steps until soup is ready")
ANYWHERE = ("onions in soup", "tomatoes in soup", "soup is ready", "dish", "onion", "tomato")
CLOCK = f"fewer than {encode.URGENT} steps are left"


class Choice(NamedTuple):
    """Which entries of the lossless layers are kept, in their order."""

    cells: np.ndarray  # int [entries]
    layers: np.ndarray  # int [entries]


@lru_cache(maxsize=64)
def choice(kitchen: Layout, players: int) -> Choice:
    """The entries that differ between states of this kitchen."""
    names = encode.plan(kitchen, players, "lossless").names
    floor = set(kitchen.indices(" "))
    pots = set(kitchen.indices("P"))
    things = floor | pots | _counters(kitchen)
    kept: list[tuple[int, int]] = []
    for layer, name in enumerate(names):
        if "tomato" in name and not kitchen.places["T"]:
            continue
        if "stands here" in name:
            cells = floor
        elif name in ON_POTS:
            cells = pots
        elif name in ANYWHERE:
            cells = things if "soup" in name else things - pots
        else:
            cells = {0} if name == CLOCK else set()
        kept += [(cell, layer) for cell in cells]
    cells, layers = np.asarray(sorted(kept)).T
    return Choice(cells, layers)


def _counters(kitchen: Layout) -> set[int]:
    """Those on which a chef can lay something: next to floor."""
    near = {(x + dx, y + dy) for x, y in kitchen.places[" "] for dx, dy in OFFSETS}
    return {kitchen.index(cell) for cell in near if kitchen.letter(cell) == "X"}


def minimal(view: View) -> jax.Array:
    """uint8 [entries]: the entries of `lossless` that can change."""
    game = view.game
    layout = encode.plan(game.kitchen, game.players, "lossless")
    kept = choice(game.kitchen, game.players)
    words = jnp.stack(encode.lossless_words(view))
    chosen = words[layout.sources[kept.layers], kept.cells]
    return ((chosen >> layout.shifts[kept.layers]) & layout.masks[kept.layers]).astype(jnp.uint8)


def positions(kitchen: Layout, players: int) -> np.ndarray:
    """int [entries]: where each is in the flattened lossless layers."""
    kept = choice(kitchen, players)
    return kept.cells * len(encode.plan(kitchen, players, "lossless").names) + kept.layers


def everywhere(kitchen: Layout, players: int) -> np.ndarray:
    """bool [entries]: which stand for a layer that says the same of every cell."""
    names = encode.plan(kitchen, players, "lossless").names
    return choice(kitchen, players).layers == names.index(CLOCK)
