"""The latest move as a bot hears it, and how knowledge about cards moves with the cards."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from coplay.worlds.hanabi import cards
from coplay.worlds.hanabi.rules import decode, hint_members
from coplay.worlds.hanabi.view import View

Array = jax.Array


class Heard(NamedTuple):
    """The latest move. Seats are relative to the viewer; before the first move every kind is False."""

    actor: Array  # int32
    play: Array  # bool
    discard: Array  # bool
    color_hint: Array  # bool
    rank_hint: Array  # bool
    slot: Array  # int32: of the card played or discarded
    card: Array  # uint32: its identity as a one-element set
    target: Array  # int32: who was hinted
    value: Array  # int32: the hinted colour or rank
    members: Array  # uint32: the identities the hint names
    touched: Array  # bool [hand_size]
    reclaim: Array  # bool: rank hint with all tokens out, to the seat before, on its oldest card

    @property
    def hint(self) -> Array:
        return self.color_hint | self.rank_hint

    @property
    def uses_card(self) -> Array:
        return self.play | self.discard


def hear(view: View) -> Heard:
    """The move that led to this view."""
    game = view.game
    move = decode(game, view.last.action)
    target = (view.last.actor + move.offset) % game.players
    touched = ((view.last.touched >> jnp.arange(game.hand_size, dtype=jnp.uint32)) & 1) != 0
    # A hint takes one token, so one token missing after it means that all were there before.
    all_tokens = view.info == game.info_tokens - 1
    to_seat_before = (target + 1) % game.players == view.last.actor
    return Heard(
        actor=view.last.actor,
        play=move.play,
        discard=move.discard,
        color_hint=move.color_hint,
        rank_hint=move.rank_hint,
        slot=move.slot,
        card=cards.bit(view.last.card),
        target=target,
        value=move.value,
        members=hint_members(game, move),
        touched=touched,
        reclaim=move.rank_hint & all_tokens & to_seat_before & touched[0],
    )


def one_hot(index: Array, length: int) -> Array:
    """bool [length]: True at `index`; all False outside the range."""
    return jnp.arange(length) == index


def at(rows: Array, index: Array) -> Array:
    """rows[index] by selection, which is cheaper than a gather in a handful of rows; zero outside the range."""
    chosen = one_hot(index, rows.shape[0]).reshape(-1, *[1] * (rows.ndim - 1))
    if rows.dtype == bool:
        return (chosen & rows).any(0)
    return jnp.where(chosen, rows, jnp.zeros_like(rows)).sum(0, dtype=rows.dtype)


def after_use(knowledge: Array, heard: Heard, fresh: ArrayLike) -> Array:
    """[players, hand_size]: knowledge about cards after the heard play or discard. The used card's place is closed and
    the actor's last slot holds `fresh`; unchanged after a hint."""
    players, hand_size = knowledge.shape
    last = jnp.broadcast_to(fresh, (players, 1)).astype(knowledge.dtype)
    moved = jnp.concatenate([knowledge[:, 1:], last], axis=1)
    moves = (heard.uses_card & one_hot(heard.actor, players))[:, None] & (jnp.arange(hand_size) >= heard.slot)
    return jnp.where(moves, moved, knowledge)


def newest(held: Array) -> Array:
    """bool [players, hand_size]: the newest card of each hand."""
    return held & ~jnp.concatenate([held[:, 1:], jnp.zeros_like(held[:, :1])], axis=1)
