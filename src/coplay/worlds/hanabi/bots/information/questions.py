"""A hand as a number below a modulus, and back.

Everybody asks the same questions about a hand, each chosen from what is publicly known after the answers before, and
with no more possible answers than the modulus has room for. The answers, the first one least significant, make the
number. Whoever sees the hand computes the number from the cards; its owner, told the number, recovers the answers.

A question is one of two kinds:

*Which comes first?* An ordered list of yes/no questions "is this card playable?", "is this card dead?"; answer j: the
j-th is the first with yes; 0: none.
*Which block?* The identities of one card dealt round-robin into blocks, all dead ones together in the last.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi.bots.identity_sets import is_single, size, surely
from coplay.worlds.hanabi.bots.information.tables import Board, share
from coplay.worlds.hanabi.cards import POSSIBLE, word

Array = jax.Array

# The original goes through colours by their letters b, g, r, w, y; its colours 0-4 are r, y, g, b, w.
COLORS_BY_LETTER = (3, 2, 0, 4, 1)
ENUMERATION = [color * 5 + rank for color in COLORS_BY_LETTER for rank in range(5)]
# For every identity the set of those enumerated before it.
EARLIER = np.array(
    [sum(1 << other for other in ENUMERATION[: ENUMERATION.index(identity)]) for identity in range(25)], np.uint32
)
IDENTITIES = np.arange(25, dtype=np.uint32)
NEVER = 32  # beyond all places


class Question(NamedTuple):
    """A question about a hand of h cards; `answers` is 1 if there is nothing to ask."""

    answers: Array  # int32: possible answers
    asked: Array  # bool [2h]: yes/no questions of the list: playable? for each slot, then dead? for each slot
    place: Array  # int32 [2h]: their order, from 1
    slot: Array  # int32: the card asked for its block
    by_block: Array  # bool: a question of the second kind
    block: Array  # int32 [25]: the block of each identity


def next_question(board: Board, tables: Array, capacity: Array) -> Question:
    """The question about the hand `tables` [h] with at most `capacity` answers."""
    eligible = ~is_single(tables) & ((tables & ~board.dead) != 0)
    play, dead = share(board.left, tables, board.playable), share(board.left, tables, board.dead)
    distance = jnp.abs(play - jnp.float32(0.7))
    near = eligible & (distance < jnp.float32(0.2))
    # Several small reductions as one: they are most of the time, to compile and to run.
    sure = [surely(tables, board.playable), surely(tables, board.dead)]
    sure_play, sure_dead, any_near, any_eligible = jnp.stack([*sure, near, eligible]).any(1)
    room = capacity >= 2

    listed = jnp.concatenate([eligible & (play > 0), eligible & (dead > 0) & ~sure_dead]) & ~sure_play
    asked, place = _most_likely(listed, jnp.concatenate([play, dead]), capacity - 1)
    count = asked.sum()

    closest = [jnp.where(near, distance, jnp.inf), jnp.where(eligible, dead, jnp.inf)]
    nearest, slot = jnp.argmin(jnp.stack(closest), axis=1)
    ask_one = (count == 0) & any_near & room
    asked = asked | (ask_one & (np.arange(2 * len(tables)) == nearest))
    by_block = (count == 0) & ~any_near & any_eligible & room
    blocks, block = _deal(tables[slot], board.dead, capacity)
    answers = jnp.where(by_block, blocks, jnp.where(ask_one, 2, count + 1))
    return Question(answers, asked, jnp.where(ask_one, 1, place), slot, by_block, block)


def _most_likely(listed: Array, chance: Array, most: Array) -> tuple[Array, Array]:
    """The `most` listed questions that come first by (kind, higher chance, slot), and their places by (kind, lower
    chance, slot)."""
    # One whole number per question: chances are fractions of at most 50 cards, so 8192 steps keep them apart.
    step = jnp.round(chance * 8192).astype(jnp.int32) * 16
    index = np.arange(len(chance))
    kind, slot = index // (len(chance) // 2) * (1 << 20), index % (len(chance) // 2)
    high_first, low_first = kind - step + slot, kind + step + slot
    asked = listed & ((listed & (high_first < high_first[:, None])).sum(1) < most)
    return asked, (asked & (low_first < low_first[:, None])).sum(1) + 1


def _deal(table: Array, dead: Array, capacity: Array) -> tuple[Array, Array]:
    """How many blocks the identities of a table make, and the block of each identity, int32 [25]."""
    live = table & ~dead
    last = ((table & dead) != 0).astype(jnp.int32)
    most = jnp.maximum(capacity - last, 1)
    blocks = jnp.minimum(most, size(live)) + last
    dealt = size(live & EARLIER) % most
    is_dead = ((dead >> IDENTITIES) & word(1)) != 0
    return blocks, jnp.where(is_dead, blocks - 1, dealt)


def true_answer(question: Question, board: Board, cards: Array) -> Array:
    """The answer the cards [h] (one-element sets) give."""
    yes = question.asked & jnp.concatenate([(cards & board.playable) != 0, (cards & board.dead) != 0])
    first = jnp.where(yes, question.place, NEVER).min()
    itself = ((cards[question.slot] >> IDENTITIES) & word(1)) != 0
    # A card whose table is wrong (misled by strangers) may lie in no block.
    block = jnp.minimum(jnp.where(itself, question.block, 0).sum(), question.answers - 1)
    return jnp.where(question.by_block, block, jnp.where(first < NEVER, first, 0))


def learn(question: Question, board: Board, tables: Array, answer: Array) -> Array:
    """The tables [h] after an answer."""
    hand = len(tables)
    subject = jnp.where(np.arange(2 * hand) < hand, board.playable, board.dead)
    no = question.asked & ((answer == 0) | (question.place < answer))
    yes = question.asked & (question.place == answer)
    left = jnp.where(yes, subject, jnp.where(no, ~subject, POSSIBLE))
    in_block = jnp.where(question.block == answer, word(1) << IDENTITIES, word(0)).sum(dtype=jnp.uint32)
    left_by_block = jnp.where(question.by_block & (np.arange(hand) == question.slot), in_block, POSSIBLE)
    return tables & left[:hand] & left[hand:] & left_by_block


def room_left(modulus: Array, answer: Array, answers: Array) -> Array:
    """How many numbers below `modulus` leave the remainder `answer` modulo `answers`."""
    return (modulus - answer - 1) // answers + 1


def number_of(board: Board, tables: Array, cards: Array, modulus: Array, rounds: int) -> tuple[Array, Array]:
    """The number of a hand one sees, and its tables once everybody knows the number."""

    def ask(_, state):
        tables, room, number, scale = state
        question = next_question(board, tables, room)
        answer = true_answer(question, board, cards)
        tables = learn(question, board, tables, answer)
        return tables, room_left(room, answer, question.answers), number + scale * answer, scale * question.answers

    tables, _, number, _ = jax.lax.fori_loop(0, rounds, ask, (tables, modulus, jnp.int32(0), jnp.int32(1)))
    return number, tables


def read_number(board: Board, tables: Array, number: Array, modulus: Array, rounds: int) -> Array:
    """The tables of the hand that has this number."""

    def ask(_, state):
        tables, room, number = state
        question = next_question(board, tables, room)
        answer = number % question.answers
        tables = learn(question, board, tables, answer)
        return tables, room_left(room, answer, question.answers), number // question.answers

    return jax.lax.fori_loop(0, rounds, ask, (tables, modulus, number))[0]
