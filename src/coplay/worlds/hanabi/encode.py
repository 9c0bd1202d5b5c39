"""Observation vectors: the reference engine's canonical bits, and JaxMARL's variant with beliefs.

The order of the sections is the reference's; `sections` names them, and both the writer below and `describe` follow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from coplay.worlds.hanabi import cards
from coplay.worlds.hanabi.bits import BitWriter, expand
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.rules import decode

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi
    from coplay.worlds.hanabi.view import View

Array = jax.Array


def sections(game: Hanabi) -> dict[str, int]:
    """Sizes of the sections of the vector, in order."""
    p, c, r, h = game.players, game.colors, game.ranks, game.hand_size
    layout = {
        "others' cards": (p - 1) * h * c * r,
        "short hands": p,
        "deck size": game.num_cards - p * h,
        "fireworks": c * r,
        "hint tokens": game.info_tokens,
        "lives": game.life_tokens,
        "discards": game.num_cards,
        "last actor": p,
        "last move": 4,
        "last target": p,
        "last colour": game.hint_colors,
        "last rank": r,
        "last touched": h,
        "last slot": h,
        "last card": c * r,
        "last scored": 1,
        "last token": 1,
    }
    if game.observation != "minimal":
        layout["card knowledge"] = p * h * (c * r + c + r)
    return layout


def canonical(view: View) -> Array:
    """The reference engine's vector, uint8 of 0s and 1s."""
    writer = BitWriter()
    _put_table(writer, view)
    _put_last_move(writer, view)
    if view.game.observation != "minimal":
        for hand in view.hand_words:
            for card in hand:
                _put_knowledge(writer, view.game, card)
    return writer.expand()


def jaxmarl(view: View) -> Array:
    """The same sections as float32, but each card's possibilities weighted by the copies not yet seen by all.

    weight = possible x (copies - discarded - played), normalised per card: JaxMARL's "V0 belief".
    """
    game = view.game
    table, told = BitWriter(), BitWriter()
    _put_table(table, view)
    _put_last_move(table, view)
    for hand in view.hand_words:
        for card in hand:
            _put_told(told, game, card, cards.possible(game, card))
    slots = game.players * game.hand_size
    hints = told.expand().reshape(slots, game.colors + game.ranks)
    knowledge = jnp.concatenate([belief(view).reshape(slots, -1), hints.astype(jnp.float32)], axis=1)
    return jnp.concatenate([table.expand().astype(jnp.float32), knowledge.reshape(-1)])


def belief(view: View) -> Array:
    """float32 [players, hand_size, colors, ranks]: the public belief about each card; 0 for an empty slot."""
    game = view.game
    on_stack = expand(view.played, game.num_identities).reshape(game.colors, game.ranks)
    left = game.copies_of - view.discards - on_stack.astype(jnp.int32)
    weight = view.possible * left.astype(jnp.float32)
    total = weight.sum((-2, -1), keepdims=True)
    return weight / jnp.maximum(total, 1.0)


def _put_table(writer: BitWriter, view: View) -> None:
    """Others' cards, short hands, deck, stacks, tokens, lives, discards."""
    game = view.game
    for hand in view.hand_words[1:]:
        for card in hand:
            writer.put(cards.identity_set(card), game.num_identities)
    for hand in view.hand_words:
        writer.put((hand[-1] == 0).astype(jnp.uint32), 1)
    writer.put_below(view.deck_size, game.num_cards - game.players * game.hand_size)
    # A stack shows only its top card: drop every card whose successor of the same colour is played too.
    above = (view.played >> word(1)) & word(game.all_identities & ~(game.first_of_color << (game.ranks - 1)))
    writer.put(view.played & ~above, game.num_identities)
    writer.put_below(view.info, game.info_tokens)
    writer.put_below(view.lives, game.life_tokens)
    for suit, pile in zip(game.suits, view.discard_words, strict=True):
        if suit.dark:
            for mask in game.copy_masks:
                writer.put(((pile & word(mask)) != 0).astype(jnp.uint32), 1)
        else:
            writer.put(pile, game.copies_per_color)


def _put_last_move(writer: BitWriter, view: View) -> None:
    """The latest move; all zero before the first."""
    game, last = view.game, view.last
    move = decode(game, last.action)
    hint, uses_card = move.color_hint | move.rank_hint, move.play | move.discard
    target = last.actor + move.offset
    target = jnp.where(target >= game.players, target - game.players, target)

    def one_hot(index: Array, shown: Array, size: int) -> None:
        writer.put(jnp.where(shown, cards.bit(index), word(0)), size)

    def flags(*values: Array) -> None:
        for value in values:
            writer.put(value.astype(jnp.uint32), 1)

    one_hot(last.actor, last.action >= 0, game.players)
    flags(move.play, move.discard, move.color_hint, move.rank_hint)
    one_hot(target, hint, game.players)
    one_hot(move.value, move.color_hint, game.hint_colors)
    one_hot(move.value, move.rank_hint, game.ranks)
    writer.put(last.touched, game.hand_size)
    one_hot(move.slot, uses_card, game.hand_size)
    one_hot(last.card, uses_card, game.num_identities)
    flags(last.scored, last.token)


def _put_knowledge(writer: BitWriter, game: Hanabi, card: Array) -> None:
    left = cards.possible(game, card)
    writer.put(left, game.num_identities)
    _put_told(writer, game, card, left)


def _put_told(writer: BitWriter, game: Hanabi, card: Array, left: Array) -> None:
    """Colour and rank, only where a hint named them; then all cards that are left share that rank, and that colour
    unless there is a rainbow: then these are the colours which the hints leave open."""
    colors, ranks = cards.colors_among(game, left), cards.ranks_among(game, left)
    writer.put(jnp.where((card & cards.COLOR_TOLD) != 0, colors, word(0)), game.colors)
    writer.put(jnp.where((card & cards.RANK_TOLD) != 0, ranks, word(0)), game.ranks)


def legal(view: View) -> Array:
    """bool [num_actions]: what the viewer may do; all False off turn and after the end."""
    game = view.game
    writer = BitWriter()
    mine = (view.to_move == 0) & ~view.done
    can_discard, can_hint = mine & (view.info < game.info_tokens), mine & (view.info > 0)
    for allowed in (can_discard, mine):
        for card in view.hand_words[0]:
            writer.put(((card != 0) & allowed).astype(jnp.uint32), 1)
    shown = [cards.union([cards.identity_set(card) for card in hand]) for hand in view.hand_words[1:]]
    for identities in shown:
        writer.put(jnp.where(can_hint, _hinted_colors(game, identities), word(0)), game.hint_colors)
    for identities in shown:
        writer.put(jnp.where(can_hint, cards.ranks_among(game, identities), word(0)), game.ranks)
    return writer.expand().astype(bool)


def _hinted_colors(game: Hanabi, identities: Array) -> Array:
    """The colours whose hint would touch one of the cards, bit per colour: a rainbow card is touched by all."""
    colors = cards.colors_among(game, identities) & word((1 << game.hint_colors) - 1)
    if not game.rainbow_cards:
        return colors
    rainbow = (identities & word(game.rainbow_cards)) != 0
    return jnp.where(rainbow, word((1 << game.hint_colors) - 1), colors)
