"""What FireFlower's players believe about cards by convention, and what they are expected to do next.

A card carries a stack of beliefs, the newest on top: it is member number `index` of a sequence of cards to be played in
order (perhaps with the identity a finesse promises), or it is to be protected, or it is junk. Beliefs are nodes of an
append-only arena linked towards older ones, so a search undoes its changes by restoring the counters in the table.
"""

from __future__ import annotations

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.table import meets, only, possible, within

NONE, PLAY, PROTECT, JUNK = 0, 1, 2, 3

BELIEFS = 1 << 14
GROUPS = 1 << 13
MEMBERS = 1 << 15
SNAPSHOTS = 128
LONGEST = 48  # members of a group; a card can be several of them, as in the original, and among strangers that adds up

MEMORY = np.dtype(
    [
        ("kind", "i8", (BELIEFS,)),
        ("group", "i8", (BELIEFS,)),
        ("index", "i8", (BELIEFS,)),
        ("finesse", "i8", (BELIEFS,)),  # promised identity, -1 without
        ("older", "i8", (BELIEFS,)),
        ("first", "i8", (GROUPS,)),
        ("length", "i8", (GROUPS,)),
        ("member", "i8", (MEMBERS,)),
        ("snap_mover", "i8", (SNAPSHOTS,)),
        ("snap_discard", "i8", (SNAPSHOTS,)),
        ("snap_tokens", "i8", (SNAPSHOTS,)),
        ("snap_hands", "i8", (SNAPSHOTS, 5)),  # sets of cards
        ("snap_danger", "i8", (SNAPSHOTS,)),
        ("snap_next_discard", "i8", (SNAPSHOTS,)),
        ("snap_next_plays", "i8", (SNAPSHOTS,)),
    ],
    align=True,
)


@njit
def kind_of(s, m, card):
    return NONE if s.top[card] < 0 else m.kind[s.top[card]]


@njit
def index_of(s, m, card):
    """Place in its play sequence, -1 if it is in none."""
    return -1 if kind_of(s, m, card) != PLAY else m.index[s.top[card]]


@njit
def group_of(s, m, card):
    return -1 if s.top[card] < 0 else m.group[s.top[card]]


@njit
def finesse_of(s, m, card):
    return -1 if kind_of(s, m, card) != PLAY else m.finesse[s.top[card]]


@njit
def believed_useful(s, m, card):
    kind = kind_of(s, m, card)
    return kind == PLAY or kind == PROTECT


@njit
def believe(s, m, kind, cards, size, finessed, identity):
    """The first `size` of `cards` form a new group of this kind; those in `finessed` are promised to be `identity`.

    A card that already had a promised identity keeps it in a new play sequence.
    """
    size = min(size, LONGEST)
    if size == 0 or s.groups >= GROUPS or s.members + size > MEMBERS or s.beliefs + size > BELIEFS:
        return
    group = s.groups
    s.groups += 1
    m.first[group] = s.members
    m.length[group] = size
    for k in range(size):
        card = cards[k]
        promised = -1
        if kind == PLAY:
            promised = identity if (finessed >> card) & 1 else finesse_of(s, m, card)
        node = s.beliefs
        s.beliefs += 1
        m.kind[node] = kind
        m.group[node] = group
        m.index[node] = k
        m.finesse[node] = promised
        m.older[node] = s.top[card]
        s.top[card] = node
        m.member[s.members + k] = card
    s.members += size


@njit
def believe_of(s, m, kind, cards, size):
    believe(s, m, kind, cards, size, 0, -1)


@njit
def forget_finesses(s, m, card, playable):
    """Drops the card's finesses that could have been answered by the move just made; the others move up."""
    rest = np.empty(50, np.int64)
    while finesse_of(s, m, card) >= 0 and (playable >> finesse_of(s, m, card)) & 1:
        group = group_of(s, m, card)
        s.top[card] = m.older[s.top[card]]
        count = 0
        for j in range(m.length[group]):
            if m.member[m.first[group] + j] != card:
                rest[count] = m.member[m.first[group] + j]
                count += 1
        believe_of(s, m, PLAY, rest, count)


@njit
def likely_discard(s, m, seat, common):
    """Position of the card a seat would discard, and how gladly: 6 provable junk … 0 provably dangerous."""
    for k in range(s.held[seat] - 1, -1, -1):
        if within(possible(s, s.hands[seat, k], common), s.junk):
            return k, 6
    for k in range(s.held[seat] - 1, -1, -1):
        card = s.hands[seat, k]
        if kind_of(s, m, card) == JUNK and not within(possible(s, card, common), ~s.junk):
            return k, 5
    for k in range(s.held[seat] - 1, -1, -1):
        if not believed_useful(s, m, s.hands[seat, k]):
            return k, 4
    for k in range(s.held[seat] - 1, -1, -1):
        if not within(possible(s, s.hands[seat, k], common), s.danger):
            return k, 1
    return s.held[seat] - 1, 0


@njit
def expects_play(s, m, card, common, now):
    """Is the card expected to be played, right now or some time?"""
    options = possible(s, card, common)
    if not meets(options, s.playable):
        return False
    if within(options, s.playable):
        return True
    kind = kind_of(s, m, card)
    if kind == PROTECT:
        return within(options, s.playable | s.junk)
    return kind == PLAY and (not now or index_of(s, m, card) == 0)


@njit
def expected_plays(s, m, seat, common):
    """Set of positions of the cards a seat is expected to play now."""
    plays = 0
    for k in range(s.held[seat]):
        if expects_play(s, m, s.hands[seat, k], common, True):
            plays |= 1 << k
    return plays


@njit
def possibly_playable(s, seat, common):
    """Position of the newest card that could be playable, or -1."""
    for k in range(s.held[seat]):
        if meets(possible(s, s.hands[seat, k], common), s.playable):
            return k
    return -1


@njit
def take_snapshot(s, m, mover, is_discard, danger, next_discard, next_plays):
    if s.snapshots >= SNAPSHOTS:
        return
    t = s.snapshots
    s.snapshots += 1
    m.snap_mover[t] = mover
    m.snap_discard[t] = is_discard
    m.snap_tokens[t] = s.tokens
    m.snap_danger[t] = danger
    m.snap_next_discard[t] = next_discard
    m.snap_next_plays[t] = next_plays
    for p in range(s.players):
        cards = 0
        for k in range(s.held[p]):
            cards |= 1 << s.hands[p, k]
        m.snap_hands[t, p] = cards


@njit
def is_new(s, m, seat, card):
    """Did the seat draw the card after the latest discard by somebody else that left three tokens or more?"""
    for t in range(s.snapshots - 1, -1, -1):
        if m.snap_discard[t] and m.snap_mover[t] != seat and m.snap_tokens[t] >= 3:
            return not (m.snap_hands[t, seat] >> card) & 1
    return True


@njit
def unique_color(s, card):
    """The colour of all useful possibilities (common knowledge), or -1 if there are several or none."""
    useful = s.common[card] & ~s.junk
    color = -1
    for c in range(5):
        if useful & (0x108421 << c):
            if color >= 0:
                return -1
            color = c
    return color


@njit
def uniquely_playable(s, card):
    i = only(s.common[card])
    return i >= 0 and (s.playable >> i) & 1 == 1
