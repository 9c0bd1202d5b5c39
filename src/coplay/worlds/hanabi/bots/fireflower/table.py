"""The table as one FireFlower player sees it: a fixed-size record that numba reads and copies cheaply.

Identities are numbered rank * 5 + colour, so that a set of identities is a word of 25 bits whose ascending order is the
original's enumeration R1, Y1, G1, B1, W1, R2, …  Cards are numbered in the order they were dealt (0-49); hands list
them newest first. Two knowledge views live side by side: `mine` (what this seat sees) and `common` (what everybody
knows).
"""

from __future__ import annotations

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.compiler import njit

CARDS = 50
COLORS = 5
ALL = (1 << 25) - 1
COLOR_0 = 0x108421  # all identities of colour 0
RANK_0 = 31  # all identities of rank 0
FIVES = RANK_0 << 20
COPIES = np.array([3] * 5 + [2] * 15 + [1] * 5)
RULE_BOOK_DISCARDS = np.array([0, 0, 17, 13, 13, 10])  # per player count: one more and 25 points are out of reach
SINGLE = np.array([1 << i for i in range(25)])

TABLE = np.dtype(
    [
        ("players", "i8"),
        ("full", "i8"),  # cards in a full hand
        ("me", "i8"),
        ("turn", "i8"),
        ("deck", "i8"),
        ("tokens", "i8"),
        ("strikes", "i8"),
        ("played", "i8"),
        ("discarded", "i8"),
        ("last_turns", "i8"),  # turns left once the deck is empty, else -1
        ("vague", "i8"),  # unspecified hints in the line that is being searched
        ("strict", "i8"),  # 1: the game counts as over at the first provable loss
        ("stacks", "i8", (5,)),
        ("gone", "i8", (25,)),  # discarded copies
        ("hands", "i8", (5, 5)),
        ("held", "i8", (5,)),
        ("faces", "i8", (CARDS,)),  # identities this seat has seen, else -1
        ("facts", "i8", (CARDS,)),  # identities the hints leave open
        ("touched", "i8", (CARDS,)),  # was the card ever named by a hint?
        ("mine", "i8", (CARDS,)),  # possible identities as this seat sees it
        ("common", "i8", (CARDS,)),  # possible identities by common knowledge
        ("unseen", "i8", (25,)),  # copies this seat has not seen
        ("settled", "i8"),  # set of held cards this seat sees or could name when it last looked
        ("hidden", "i8"),  # identities with a copy outside common knowledge
        ("playable", "i8"),
        ("junk", "i8"),
        ("danger", "i8"),
        ("top", "i8", (CARDS,)),  # newest belief about a card, -1 without
        ("beliefs", "i8"),  # used lengths of the arenas in `beliefs.MEMORY`
        ("groups", "i8"),
        ("members", "i8"),
        ("snapshots", "i8"),
    ],
    align=True,
)


@njit
def count(identities):
    """Size of a set of identities."""
    x = identities - ((identities >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return ((x * 0x01010101) >> 24) & 0xFF


@njit
def only(identities):
    """The single member of a set, or -1."""
    if identities == 0 or identities & (identities - 1):
        return -1
    i = 0
    while identities >> i != 1:
        i += 1
    return i


@njit
def within(identities, others):
    """Are all of the first in the second? True for an empty set."""
    return identities & ~others == 0


@njit
def meets(identities, others):
    return identities & others != 0


@njit
def start(s, players, size, me, turn):
    """An empty table before the deal."""
    s.players = players
    s.full = size
    s.me = me
    s.turn = turn
    s.deck = CARDS - players * size
    s.tokens = 8
    s.strikes = 0
    s.played = 0
    s.discarded = 0
    s.last_turns = -1
    s.vague = 0
    s.strict = 0
    s.beliefs = 0
    s.groups = 0
    s.members = 0
    s.snapshots = 0
    for c in range(COLORS):
        s.stacks[c] = 0
    for i in range(25):
        s.gone[i] = 0
    for card in range(CARDS):
        s.faces[card] = -1
        s.facts[card] = ALL
        s.touched[card] = 0
        s.top[card] = -1
    for p in range(players):
        s.held[p] = size
        for i in range(size):
            s.hands[p, i] = p * size + size - 1 - i


@njit
def appraise(s):
    """Sets which identities are playable, junk and dangerous now."""
    s.playable = 0
    s.junk = 0
    s.danger = 0
    for color in range(COLORS):
        lost = False
        for rank in range(5):
            i = rank * 5 + color
            if rank < s.stacks[color] or (lost and s.strict == 0):
                s.junk |= SINGLE[i]
                continue
            if rank == s.stacks[color]:
                s.playable |= SINGLE[i]
            left = COPIES[i] - s.gone[i]
            if left <= 1:
                s.danger |= SINGLE[i]
            if left == 0:
                lost = True


@njit
def reachable(s):
    """Cards that can still be played if nothing more is lost."""
    total = 0
    for color in range(COLORS):
        for rank in range(s.stacks[color], 5):
            i = rank * 5 + color
            if COPIES[i] == s.gone[i]:
                break
            total += 1
    return total


@njit
def loss_is_certain(s):
    return s.played + reachable(s) < 25 or s.discarded > RULE_BOOK_DISCARDS[s.players]


@njit
def over(s):
    """Has the game ended? In strict mode also if 25 points are out of reach."""
    if s.strikes >= 3 or s.last_turns == 0 or s.played == 25:
        return True
    return s.strict == 1 and loss_is_certain(s)


@njit
def look(s, other):
    """Recomputes `mine` and `common`. The hand of seat `other`, if not -1, is hidden too: how that seat sees the table.

    In one pass over the hands a card with a single possibility counts as seen for all others.
    """
    private = np.empty(25, np.int64)
    common = np.empty(25, np.int64)
    s.settled = 0
    for i in range(25):
        out = s.gone[i] + (1 if i // 5 < s.stacks[i % 5] else 0)
        private[i] = COPIES[i] - out
        common[i] = private[i]
    for p in range(s.players):
        for k in range(s.held[p]):
            card = s.hands[p, k]
            s.mine[card] = 0
            s.common[card] = 0
            if p != s.me and p != other and s.faces[card] >= 0:
                private[s.faces[card]] -= 1
                s.mine[card] = SINGLE[s.faces[card]]
                s.settled |= 1 << card
    left_private = 0
    left_common = 0
    for i in range(25):
        if private[i] > 0:
            left_private |= SINGLE[i]
        if common[i] > 0:
            left_common |= SINGLE[i]
    for p in range(s.players):
        for k in range(s.held[p]):
            card = s.hands[p, k]
            if s.mine[card] == 0:
                i = only(s.facts[card] & left_private)
                if i >= 0:
                    s.mine[card] = SINGLE[i]
                    s.settled |= 1 << card
                    private[i] -= 1
                    if private[i] == 0:
                        left_private &= ~SINGLE[i]
            i = only(s.facts[card] & left_common)
            if i >= 0:
                s.common[card] = SINGLE[i]
                common[i] -= 1
                if common[i] == 0:
                    left_common &= ~SINGLE[i]
    for p in range(s.players):
        for k in range(s.held[p]):
            card = s.hands[p, k]
            if s.mine[card] == 0:
                s.mine[card] = s.facts[card] & left_private
            if s.common[card] == 0:
                s.common[card] = s.facts[card] & left_common
    s.hidden = left_common
    for i in range(25):
        s.unseen[i] = private[i]


@njit
def consistent(s):
    """Has every card an identity left in this seat's view?"""
    for p in range(s.players):
        for k in range(s.held[p]):
            if s.mine[s.hands[p, k]] == 0:
                return False
    return True


@njit
def possible(s, card, common):
    return s.common[card] if common else s.mine[card]
