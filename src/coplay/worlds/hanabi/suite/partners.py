"""Partners for the tests in Hanabi: each has one habit, so that a test knows what will happen."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


def discard_oldest(view: View) -> Array:
    """int32: the action that discards the oldest card without a hint on it, or the oldest of all."""
    held = view.held[0]
    untold = held & ~(view.color_told[0] | view.rank_told[0])
    return jnp.argmax(jnp.where(untold.any(), untold, held)).astype(jnp.int32)


def some_hint(view: View) -> Array:
    """int32: the legal hint with the highest number; a legal hint exists whenever discarding is forbidden."""
    return view.game.num_actions - 1 - jnp.argmax(view.legal[::-1]).astype(jnp.int32)


class Quiet(eqx.Module):
    """Plays what its hints prove to be playable, else discards its oldest card; hints only where it may not discard."""

    game: Hanabi = eqx.field(static=True)
    name: str = eqx.field(static=True, default="quiet")
    hears = "own"

    def start(self) -> None:
        return None

    def act(self, memory: None, view: View, key: Array) -> tuple[None, Array]:
        del key
        sure = view.held[0] & ~(view.possible[0] & ~view.playable).any((1, 2))
        discard = discard_oldest(view)
        otherwise = jnp.where(view.legal[discard], discard, some_hint(view))
        return memory, jnp.where(sure.any(), self.game.hand_size + jnp.argmax(sure), otherwise).astype(jnp.int32)


class Staller(eqx.Module):
    """Repeats a hint of rank to the next player as long as there are tokens, then discards; it never plays."""

    game: Hanabi = eqx.field(static=True)
    name: str = eqx.field(static=True, default="staller")
    hears = "own"

    def start(self) -> None:
        return None

    def act(self, memory: None, view: View, key: Array) -> tuple[None, Array]:
        del key
        game = self.game
        first = 2 * game.hand_size + (game.players - 1) * game.hint_colors  # rank hints to the next player begin here
        legal = view.legal[first : first + game.ranks]
        ranks = jnp.where(view.cards[1] >= 0, view.cards[1] % game.ranks, -1)
        news = ((ranks == np.arange(game.ranks)[:, None]) & ~view.rank_told[1]).any(1)
        # A hint that says nothing new before one that does; then the highest rank.
        worth = jnp.where(legal, 1 + np.arange(game.ranks) + jnp.where(news, 0, game.ranks), 0)
        discard = discard_oldest(view)
        otherwise = jnp.where(view.legal[discard], discard, some_hint(view))
        return memory, jnp.where(legal.any(), first + jnp.argmax(worth), otherwise).astype(jnp.int32)


PARTNERS = {"quiet": Quiet, "staller": Staller}
