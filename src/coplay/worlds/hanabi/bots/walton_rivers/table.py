"""What the rules look at: every card with its place, what is known of it, and what it may be.

Sets of identities are words (see identity_sets.py). A property costs nothing until a rule asks for it. Own cards are
arrays [hand_size], those of the others [players - 1, hand_size], the next player first; slots run from the oldest card.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi.bits import expand
from coplay.worlds.hanabi.bots import identity_sets as ids
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


@dataclasses.dataclass(frozen=True)
class PlacedView:
    """A view and the places of the cards in it."""

    view: View
    places: Array  # int32 [players, hand_size], see places.py

    @property
    def game(self) -> Hanabi:
        return self.view.game

    @property
    def can_tell(self) -> Array:
        return self.view.info > 0

    @property
    def can_discard(self) -> Array:
        return self.view.info < self.game.info_tokens

    @property
    def seats(self) -> Array:
        """int32 [players - 1]: the absolute seats of the others."""
        return (self.view.seat + np.arange(1, self.game.players)) % self.game.players

    @property
    def columns(self) -> np.ndarray:
        """uint32 [colors]: the cards of each colour."""
        return ids.hint_sets(self.game)[: self.game.colors]

    @property
    def rows(self) -> np.ndarray:
        """uint32 [ranks]: the cards of each rank."""
        return ids.hint_sets(self.game)[self.game.colors :]

    @cached_property
    def words(self) -> Array:
        """uint32 [players, hand_size]: card words."""
        return ids.hand_words(self.view)

    @cached_property
    def held(self) -> Array:
        """bool [hand_size]: own slots with a card."""
        return self.words[0] != 0

    @cached_property
    def told(self) -> Array:
        """uint32 [hand_size]: what the hints leave open for own cards, a product of colours and ranks."""
        return ids.told(self.game, self.words[0])

    @cached_property
    def color_known(self) -> Array:
        """bool [hand_size]: own cards whose colour was told, or whose other colours were all excluded."""
        return _inside_one(self.told, self.columns)

    @cached_property
    def rank_known(self) -> Array:
        """bool [hand_size]: own cards whose rank was told, or whose other ranks were all excluded."""
        return _inside_one(self.told, self.rows)

    @cached_property
    def shown(self) -> Array:
        """uint32 [players - 1, hand_size]: the others' cards as sets of one, empty where there is no card."""
        return ids.visible_cards(self.words[1:])

    @cached_property
    def color_unknown(self) -> Array:
        """bool [players - 1, hand_size]: cards of the others who do not know the colour."""
        return ~_inside_one(ids.told(self.game, self.words[1:]), self.columns)

    @cached_property
    def rank_unknown(self) -> Array:
        """bool [players - 1, hand_size]: cards of the others who do not know the rank."""
        return ~_inside_one(ids.told(self.game, self.words[1:]), self.rows)

    @cached_property
    def playable(self) -> Array:
        """uint32: the cards that would score now."""
        return ids.playable_cards(self.view)

    @cached_property
    def complete(self) -> Array:
        """uint32: all cards of the colours that are finished."""
        return _groups_inside(self.view.played, self.columns)

    @cached_property
    def below_lowest(self) -> Array:
        """uint32: all cards of the ranks that every stack has."""
        return _groups_inside(self.view.played, self.rows)

    @cached_property
    def useless(self) -> Array:
        """uint32: the cards that will never score."""
        return ids.dead_cards(self.view, self._gone)

    @cached_property
    def unreachable(self) -> Array:
        """uint32: the cards that will never score because a card below them, or they themselves, are lost."""
        return self.useless & ~self.view.played

    @cached_property
    def _gone(self) -> Array:
        return ids.gone_copies(self.view)

    @cached_property
    def _candidates(self) -> Array:
        """int32 [hand_size, identities]: the copies out of sight that each own card may be."""
        copies = np.tile(np.asarray(self.game.copies, np.int32), self.game.colors)
        in_hands = ids.count_copies(self.game, self.shown.reshape(-1))
        return expand(self.told, self.game.num_identities) * (copies - self._gone - in_hands)

    def chance(self, members: Array) -> tuple[Array, Array]:
        """int32 [hand_size] twice: of the copies that each own card may be, those in `members`, and all.

        Each card for itself: what is surely in one slot still counts for the others. Hints are true, so whoever the
        partners are, a card may at least be what it is.
        """
        favourable = self._candidates * expand(members, self.game.num_identities)
        return favourable.sum(-1), self._candidates.sum(-1)


def _inside_one(sets: Array, groups: np.ndarray) -> Array:
    """bool: is each set inside one of the groups?"""
    return ((sets[..., None] & ~groups) == 0).any(-1)


def _groups_inside(cards: Array, groups: np.ndarray) -> Array:
    """The union of the groups that are wholly among the cards."""
    return jnp.where((cards & groups) == groups, groups, word(0)).sum(dtype=jnp.uint32)
