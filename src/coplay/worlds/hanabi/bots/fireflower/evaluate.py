"""How good a position looks to this seat: expected points, as a product of factors for what may still go wrong."""

from __future__ import annotations

import math

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.beliefs import (
    PLAY,
    PROTECT,
    believed_useful,
    expected_plays,
    expects_play,
    kind_of,
    likely_discard,
)
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.hint_budget import hint_factor
from coplay.worlds.hanabi.bots.fireflower.knowledge import plays_soon
from coplay.worlds.hanabi.bots.fireflower.table import (
    COPIES,
    RULE_BOOK_DISCARDS,
    SINGLE,
    count,
    meets,
    over,
    reachable,
    within,
)

KNOTS = np.array([0.66, 0.88, 0.96, 0.99, 1.0])
NEAR = np.array([0.80, 0.80, 0.88, 0.94, 0.97, 0.99, 1.0])
STRIKE_FACTOR = np.array([1.0, 0.98, 0.93])


@njit
def value(s, m):
    """The evaluation in the space in which values are averaged."""
    return math.exp(points(s, m) / 2.5)


@njit
def points(s, m):
    if over(s):
        return s.played - 3.0 * (25 - s.played)
    turns = turns_to_play(s)
    left = min(reachable(s), turns)
    factor = (
        danger_factor(s)
        * turn_factor(left, turns)
        * hint_factor(s, m, left)
        * STRIKE_FACTOR[s.strikes]
        * clog_factor(s, m)
        * next_turn_factor(s, m)
        * few_hints_factor(s, m)
    )
    return s.played + left * factor - 3.0 * (25 - s.played - left)


@njit
def turns_to_play(s):
    """Turns on which a card can still be played."""
    total = s.deck
    turns = s.players if s.last_turns < 0 else s.last_turns
    for t in range(turns):
        p = (s.turn + t) % s.players
        for k in range(s.held[p]):
            if not within(s.mine[s.hands[p, k]], s.junk):
                total += 1
                break
    return total


@njit
def turn_factor(left, turns):
    return 1.0 if left == 0 else min(float(left), 0.8 * turns) / left


@njit
def danger_factor(s):
    """Last copies that may lie anywhere are worrying, low ones most."""
    worry = 0.0
    for i in range(25):
        rank = i // 5
        if rank < s.stacks[i % 5]:
            continue
        gap = 4 - rank
        cost = gap + 0.1 * gap * gap
        if meets(SINGLE[i], s.danger & ~s.junk) and s.unseen[i] >= 1:
            worry += cost
        elif rank == 0 and COPIES[i] - s.gone[i] == 2 and s.unseen[i] == 2:
            worry += 0.6 * cost
    return max(0.0, 1.0 - worry / 200.0)


@njit
def clog_factor(s, m):
    """Hands full of cards that must be kept leave no room."""
    factor = 1.0
    for p in range(s.players):
        clogs = 0.0
        for k in range(s.held[p]):
            clogs += clog(s, m, s.hands[p, k])
        free = max(0.0, s.full - clogs)
        if free < 4:
            low = int(free)
            factor *= KNOTS[low] + (free - low) * (KNOTS[low + 1] - KNOTS[low])
    return factor


@njit
def clog(s, m, card):
    """How much of a slot a card blocks."""
    options = s.mine[card]
    if within(options, s.playable):
        return 0.0
    if (s.settled >> card) & 1:
        if plays_soon(s, m, card) or not (meets(options, s.danger) or believed_useful(s, m, card)):
            return 0.0
    elif (
        kind_of(s, m, card) == PLAY
        or within(options, s.junk)
        or (not within(options, s.danger) and kind_of(s, m, card) != PROTECT)
    ):
        return 0.0
    distance = 0
    for i in range(25):
        if (options >> i) & 1:
            distance = max(distance, distance_to_playable(s, i))
    return NEAR[min(distance, 6)]


@njit
def distance_to_playable(s, identity):
    """Ranks missing below, those that are last copies counted twice."""
    color = identity % 5
    distance = identity // 5 - s.stacks[color]
    for rank in range(s.stacks[color], identity // 5):
        if meets(SINGLE[rank * 5 + color], s.danger):
            distance += 1
    return distance


@njit
def bombs_fatally(s, m, seat, plays):
    """Will one of the plays of a seat surely cost the last life or a last copy?"""
    for k in range(s.held[seat]):
        if (plays >> k) & 1:
            options = s.mine[s.hands[seat, k]]
            if not meets(options, s.playable) and (s.strikes >= 2 or within(options, s.danger)):
                return True
    return False


@njit
def discards_last_copy(s, m, seat, lowest_grade):
    """Would the seat discard, at least this gladly, a last copy that it was never told to keep?"""
    spot, grade = likely_discard(s, m, seat, True)
    card = s.hands[seat, spot]
    return grade >= lowest_grade and kind_of(s, m, card) != PROTECT and within(s.mine[card], s.danger)


@njit
def will_play(s, m, seat):
    """Does common knowledge let the seat expect a play, now or after somebody else's?"""
    for k in range(s.held[seat]):
        if expects_play(s, m, s.hands[seat, k], True, False):
            return True
    return False


@njit
def next_turn_factor(s, m):
    """Will the player to move lose something right away?"""
    seat = s.turn
    if seat == s.me or s.tokens > 1:
        return 1.0
    loss = 0.20 if s.tokens == 0 else 0.10
    factor = 1.0
    may_discard = s.discarded < RULE_BOOK_DISCARDS[s.players]
    if may_discard and discards_last_copy(s, m, seat, 4) and expected_plays(s, m, seat, False) == 0:
        factor = 1.0 - loss
    plays = expected_plays(s, m, seat, True)
    if bombs_fatally(s, m, seat, plays):
        factor *= 1.0 - loss / count(plays)
    return factor


@njit
def few_hints_factor(s, m):
    """With no token left nobody can warn the player after the next one."""
    if s.tokens > 0:
        return 1.0
    seat = (s.turn + 1) % s.players
    factor = 1.0
    if seat != s.me:
        may_discard = s.discarded < RULE_BOOK_DISCARDS[s.players]
        if may_discard and discards_last_copy(s, m, seat, 0) and not will_play(s, m, seat):
            factor = 0.85
        plays = expected_plays(s, m, seat, True)
        if bombs_fatally(s, m, seat, plays):
            factor *= 1.0 - 0.15 / count(plays)
    if factor == 1.0 and s.players != 3:
        factor = 0.98
    return factor
