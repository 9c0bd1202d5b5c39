"""The heart of the evaluation: will the hints that are left get the remaining cards played?"""

from __future__ import annotations

import math

from coplay.worlds.hanabi.bots.fireflower.beliefs import PROTECT, index_of, is_new, kind_of
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.knowledge import plays_soon
from coplay.worlds.hanabi.bots.fireflower.table import RULE_BOOK_DISCARDS, SINGLE, count, meets, only

USABLE = 0.85  # share of the hints that do some good


@njit
def softplus(x, scale):
    if x / scale >= 40.0:
        return 40.0
    return math.log(1.0 + math.exp(x / scale)) * scale


@njit
def hint_factor(s, m, left):
    """Share of the `left` cards that the hints, those already given included, are expected to get played."""
    if left == 0:
        return 1.0
    known, good, in_order = coming_round(s, m)
    share = 0.20 if s.players == 2 else 0.1625  # what a known play counts; the original does worse with more
    needed = left - share * known
    net = USABLE * (hints_to_come(s, m) - corrections(s, m) + good) - needed - 3.0
    expected = s.played + share * known
    if needed > 0:
        g = (left - softplus(-net, 2.5) + 3.0) / (left + 3.0)
        expected += needed * min(1.0, softplus(g, 0.1))
    sure = s.played + in_order
    if expected < sure:
        expected += 0.65 * (sure - expected)
    return (min(expected, float(s.played + left)) - s.played) / left


@njit
def hints_to_come(s, m):
    """Tokens, those of discards and fives to come, and something for unspecified hints, more if I drew new cards."""
    worth = 0.10
    if s.held[s.me] > 1 and is_new(s, m, s.me, s.hands[s.me, 1]):
        worth = 0.45
    elif s.held[s.me] > 0 and is_new(s, m, s.me, s.hands[s.me, 0]):
        worth = 0.30
    unfinished = 0
    for c in range(5):
        unfinished += s.stacks[c] < 5
    # The token of the last five comes too late. Colours that are lost count too, as in the original.
    return RULE_BOOK_DISCARDS[s.players] - s.discarded + s.tokens + worth * s.vague + max(0, unfinished - 1)


@njit
def coming_round(s, m):
    """What the hands of the coming round are worth in hints: plays that are known, good knowledge, plays in a row."""
    known = 0
    good = 0.0
    in_order = 0
    counted = 0  # an identity that several players think they hold counts once
    stacks = s.stacks.copy()
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
    return known, good, in_order


@njit
def corrections(s, m):
    """The hints it will cost that cards are wrongly expected to be played; last copies must be hinted anyway."""
    cost = 0.0
    for p in range(s.players):
        for k in range(s.held[p]):
            card = s.hands[p, k]
            if p == s.me or s.faces[card] < 0 or index_of(s, m, card) != 0 or not meets(s.common[card], s.playable):
                continue
            if not meets(SINGLE[s.faces[card]], s.playable | s.danger):
                cost += 0.30 / USABLE
    return cost


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
