"""What one chef sees: the whole kitchen, with oneself first.

Raw fields are the compact words of the rules; the properties give them as the plain arrays a bot or a page wants.
Chefs in a view are relative: 0 is the viewer, 1 the next seat, and so on.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import brief
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import word
from coplay.worlds.overcooked.rules import Chef, Pot, State

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

Array = jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class View:
    """Everything there is to know, from one seat."""

    game: Overcooked = dataclasses.field(metadata={"static": True})
    seat: Array  # int32: the viewer's absolute seat
    time: Array  # int32: steps played
    score: Array  # int32: points so far
    chef_words: tuple[Array, ...]  # uint32, own first
    pot_words: tuple[Array, ...]  # uint32
    lying_words: tuple[Array, ...]  # uint32

    @property
    def positions(self) -> Array:
        """int32 [players, 2]: (x, y) of each chef."""
        cells = self._chefs.cell.astype(jnp.int32)
        height = self.game.kitchen.height
        return jnp.stack([cells // height, cells % height], axis=-1)

    @property
    def facings(self) -> Array:
        """int32 [players]: 0 north, 1 south, 2 east, 3 west."""
        return self._chefs.facing.astype(jnp.int32)

    @property
    def held(self) -> Array:
        """int32 [players]: 0 nothing, 1 onion, 2 dish, 3 soup, 4 tomato."""
        return recorded(self._chefs.item)

    @property
    def held_soups(self) -> Array:
        """int32 [players, 2]: (onions, tomatoes) of held soups, else 0."""
        return ingredients(self._chefs.item)

    @property
    def lying(self) -> Array:
        """int32 [height, width]: what lies on counters, coded as in `held`."""
        return recorded(self._lying)

    @property
    def lying_soups(self) -> Array:
        """int32 [height, width, 2]: (onions, tomatoes) of soups on counters, else 0."""
        return ingredients(self._lying)

    @property
    def pot_contents(self) -> Array:
        """int32 [pots, 2]: (onions, tomatoes) in each pot; pots row by row from the top."""
        return ingredients(self._pots.contents)

    @property
    def pot_ticks(self) -> Array:
        """int32 [pots]: steps cooked so far; -1 while not cooking."""
        return self._pots.clock.astype(jnp.int32) - 1

    @property
    def pot_remaining(self) -> Array:
        """int32 [pots]: steps until ready, 0 when ready; -1 while not cooking."""
        times = items.lookup(self._pots.contents, self.game.kitchen.orders.times)
        return jnp.where(self.pot_ticks < 0, -1, times - self.pot_ticks)

    @property
    def legal(self) -> Array:
        """bool [num_actions]: what the viewer may do now."""
        return self.game.legal(self)

    @property
    def vector(self) -> Array:
        """The encoded observation, what a network reads."""
        return self.game.encode(self)

    def text(self) -> str:
        """The view in words, for people and language models."""
        from coplay.worlds.overcooked.people.words import view_text

        return view_text(self)

    def __repr__(self) -> str:
        return f"<what seat {brief(self.seat)} knows of a kitchen; .text() tells it>"

    def _repr_svg_(self) -> str:
        from coplay.worlds.overcooked.people.draw import view_svg

        return view_svg(self)

    @property
    def _chefs(self) -> Chef:
        return Chef.of(jnp.stack(self.chef_words))

    @property
    def _pots(self) -> Pot:
        return Pot.of(jnp.stack(self.pot_words))

    @property
    def _lying(self) -> Array:
        kitchen = self.game.kitchen
        return items.spread(self.lying_words, kitchen.num_cells).reshape(kitchen.width, kitchen.height).T


def view(game: Overcooked, state: State, seat: Array | int) -> View:
    """The state as `seat` sees it."""
    return View(
        game=game,
        seat=jnp.asarray(seat, jnp.int32),
        time=state.time,
        score=state.score,
        chef_words=tuple(_pick(state.chefs, seat, offset) for offset in range(game.players)),
        pot_words=state.pots,
        lying_words=state.lying,
    )


def recorded(code: Array) -> Array:
    """int32: item codes in the coding of recordings."""
    return items.lookup(code, [items.RECORDED.get(c, 0) for c in range(items.CODES)])


def ingredients(code: Array) -> Array:
    """int32 [..., 2]: (onions, tomatoes) of a soup or a pot's contents, else 0."""
    soup = jnp.where(items.is_soup(code), code, word(0)).astype(jnp.int32)
    return jnp.stack([soup % 4, soup // 4], axis=-1)


def _pick(words: tuple[Array, ...], seat: Array | int, offset: int) -> Array:
    """The word of the seat `offset` places after `seat`."""
    count = len(words)
    if isinstance(seat, int | np.integer):
        return words[(int(seat) + offset) % count]
    chosen = words[offset]
    for first in range(1, count):
        chosen = jnp.where(seat == first, words[(first + offset) % count], chosen)
    return chosen
