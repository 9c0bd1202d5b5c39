"""What one seat may know: the only door out of a Hanabi state.

Seats in a view are relative: 0 is the viewer, 1 the next player, and so on. Slots run from the oldest card (0) to the
newest. Raw fields are compact words; the properties give them as the plain arrays a bot or a page wants.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import brief
from coplay.worlds.hanabi import cards
from coplay.worlds.hanabi.bits import expand
from coplay.worlds.hanabi.rules import LastMove, State, decode, playable

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class View:
    """All that a seat sees; `hand_words[0]` are the viewer's own cards with their identities hidden."""

    game: Hanabi = dataclasses.field(metadata={"static": True})
    seat: Array  # int32: the viewer's absolute seat
    hand_words: tuple[tuple[Array, ...], ...]  # uint32 card words (cards.py) [player][slot]
    played: Array  # uint32: set of identities on the stacks
    discard_words: tuple[Array, ...]  # uint32 per colour: copy bits, those of a dark colour as if there were more
    info: Array  # int32: hint tokens
    lives: Array  # int32
    deck_size: Array  # int32
    to_move: Array  # int32: relative seat to move
    turns_left: Array  # int32: moves left once the deck is empty
    done: Array  # bool
    last: LastMove  # actor is relative to the viewer

    @property
    def cards(self) -> Array:
        """int32 [players, hand_size]: colour * ranks + rank; -1 for an empty slot and for the viewer's own cards."""
        words = self._words
        known = (words != 0) & (cards.identity(words) != cards.HIDDEN)
        return jnp.where(known, cards.identity(words).astype(jnp.int32), -1)

    @property
    def held(self) -> Array:
        """bool [players, hand_size]: is there a card in the slot?"""
        return self._words != 0

    @property
    def possible(self) -> Array:
        """bool [players, hand_size, colors, ranks]: identities the hints leave open; all False for an empty slot."""
        shape = (self.game.players, self.game.hand_size, self.game.colors, self.game.ranks)
        return expand(cards.possible(self.game, self._words), self.game.num_identities).astype(bool).reshape(shape)

    @property
    def color_told(self) -> Array:
        """bool [players, hand_size]: did a hint name this card's colour?"""
        return (self._words & cards.COLOR_TOLD) != 0

    @property
    def rank_told(self) -> Array:
        """bool [players, hand_size]: did a hint name this card's rank?"""
        return (self._words & cards.RANK_TOLD) != 0

    @property
    def fireworks(self) -> Array:
        """int32 [colors]: height of each stack."""
        ranks = self.game.ranks
        column = np.uint32((1 << ranks) - 1)
        stacks = [(self.played >> np.uint32(c * ranks)) & column for c in range(self.game.colors)]
        return jax.lax.population_count(jnp.stack(stacks)).astype(jnp.int32)

    @property
    def discards(self) -> Array:
        """int32 [colors, ranks]: copies of each card in the discard pile."""
        piles = jnp.stack(self.discard_words)[:, None] & np.asarray(self.game.copy_masks, np.uint32)
        return jax.lax.population_count(piles).astype(jnp.int32)

    @property
    def playable(self) -> Array:
        """bool [colors, ranks]: the cards that would score now."""
        words = playable(self.game, self.played)
        return expand(words, self.game.num_identities).astype(bool).reshape(self.game.colors, self.game.ranks)

    @property
    def score(self) -> Array:
        """int32: the score if the game ended now."""
        from coplay.worlds.hanabi.rules import score

        return score(self.game, self.played, self.lives)

    @property
    def last_move(self) -> dict[str, Array]:
        """The latest move by name: kind (0 none, 1 play, 2 discard, 3 colour hint, 4 rank hint), actor and target
        (relative to the viewer), slot, value (hinted colour or rank), touched bool [hand_size], card, scored, token.
        Fields that do not apply are -1 (touched: all False)."""
        move = decode(self.game, self.last.action)
        hint = move.color_hint | move.rank_hint
        uses_card = move.play | move.discard
        kind = move.play * 1 + move.discard * 2 + move.color_hint * 3 + move.rank_hint * 4
        any_move = self.last.action >= 0
        return {
            "kind": kind.astype(jnp.int32),
            "actor": jnp.where(any_move, self.last.actor, -1),
            "target": jnp.where(hint, (self.last.actor + move.offset) % self.game.players, -1),
            "slot": jnp.where(uses_card, move.slot, -1),
            "value": jnp.where(hint, move.value, -1),
            "touched": expand(self.last.touched, self.game.hand_size).astype(bool),
            "card": jnp.where(uses_card, self.last.card.astype(jnp.int32), -1),
            "scored": self.last.scored,
            "token": self.last.token,
        }

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
        from coplay.worlds.hanabi.people.words import view_text

        return view_text(self)

    def __repr__(self) -> str:
        return f"<what seat {brief(self.seat)} knows of a game of Hanabi; .text() tells it>"

    def _repr_svg_(self) -> str:
        from coplay.worlds.hanabi.people.draw import table_svg

        return table_svg(self)

    @property
    def _words(self) -> Array:
        return jnp.stack([jnp.stack(hand) for hand in self.hand_words])


def view(game: Hanabi, state: State, seat: Array | int) -> View:
    """The state as `seat` may know it."""
    players = game.players

    def relative(other: Array) -> Array:
        offset = other - seat
        return jnp.where(offset < 0, offset + players, offset)

    def absolute(offset: int) -> Array | int:
        if isinstance(seat, int):
            return (seat + offset) % players
        return jnp.where(seat + offset >= players, seat + offset - players, seat + offset)

    own = tuple(cards.hide(card) for card in cards.pick_hand(state.hands, seat))
    others = tuple(cards.pick_hand(state.hands, absolute(offset)) for offset in range(1, players))
    return View(
        game=game,
        seat=jnp.asarray(seat, jnp.int32),
        hand_words=(own, *others),
        played=state.played,
        discard_words=state.discards,
        info=state.info,
        lives=state.lives,
        deck_size=game.num_cards - state.drawn,
        to_move=relative(state.seat),
        turns_left=state.turns_left,
        done=state.done,
        last=state.last._replace(actor=relative(state.last.actor)),
    )
