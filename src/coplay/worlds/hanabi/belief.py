"""What a seat may believe about its own hand if nothing is known of how the others choose their moves.

Then only facts count: the hints on each card, and which cards lie face up or in the others' hands. Every order of the
unseen cards that agrees with them is equally likely. (Moves of players with habits say more; a learned belief
starts from `odds`.) `redraw` draws from this distribution without approximation, `exact_hands` writes it out for small
games.
"""

from __future__ import annotations

from itertools import combinations, product
from math import factorial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import GameError
from coplay.worlds.hanabi import cards
from coplay.worlds.hanabi.bits import expand
from coplay.worlds.hanabi.encode import sections
from coplay.worlds.hanabi.hidden import with_hidden
from coplay.worlds.hanabi.rules import State, ranks_of

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi
    from coplay.worlds.hanabi.view import View

Array = jax.Array
LARGEST_HAND = 5  # of more cards there are more hands than int32 can count
Slots = tuple[int, ...]


class Hand(NamedTuple):
    """What facts say of a seat's own cards, perhaps after some of them were chosen."""

    unseen: Array  # int32 [identities]: copies that lie in the hand or in the deck
    held: Array  # bool [slots]: is there a card?
    shared: dict[Slots, Array]  # per set of slots the cards that could lie in any of them, int32 [identities]
    choices: dict[Slots, Array]  # and how many copies of such cards are left


def private(game: Hanabi) -> int:
    """The face `belief` from here on: see `coplay.faces.Hidden`. Everything but the others' cards is known to all."""
    return sections(game)["others' cards"]


def slots(game: Hanabi) -> tuple[int, int]:
    if game.hand_size > LARGEST_HAND:
        raise GameError(f"hand_size={game.hand_size}: hands can be redrawn up to hand_size={LARGEST_HAND}.")
    return game.hand_size, game.num_identities


def hidden(game: Hanabi, state: State, seat: Array | int) -> Array:
    own = jnp.stack(cards.pick_hand(state.hands, seat))
    return jnp.where(own != 0, cards.identity(own), -1).astype(jnp.int32)


def facts(game: Hanabi, state: State, seat: Array | int) -> Hand:
    own = jnp.stack(cards.pick_hand(state.hands, seat))
    return hand_of(expand(cards.possible(game, own), game.num_identities), own != 0, _unseen_by(game, state, own))


def hand_of(possible: Array, held: Array, unseen: Array) -> Hand:
    """Of the unseen cards int32 [identities], as the hints bool [slots, identities] allow."""
    shared = _shared(possible.astype(jnp.int32), held)
    return Hand(unseen, held, shared, {block: (unseen * both).sum() for block, both in shared.items()})


def odds(hand: Hand, slot: int) -> Array:
    """A card is as likely as there are copies of it, times the ways to fill the slots after it."""
    rest = tuple(range(slot + 1, hand.held.shape[0]))
    after = {block: hand.choices[block] - hand.shared[block] for block in hand.shared if set(block) <= set(rest)}
    # A slot without a card adds no choice, so that only slots with one narrow what is left.
    after = {block: jnp.where(hand.held[block[0]] | (len(block) > 1), n, 1) for block, n in after.items()}
    return (hand.unseen * hand.shared[slot,]).astype(jnp.float32) * fillings(rest, after)


def chosen(hand: Hand, slot: int, value: Array) -> Hand:
    """An empty slot takes no card."""
    taken = (jnp.arange(hand.unseen.size) == value) & hand.held[slot]
    choices = {block: number - (hand.shared[block] * taken).sum() for block, number in hand.choices.items()}
    return hand._replace(unseen=hand.unseen - taken, choices=choices)


def place(game: Hanabi, state: State, seat: Array | int, values: Array, key: Array) -> State:
    own = jnp.stack(cards.pick_hand(state.hands, seat))
    names = jnp.arange(game.num_identities)
    left = _unseen_by(game, state, own) - ((values[:, None] == names) & (own != 0)[:, None]).sum(0)
    undealt = jnp.arange(game.num_cards) >= state.drawn
    return with_hidden(state, seat, values, _deal_again(state.deck, undealt, left, key))


def _unseen_by(game: Hanabi, state: State, own: Array) -> Array:
    """int32 [identities]: the cards of the seat's own hand and of the undealt deck."""
    undealt = jnp.arange(game.num_cards) >= state.drawn
    names = jnp.arange(game.num_identities)
    in_deck = ((state.deck[:, None] == names) & undealt[:, None]).sum(0)
    in_hand = ((cards.identity(own)[:, None] == names) & (own != 0)[:, None]).sum(0)
    return (in_deck + in_hand).astype(jnp.int32)


def redraw(game: Hanabi, state: State, seat: Array | int, key: Array) -> State:
    """The same position with the seat's own hand and the undealt deck drawn anew from all that agree with its view."""
    slots(game)  # or a hand is too large
    hand_key, deck_key = jax.random.split(key)
    return place(game, state, seat, draw_hand(facts(game, state, seat), hand_key), deck_key)


def draw_hand(hand: Hand, key: Array) -> Array:
    """int32 [slots]: one hand, slot by slot."""
    found = []
    for slot, its_key in enumerate(jax.random.split(key, hand.held.shape[0])):
        card = jax.random.categorical(its_key, jnp.log(odds(hand, slot)))
        hand = chosen(hand, slot, card)
        found.append(card)
    return jnp.stack(found).astype(jnp.int32)


def _shared(possible: Array, held: Array) -> dict[Slots, Array]:
    """Per set of slots the cards that could lie in any of them, int32 [identities]; nothing lies in an empty slot."""
    possible = jnp.where(held[:, None], possible, 0)
    found: dict[Slots, Array] = {}
    for size in range(1, possible.shape[0] + 1):
        for block in combinations(range(possible.shape[0]), size):
            found[block] = possible[block[0]] * found.get(block[1:], 1)
    return found


def fillings(slots: Slots, choices: dict[Slots, Array]) -> Array | int:
    """In how many ways the slots can be filled with different cards; `choices`: the cards that fit all of some slots.

    Inclusion and exclusion over the slots that would get the same card as the first one: 3 ^ slots terms, whereas the
    hands themselves are hundreds of thousands.
    """
    memo: dict[Slots, Array | int] = {(): 1}

    def ways(slots: Slots) -> Array | int:
        if slots not in memo:
            first, others = slots[0], slots[1:]
            total: Array | int = 0
            for size in range(len(others) + 1):
                for block in combinations(others, size):
                    rest = tuple(slot for slot in others if slot not in block)
                    total = total + (-1) ** size * factorial(size) * choices[first, *block] * ways(rest)
            memo[slots] = total
        return memo[slots]

    return ways(slots)


def _deal_again(deck: Array, undealt: Array, left: Array, key: Array) -> Array:
    """The deck with the cards that are left, int32 [identities], in random order in its undealt places."""
    numbers = jax.random.bits(key, deck.shape, jnp.uint32) >> np.uint32(1)
    place = ranks_of(jnp.where(undealt, numbers, ~np.uint32(0)))  # dealt places come after all others
    before = jnp.cumsum(left)
    dealt = (place[:, None] >= before).sum(1).astype(deck.dtype)
    return jnp.where(undealt, dealt, deck)


def world(game: Hanabi, view: View, values: Array, key: Array) -> State:
    """From the view alone: seats become absolute again, and the unseen cards that are left over lie in the deck."""
    players, seat = game.players, view.seat
    dealt = game.num_cards - view.deck_size
    hands = tuple(
        tuple(
            cards.pick([hand[slot] for hand in view.hand_words], (owner - seat) % players)
            for slot in range(game.hand_size)
        )
        for owner in range(players)
    )
    names = jnp.arange(game.num_identities)
    held = jnp.stack(view.hand_words[0]) != 0
    left = unseen_in(view) - ((values[:, None] == names) & held[:, None]).sum(0)
    blank = jnp.zeros(game.num_cards, jnp.uint8)
    state = State(
        deck=blank,
        drawn=dealt,
        hands=hands,
        played=view.played,
        discards=view.discard_words,
        info=view.info,
        lives=view.lives,
        seat=(seat + view.to_move) % players,
        turns_left=view.turns_left,
        done=view.done,
        last=view.last._replace(actor=(view.last.actor + seat) % players),
    )
    return with_hidden(state, seat, values, _deal_again(blank, jnp.arange(game.num_cards) >= dealt, left, key))


def unseen_in(view: View) -> Array:
    """int32 [identities]: copies of each card that the viewer sees nowhere."""
    game = view.game
    names = jnp.arange(game.num_identities)
    played = (view.played >> names.astype(jnp.uint32)) & 1
    seen = (view.cards.reshape(-1)[:, None] == names).sum(0)
    return jnp.asarray(game.copies_of.reshape(-1)) - view.discards.reshape(-1) - played.astype(jnp.int32) - seen


def facts_in(game: Hanabi, view: View) -> Hand:
    own = jnp.stack(view.hand_words[0])
    return hand_of(expand(cards.possible(game, own), game.num_identities), own != 0, unseen_in(view))


def latest(view: View) -> tuple[Array, Array]:
    return view.last.action, (view.last.actor + view.seat) % view.game.players


def earlier(game: Hanabi, views: View, count: Array, values: Array) -> Array:
    """Every card of the viewer gets a number when it comes to the hand. Those that are there no more were shown when
    they left it."""
    numbers, shown = _numbered(game, views, count)
    now = numbers[count - 1]
    kept = (numbers[:, :, None] == now) & (now >= 0)
    guessed = jnp.where(kept, values, 0).sum(-1)
    return jnp.where(numbers < 0, -1, jnp.where(kept.any(-1), guessed, shown[jnp.maximum(numbers, 0)]))


def _numbered(game: Hanabi, views: View, count: Array) -> tuple[Array, Array]:
    """(the number of the card in each slot before every turn [turns, slots]; what each number turned out to be)"""
    size = game.hand_size
    first = jnp.arange(size)

    def one(now: tuple[Array, Array, Array], turn: tuple[Array, Array, Array, Array]) -> Any:
        """From the hand before the latest move of the view to the hand in the view."""
        hand, following, shown = now
        action, mine, card, held = turn
        gone = mine & (action >= 0) & (action < 2 * size)
        slot = action % size
        moved = jnp.where(first >= slot, jnp.roll(hand, -1), hand).at[size - 1].set(following)
        shown = jnp.where(gone, shown.at[hand[slot]].set(card), shown)
        hand = jnp.where(held, jnp.where(gone, moved, hand), -1)
        return (hand, following + gone, shown), hand

    known = jnp.arange(views.seat.shape[0]) < count
    turns = (
        jnp.where(known, views.last.action, -1),
        views.last.actor == 0,
        views.last.card.astype(jnp.int32),
        jnp.stack(views.hand_words[0], axis=-1) != 0,
    )
    begin = (first, jnp.int32(size), jnp.full(game.num_cards, -1, jnp.int32))
    (_, _, shown), numbers = jax.lax.scan(one, begin, turns)
    return numbers, shown


def exact_hands(view: View) -> tuple[np.ndarray, np.ndarray]:
    """All hands that the viewer may hold, int [hands, cards], and how likely each is, float [hands]; on the host."""
    held = np.asarray(view.held[0])
    fits = np.asarray(view.possible[0]).reshape(held.size, -1)
    return enumerated(fits[held], np.asarray(unseen_in(view)))


def enumerated(possible: np.ndarray, unseen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What `draw_hand` draws from, written out: (hands int [hands, slots], how likely each is)."""
    fits = [np.flatnonzero(row) for row in possible]
    hands = np.asarray(list(product(*fits)), int).reshape(-1, len(fits))
    copies = np.ones(len(hands))
    for slot in range(len(fits)):
        already = (hands[:, :slot] == hands[:, slot : slot + 1]).sum(1)
        copies *= np.maximum(unseen[hands[:, slot]] - already, 0)
    return hands[copies > 0], copies[copies > 0] / copies.sum()
