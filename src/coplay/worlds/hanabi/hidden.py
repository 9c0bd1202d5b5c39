"""What a seat cannot see, drawn anew: its own cards and the order of the deck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from coplay.worlds.hanabi import cards

if TYPE_CHECKING:
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array


def change_hidden(game: Hanabi, state: State, seat: Array | int, key: Array) -> State:
    """Shuffles the viewer's own cards and the undealt deck among themselves; hints already given are not consulted.

    The seat's view of the result is its view of `state`: that is the information boundary.
    """
    size = game.hand_size
    own = jnp.stack(cards.pick_hand(state.hands, seat))
    pool = jnp.concatenate([cards.identity(own).astype(jnp.uint8), state.deck])
    unseen = jnp.concatenate([own != 0, jnp.arange(game.num_cards) >= state.drawn])
    shuffled = jnp.argsort(jnp.where(unseen, jax.random.uniform(key, pool.shape), 2.0))
    places = jnp.argsort(~unseen, stable=True)  # hidden places first; as many as hidden cards
    hidden_first = jnp.arange(pool.size) < unseen.sum()
    pool = pool.at[places].set(jnp.where(hidden_first, pool[shuffled], pool[places]))
    return with_hidden(state, seat, pool[:size], pool[size:])


def with_hidden(state: State, seat: Array | int, identities: Array, deck: Array) -> State:
    """The position with other cards in the seat's hand, int [slots]; the hints on them stay, empty slots stay empty."""
    keep = ~cards.word(cards.HIDDEN << cards.IDENTITY_SHIFT)
    new = identities.astype(jnp.uint32) << cards.word(cards.IDENTITY_SHIFT)
    hands = tuple(
        tuple(
            jnp.where((card != 0) & (seat == owner), (card & keep) | new[slot], card) for slot, card in enumerate(hand)
        )
        for owner, hand in enumerate(state.hands)
    )
    return state._replace(hands=hands, deck=deck)
