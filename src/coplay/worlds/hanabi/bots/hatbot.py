"""HatBot: the five-player "recommendation strategy" of Cox, De Silva, DeOrsey, Kenter, Retter and Tobin (2015),
"How to make the perfect fireworks display: two strategies for Hanabi", as used by Bard et al. (2020).

Every hand has a number 0-7 that all but its owner can see, the best move with it by fixed rules: 0-3 play that slot,
4-7 discard slot number - 4. A hint says the sum of the other four numbers modulo 8 by its target (four choices) and its
kind (two); each receiver subtracts the three numbers he sees and has his own. Which colour or rank is named means
nothing; we name that of the target's oldest card. A recommendation stands until the next hint.

With strangers the numbers are nonsense but never illegal moves: a recommended slot that is empty counts as slot 0.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.player import Hears
from coplay.worlds.hanabi.bots import identity_sets
from coplay.worlds.hanabi.bots.standard_game import require_standard_game
from coplay.worlds.hanabi.rules import decode
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array

MODULUS = 8
NO_ADVICE = -1


class Advice(NamedTuple):
    """What the latest hint told this seat."""

    number: Array  # int32: 0-3 play, 4-7 discard, NO_ADVICE before the first hint and after one's own
    plays: Array  # int32: cards played successfully since


class HatBot(eqx.Module):
    """Cox et al.'s recommendation strategy, five players."""

    game: Hanabi = eqx.field(static=True)
    name: str = eqx.field(static=True, default="hatbot")

    def __check_init__(self) -> None:
        require_standard_game("hatbot", self.game, 5, 5)

    @property
    def hears(self) -> Hears:
        return "every"

    def start(self) -> Advice:
        return Advice(number=jnp.int32(NO_ADVICE), plays=jnp.int32(0))

    def act(self, memory: Advice, view: View, key: Array) -> tuple[Advice, Array]:
        numbers = _numbers(view)
        advice = self._hear(memory, view, numbers)
        return advice, self._move(advice, view, numbers)

    def _hear(self, advice: Advice, view: View, numbers: Array) -> Advice:
        """A hint changes no card, so the numbers after it are those the hinter saw."""
        move = decode(self.game, view.last.action)
        hint = move.color_hint | move.rank_hint
        total = move.offset - 1 + jnp.where(move.color_hint, 4, 0)
        seen = jnp.where(np.arange(1, 5) == view.last.actor, 0, numbers).sum()
        mine = jnp.where(view.last.actor == 0, NO_ADVICE, (total - seen) % MODULUS)
        return Advice(
            number=jnp.where(hint, mine, advice.number),
            plays=jnp.where(hint, 0, advice.plays + view.last.scored),
        )

    def _move(self, advice: Advice, view: View, numbers: Array) -> Array:
        size = self.game.hand_size
        play = (advice.number >= 0) & (advice.number < size)
        play &= (advice.plays == 0) | ((advice.plays == 1) & (view.lives > 1))
        slot = jnp.maximum(advice.number, 0) % size
        held = jnp.stack(view.hand_words[0]) != 0
        slot = jnp.where(held[slot], slot, 0)
        discard = jnp.where(advice.number >= size, slot, 0)
        return jnp.where(play, size + slot, jnp.where(view.info > 0, self._hint(view, numbers), discard))

    def _hint(self, view: View, numbers: Array) -> Array:
        total = numbers.sum() % MODULUS
        target = total % 4
        oldest = view.cards[1:, 0][target]
        color = 2 * self.game.hand_size + target * 5 + oldest // 5
        rank = 2 * self.game.hand_size + (4 + target) * 5 + oldest % 5
        return jnp.where(total < 4, rank, color)


def _numbers(view: View) -> Array:
    """int32 [4]: the numbers of the other players' hands.

    A playable 5, else the lowest playable rank, else a dead card, else the highest rank that is not critical, else the
    oldest card; ties go to the oldest.
    """
    size = view.game.hand_size
    gone = identity_sets.gone_copies(view)
    playable = identity_sets.playable_cards(view)
    dead = identity_sets.dead_cards(view, gone)
    critical = identity_sets.last_copies(view, gone) & ~dead
    hands = identity_sets.visible_cards(identity_sets.hand_words(view)[1:])
    rank = jnp.maximum(view.cards[1:], 0) % 5

    def among(identities: Array) -> Array:
        return (hands & identities) != 0

    # One table of urgency, so that the first maximum is the move.
    best_rank = jnp.where(rank == 4, 6, 4 - rank)
    plays = jnp.where(among(playable), 20 + best_rank, 0)
    spare = jnp.where(among(~critical), 1 + rank, 0)
    discards = jnp.where(among(dead), 10, spare)
    urgency = jnp.maximum(plays, discards)
    slot = jnp.argmax(urgency, axis=1)
    return jnp.where(urgency.max(1) >= 20, slot, size + slot).astype(jnp.int32)
