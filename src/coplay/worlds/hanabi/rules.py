"""The rules of Hanabi as the Hanabi Learning Environment plays them, turn by turn.

Sets of identities are uint32 words, bit `colour * ranks + rank` (see cards.py), so most rules are one line of bit
arithmetic: the stacks are the set of played cards, a card is playable if it is not in that set but its predecessor is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Step, brief
from coplay.worlds.hanabi import cards
from coplay.worlds.hanabi.cards import pick, pick_hand, word

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array


class LastMove(NamedTuple):
    """The latest move, as everybody saw it."""

    action: Array  # int32: action id, -1 before the first move
    actor: Array  # int32: absolute seat
    touched: Array  # uint32: slots of the hinted hand that match
    card: Array  # uint32: identity played or discarded
    scored: Array  # bool: the play succeeded
    token: Array  # bool: the play returned a hint token


class State(NamedTuple):
    """A position. `hands[seat][slot]` is a card word, oldest card in slot 0."""

    deck: Array  # uint8 [cards]: identities in deal order, fixed for the whole game
    drawn: Array  # int32: cards dealt so far
    hands: tuple[tuple[Array, ...], ...]
    played: Array  # uint32: identities on the stacks
    discards: tuple[Array, ...]  # uint32 per colour: for each rank, one bit per discarded copy, filled from the low end
    info: Array  # int32: hint tokens
    lives: Array  # int32
    seat: Array  # int32: who is to move
    turns_left: Array  # int32: moves left once the deck is empty
    done: Array  # bool
    last: LastMove

    def __repr__(self) -> str:
        shown = {name: brief(getattr(self, name)) for name in ("seat", "info", "lives", "drawn", "done")}
        return f"<Hanabi state: {', '.join(f'{name} {value}' for name, value in shown.items())}>"


class Events(NamedTuple):
    """What a move did besides its reward."""

    illegal: Array  # bool [players]
    scored: Array  # bool: a card was added to a stack
    misplayed: Array  # bool: a life was lost


class Move(NamedTuple):
    """An action id taken apart."""

    discard: Array  # bool
    play: Array  # bool
    color_hint: Array  # bool
    rank_hint: Array  # bool
    slot: Array  # int32: for a play or discard
    offset: Array  # int32: hint target, counted from the actor
    value: Array  # int32: hinted colour or rank


def shuffled_deck(game: Hanabi, key: Array) -> Array:
    """A uniformly random deck, uint8 [cards]: position i gets the card whose place in the sorted deck is the rank of
    random number i."""
    numbers = jax.random.bits(key, (game.num_cards,), jnp.uint32)
    return jnp.asarray(game.sorted_deck)[ranks_of(numbers)]


def ranks_of(numbers: Array) -> Array:
    """The rank of every number among all, int32 [numbers]; equal ones (one deck in millions) keep their order.

    Counting ranks one opponent at a time is plain arithmetic on every device; sorting, or reducing a table of
    comparisons, is many times slower on a GPU. A loop would make that one wait; on a CPU it is quicker, and quicker to
    compile.
    """
    index = np.arange(numbers.size)

    def count(other: Any, rank: Array) -> Array:
        return rank + jnp.where(index > other, numbers[other] <= numbers, numbers[other] < numbers)

    rank = jnp.zeros(numbers.size, jnp.int32)
    if jax.default_backend() == "cpu":
        return jax.lax.fori_loop(0, numbers.size, count, rank)
    for other in range(numbers.size):
        rank = count(other, rank)
    return rank


def fresh_card(game: Hanabi, identity: Array) -> Array:
    """A just dealt card: nothing told, unless the game shows all cards to all."""
    identity = identity.astype(jnp.uint32)
    if game.observation == "seer":
        known = cards.open_bits(game, cards.bit(identity)) | cards.COLOR_TOLD | cards.RANK_TOLD
    else:
        known = cards.open_bits(game, jnp.uint32(game.all_identities))
    return known | (identity << word(cards.IDENTITY_SHIFT))


def start(game: Hanabi, deck: Array, seat: Array | int) -> State:
    """Deals seat by seat from the front of the deck, as the reference does, whoever starts."""
    size = game.hand_size
    hands = tuple(
        tuple(fresh_card(game, deck[seat * size + slot]) for slot in range(size)) for seat in range(game.players)
    )
    zero = jnp.uint32(0)
    no = jnp.asarray(False)
    return State(
        deck=deck.astype(jnp.uint8),
        drawn=jnp.int32(game.players * size),
        hands=hands,
        played=zero,
        discards=(zero,) * game.colors,
        info=jnp.int32(game.info_tokens),
        lives=jnp.int32(game.life_tokens),
        seat=jnp.asarray(seat, jnp.int32),
        turns_left=jnp.int32(game.players),
        done=no,
        last=LastMove(jnp.int32(-1), jnp.int32(0), zero, zero, no, no),
    )


def decode(game: Hanabi, action: Array) -> Move:
    """Takes an action id apart; ids outside the range set no kind at all."""
    size, others = game.hand_size, game.players - 1
    color = action - 2 * size
    rank = color - others * game.hint_colors
    discard = (action >= 0) & (action < size)
    play = (action >= size) & (action < 2 * size)
    color_hint = (color >= 0) & (rank < 0)
    rank_hint = (rank >= 0) & (rank < others * game.ranks)
    # The quotient by a handful of comparisons: integer division is slow everywhere.
    offset = jnp.int32(1)
    for k in range(1, others):
        begun = jnp.where(color_hint, color >= k * game.hint_colors, rank >= k * game.ranks)
        offset = offset + begun.astype(jnp.int32)
    value = jnp.where(color_hint, color - (offset - 1) * game.hint_colors, rank - (offset - 1) * game.ranks)
    return Move(discard, play, color_hint, rank_hint, jnp.where(play, action - size, action), offset, value)


def playable(game: Hanabi, played: Array) -> Array:
    """The identities that would score now."""
    return ((played << word(1)) | word(game.first_of_color)) & ~played & word(game.all_identities)


def hint_members(game: Hanabi, move: Move) -> Array:
    """The identities a hint names."""
    value = move.value.astype(jnp.uint32)
    by_rank = word(game.first_of_color) << value
    by_color = word((1 << game.ranks) - 1) << (value * word(game.ranks))
    if game.rainbow_cards:
        by_color = by_color | word(game.rainbow_cards)
    return jnp.where(move.color_hint, by_color, by_rank)


def add_discard(game: Hanabi, discards: tuple[Array, ...], identity: Array, happens: Array) -> tuple[Array, ...]:
    """Fills the next copy bit of the card in its colour's word."""
    colors, ranks = game.colors, game.ranks
    color = jnp.uint32(0)
    for c in range(1, colors):
        color = color + (identity >= word(c * ranks)).astype(jnp.uint32)
    rank = (identity - color * word(ranks)).astype(jnp.int32)
    group = pick([jnp.uint32(mask) for mask in game.copy_masks], rank)
    lowest = group & (~group + word(1))
    return tuple(
        jnp.where(happens & (color == c), pile | (((pile & group) << word(1) | lowest) & group), pile)
        for c, pile in enumerate(discards)
    )


def score(game: Hanabi, played: Array, lives: Array) -> Array:
    """Points on the stacks; by default none once the last life is lost."""
    points = jax.lax.population_count(played).astype(jnp.int32)
    if game.lost_lives_score == "fireworks":
        return points
    return jnp.where(lives > 0, points, 0)


class Hinted(NamedTuple):
    """What a hint would do to the hand that it is given to."""

    touched: Array  # bit per slot
    hand: tuple[Array, ...]


def give_hint(game: Hanabi, receiver: tuple[Array, ...], move: Move) -> Hinted:
    """Tells the receiver's cards what the move's hint names."""
    members = hint_members(game, move)
    matches = tuple((cards.identity_set(card) & members) != 0 for card in receiver)
    touched = cards.union([match.astype(jnp.uint32) << word(slot) for slot, match in enumerate(matches)])
    told = jnp.where(move.color_hint, cards.COLOR_TOLD, cards.RANK_TOLD)
    after = tuple(cards.tell(game, card, members, match, told) for card, match in zip(receiver, matches, strict=True))
    return Hinted(touched, after)


def use_card(game: Hanabi, state: State, hand: tuple[Array, ...], slot: Array) -> tuple[Array, ...]:
    """The hand without the card of a slot: younger cards move up, and a new one comes last while the deck lasts."""
    drawn_card = state.deck[jnp.minimum(state.drawn, game.num_cards - 1)]
    deck_empty = state.drawn >= game.num_cards
    replacement = jnp.where(deck_empty, word(0), fresh_card(game, drawn_card))
    return tuple(
        jnp.where(slot <= place, following, own)
        for place, (own, following) in enumerate(zip(hand, (*hand[1:], replacement), strict=True))
    )


def step(game: Hanabi, state: State, actions: Array) -> Step:
    """Plays the acting seat's entry of `actions`; see `Game.step` for illegal moves and finished games."""
    actor = state.seat
    action = pick([actions[seat] for seat in range(game.players)], actor).astype(jnp.int32)
    move = decode(game, action)
    hint = move.color_hint | move.rank_hint

    hand = pick_hand(state.hands, actor)
    card = pick(hand, move.slot)
    target = actor + move.offset
    target = jnp.where(target >= game.players, target - game.players, target)
    hinted = give_hint(game, pick_hand(state.hands, target), move)
    legal = (
        (hint & (state.info > 0) & (hinted.touched != 0))
        | (move.discard & (card != 0) & (state.info < game.info_tokens))
        | (move.play & (card != 0))
    )
    accepted = legal & ~state.done
    hint, uses_card = hint & accepted, ~hint & accepted

    itself, identity = cards.identity_set(card), cards.identity(card)
    scored = move.play & accepted & ((itself & playable(game, state.played)) != 0)
    misplayed = move.play & accepted & ~scored
    discarded = move.discard & accepted
    top_rank = (itself & word(game.first_of_color << (game.ranks - 1))) != 0
    token = scored & top_rank & (state.info < game.info_tokens)

    used = use_card(game, state, hand, move.slot)
    hands = tuple(
        tuple(
            jnp.where(
                uses_card & (actor == seat), used[slot], jnp.where(hint & (target == seat), hinted.hand[slot], old)
            )
            for slot, old in enumerate(state.hands[seat])
        )
        for seat in range(game.players)
    )
    deck_empty = state.drawn >= game.num_cards
    played = jnp.where(scored, state.played | itself, state.played)
    lives = state.lives - misplayed.astype(jnp.int32)
    turns_left = state.turns_left - (accepted & deck_empty).astype(jnp.int32)
    done = state.done | (lives <= 0) | (played == word(game.all_identities)) | (turns_left <= 0)
    next_seat = jnp.where(actor + 1 == game.players, 0, actor + 1)
    touched, gone = jnp.where(hint, hinted.touched, word(0)), jnp.where(uses_card, identity, word(0))
    last = LastMove(action=action, actor=actor, touched=touched, card=gone, scored=scored, token=token)
    after = State(
        deck=state.deck,
        drawn=state.drawn + (uses_card & ~deck_empty).astype(jnp.int32),
        hands=hands,
        played=played,
        discards=add_discard(game, state.discards, identity, discarded | misplayed),
        info=state.info - hint.astype(jnp.int32) + (discarded | token).astype(jnp.int32),
        lives=lives,
        seat=jnp.where(accepted, next_seat, actor),
        turns_left=turns_left,
        done=done,
        last=jax.tree.map(lambda new, old: jnp.where(accepted, new, old), last, state.last),
    )
    reward = score(game, played, lives) - score(game, state.played, state.lives)
    illegal = ~legal & ~state.done & (jnp.arange(game.players) == actor)
    return Step(after, reward.astype(jnp.float32), done, Events(illegal, scored, misplayed))
