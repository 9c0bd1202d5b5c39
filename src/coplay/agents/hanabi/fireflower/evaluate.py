"""How good a position looks to this seat: expected points, as a product of factors for what may still go wrong."""

from __future__ import annotations

import math

import numpy as np

from coplay.agents.hanabi.fireflower.beliefs import (
    PLAY,
    PROTECT,
    believed_useful,
    expected_plays,
    expects_play,
    group_of,
    index_of,
    is_new,
    kind_of,
    likely_discard,
)
from coplay.agents.hanabi.fireflower.compiler import njit
from coplay.agents.hanabi.fireflower.table import (
    COPIES,
    RULE_BOOK_DISCARDS,
    SINGLE,
    count,
    meets,
    only,
    over,
    reachable,
    within,
)

USABLE = 0.85  # share of the hints that do some good
KNOTS = np.array([0.66, 0.88, 0.96, 0.99, 1.0])
NEAR = np.array([0.80, 0.80, 0.88, 0.94, 0.97, 0.99, 1.0])
STRIKE_FACTOR = np.array([1.0, 0.98, 0.93])
COLOR_0 = 0x108421


@njit
def softplus(x, scale):
    if x / scale >= 40.0:
        return 40.0
    return math.log(1.0 + math.exp(x / scale)) * scale


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
def believed_identity(s, m, card):
    """What this seat takes the card for, or -1."""
    options = s.mine[card]
    i = only(options)
    if i >= 0:
        return i
    index = index_of(s, m, card)
    if index == 0:
        return only(options & s.playable)
    if s.players != 2 or index < 0:
        return -1
    useful = options & ~s.junk
    color = -1
    for c in range(5):
        if useful & (COLOR_0 << c):
            if color >= 0:
                return -1
            color = c
    if color < 0:
        return -1
    rank = s.stacks[color]
    for _ in range(index):
        if rank < 5 and meets(options, SINGLE[rank * 5 + color]):
            rank += 1
    if rank < 5 and meets(useful, SINGLE[rank * 5 + color]):
        return rank * 5 + color
    return -1


@njit
def plays_soon(s, m, card):
    """Is the card rightly believed to be playable once its turn in its sequence comes?"""
    index = index_of(s, m, card)
    if index < 0:
        return False
    if index == 0:
        i = believed_identity(s, m, card)
        if i >= 0:
            return (s.playable >> i) & 1 == 1
        return s.players <= 3 and within(s.mine[card], s.playable)
    stacks = np.empty(5, np.int64)
    for c in range(5):
        stacks[c] = s.stacks[c]
    fits = False
    group = group_of(s, m, card)
    for j in range(index + 1):
        i = believed_identity(s, m, m.member[m.first[group] + j])
        if i < 0:
            return False
        if i // 5 == stacks[i % 5]:
            stacks[i % 5] += 1
            fits = True
        elif i // 5 < stacks[i % 5] or s.players <= 3:
            fits = False
        else:
            return False
    return fits


@njit
def hint_factor(s, m, left):
    """Are there hints enough to get the remaining cards played?"""
    if left == 0:
        return 1.0
    unfinished = 0
    for c in range(5):
        unfinished += s.stacks[c] < 5
    worth = 0.10
    if s.held[s.me] > 1 and is_new(s, m, s.me, s.hands[s.me, 1]):
        worth = 0.45
    elif s.held[s.me] > 0 and is_new(s, m, s.me, s.hands[s.me, 0]):
        worth = 0.30
    spare = RULE_BOOK_DISCARDS[s.players] - s.discarded
    pot = spare + s.tokens + worth * s.vague + max(0, unfinished - 1)
    known = 0
    good = 0.0
    fix = 0.0
    counted = 0
    stacks = np.empty(5, np.int64)
    for c in range(5):
        stacks[c] = s.stacks[c]
    in_order = 0
    for p in range(s.players):
        for k in range(s.held[p]):
            fix += needs_fix(s, m, p, s.hands[p, k])
    for t in range(s.players if s.last_turns < 0 else s.last_turns):
        p = (s.turn + t) % s.players
        fresh = 0  # identities first known in this hand
        for k in range(s.held[p]):
            card = s.hands[p, k]
            seen = SINGLE[s.faces[card]] if p != s.me and s.faces[card] >= 0 else 0
            if plays_soon(s, m, card):
                i = only(s.mine[card] & ~s.junk)
                if i < 0 or not ((counted | fresh) >> i) & 1:
                    if i >= 0:
                        fresh |= SINGLE[i]
                    good += 0.45 / USABLE
                    known += 1
            elif kind_of(s, m, card) == PROTECT and meets(seen, s.danger):
                good += (0.35 if k == s.held[p] - 1 and s.players != 3 else 0.20) / USABLE
            elif kind_of(s, m, card) == PROTECT and meets(seen, s.playable):
                good += 0.10 / USABLE
            size = count(s.common[card])
            good += 0.02 / USABLE if size <= 1 else 0.01 / size
        counted |= fresh
        in_order += play_all(stacks, fresh)
    share = 0.20 if s.players == 2 else 0.1625
    needed = left - share * known
    net = USABLE * (pot - fix + good) - needed - 3.0
    expected = s.played + share * known
    if needed > 0:
        g = (left - softplus(-net, 2.5) + 3.0) / (left + 3.0)
        expected += needed * min(1.0, softplus(g, 0.1))
    sure = s.played + in_order
    if expected < sure:
        expected += 0.65 * (sure - expected)
    return (min(expected, float(s.played + left)) - s.played) / left


@njit
def needs_fix(s, m, seat, card):
    """The hints it will cost that the seat wrongly expects to play the card; last copies must be hinted anyway."""
    if seat == s.me or s.faces[card] < 0 or index_of(s, m, card) != 0 or not meets(s.common[card], s.playable):
        return 0.0
    return 0.0 if meets(SINGLE[s.faces[card]], s.playable | s.danger) else 0.30 / USABLE


@njit
def play_all(stacks, identities):
    """Puts those of the identities that fit onto the stacks; 1 if there was any."""
    some = 0
    fits = 0
    for i in range(25):
        if (identities >> i) & 1 and stacks[i % 5] == i // 5:
            some = 1
            fits |= SINGLE[i]
    for i in range(25):
        if (fits >> i) & 1:
            stacks[i % 5] = i // 5 + 1
    return some


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
def discards_danger(s, m, seat, regular, now):
    """Is the seat about to discard a last copy without knowing it and without anything to play?"""
    spot, grade = likely_discard(s, m, seat, True)
    card = s.hands[seat, spot]
    if kind_of(s, m, card) == PROTECT or not within(s.mine[card], s.danger) or (regular and grade < 4):
        return False
    for k in range(s.held[seat]):
        if expects_play(s, m, s.hands[seat, k], not now, now):
            return False
    return True


@njit
def next_turn_factor(s, m):
    """Will the player to move lose something right away?"""
    seat = s.turn
    if seat == s.me or s.tokens > 1:
        return 1.0
    loss = 0.20 if s.tokens == 0 else 0.10
    factor = 1.0
    if s.discarded < RULE_BOOK_DISCARDS[s.players] and discards_danger(s, m, seat, True, True):
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
        if s.discarded < RULE_BOOK_DISCARDS[s.players] and discards_danger(s, m, seat, False, False):
            factor = 0.85
        plays = expected_plays(s, m, seat, True)
        if bombs_fatally(s, m, seat, plays):
            factor *= 1.0 - 0.15 / count(plays)
    if factor == 1.0 and s.players != 3:
        factor = 0.98
    return factor
