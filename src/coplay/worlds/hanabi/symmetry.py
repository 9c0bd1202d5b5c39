"""Colour symmetry: renaming colours that are alike changes nothing that matters.

Rainbow and dark colours are like no other: they keep their places, which come after all others.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Symmetry
from coplay.worlds.hanabi import cards

if TYPE_CHECKING:
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array


class ColorSymmetries:
    """All permutations of the colours that are alike; number 0 is the identity.

    For a permutation `old`, the relabelled world's colour k is the original's colour `old[k]`.
    """

    def __init__(self, game: Hanabi) -> None:
        self.game = game
        self.alike = sum(not (suit.rainbow or suit.dark) for suit in game.suits)

    def __len__(self) -> int:
        return math.factorial(self.alike)

    def __getitem__(self, index: Array | int) -> Symmetry:
        return self.of(self.permutations[index])

    def sample(self, key: Array) -> Symmetry:
        """A uniformly random relabelling."""
        return self[jax.random.randint(key, (), 0, len(self))]

    @cached_property
    def permutations(self) -> Array:
        """int32 [count, colors]"""
        with jax.ensure_compile_time_eval():
            others = range(self.alike, self.game.colors)
            return jnp.asarray([(*new, *others) for new in itertools.permutations(range(self.alike))], jnp.int32)

    def of(self, old: Array) -> Symmetry:
        """The tables of one permutation, int32 [colors]."""
        return Symmetry(_relabel(old, *self._bit_tables), _relabel(old, *self._action_tables))

    def state(self, old: Array, state: State) -> State:
        """A position as it looks in the relabelled world."""
        game, ranks = self.game, self.game.ranks
        new = jnp.argsort(old)
        identities = (new[:, None] * ranks + jnp.arange(ranks)).reshape(-1)  # original identity -> relabelled one
        column = cards.word((1 << ranks) - 1)

        def relabel_set(members: Array) -> Array:
            parts = [
                ((members >> (old[k] * ranks).astype(jnp.uint32)) & column) << cards.word(k * ranks)
                for k in range(game.colors)
            ]
            return cards.union(parts)

        def relabel_card(card: Array) -> Array:
            told = card & (cards.COLOR_TOLD | cards.RANK_TOLD)
            identity = identities[cards.identity(card)].astype(jnp.uint32) << cards.word(cards.IDENTITY_SHIFT)
            left = cards.open_bits(game, relabel_set(cards.possible(game, card)))
            return jnp.where(card != 0, left | identity | told, card)

        actions = jnp.argsort(self.of(old).actions)  # original action -> relabelled one
        last = state.last
        used = last.action < 2 * game.hand_size
        return state._replace(
            deck=identities[state.deck].astype(jnp.uint8),
            hands=tuple(tuple(relabel_card(card) for card in hand) for hand in state.hands),
            played=relabel_set(state.played),
            discards=tuple(cards.pick(state.discards, old[k]) for k in range(game.colors)),
            last=last._replace(
                action=jnp.where(last.action >= 0, actions[last.action], -1),
                card=jnp.where(used & (last.action >= 0), identities[last.card], 0).astype(jnp.uint32),
            ),
        )

    @cached_property
    def _bit_tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        game = self.game
        p, c, r, h = game.players, game.colors, game.ranks, game.hand_size
        alike = _blocks(1, self.alike, game.copies_per_color)
        parts = {
            "others' cards": _blocks((p - 1) * h, c, r),
            "fireworks": _blocks(1, c, r),
            "discards": alike + _fixed(game.num_cards, len(alike)),
            "last colour": _blocks(1, game.hint_colors, 1),
            "last card": _blocks(1, c, r),
            "card knowledge": _blocks(p * h, c, r, after=[(c, 1), (1, r)]),
        }
        return _join([parts.get(name, _fixed(size)) for name, size in game.observation_sections.items()])

    @cached_property
    def _action_tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        game = self.game
        others = game.players - 1
        return _join([_fixed(2 * game.hand_size), _blocks(others, game.hint_colors, 1), _fixed(others * game.ranks)])


# A table says for each entry: where its block begins, which colour it is about (-1: none), and how wide a colour is;
# its offset inside the colour is what remains.
Table = list[tuple[int, int, int, int]]  # (begin of block, colour or -1, width of a colour, offset inside)


def _fixed(size: int, first: int = 0) -> Table:
    return [(i, -1, 0, 0) for i in range(first, size)]


def _blocks(count: int, colors: int, width: int, after: list[tuple[int, int]] | None = None) -> Table:
    """`count` times: colours x width entries, then the parts of `after`, where (1, n) is about no colour."""
    table: Table = []
    for _ in range(count):
        for part_colors, part_width in [(colors, width), *(after or [])]:
            begin = len(table)
            about_color = part_colors == colors and not (after and part_colors == 1)
            for i in range(part_colors * part_width):
                color, inside = divmod(i, part_width)
                table.append((begin, color, part_width, inside) if about_color else (begin + i, -1, 0, 0))
    return table


def _join(parts: list[Table]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Base index, colour (-1: none) and colour width of every entry; entry = base + colour * width."""
    base, color, width = [], [], []
    start = 0
    for part in parts:
        for begin, c, w, inside in part:
            base.append(start + begin + inside)
            color.append(c)
            width.append(w)
        start += len(part)
    return np.asarray(base, np.int32), np.asarray(color, np.int32), np.asarray(width, np.int32)


def _relabel(old: Array, base: np.ndarray, color: np.ndarray, width: np.ndarray) -> Array:
    """For every entry of the relabelled vector, the index of the original entry it shows."""
    source = jnp.asarray(old, jnp.int32)[np.maximum(color, 0)]
    return jnp.where(color >= 0, base + source * width, base)
