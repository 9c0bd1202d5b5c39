"""Finesses: a hint to somebody further on may ask the players in between for the card that is missing."""

from __future__ import annotations

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.beliefs import NONE, PLAY, PROTECT, believe, group_of, index_of, kind_of
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.table import ALL, SINGLE, meets, only, within


@njit
def finesse(s, m, giver, receiver, cards, size):
    """A hint past somebody on a card one step from playable asks those in between for the missing card."""
    if receiver == s.me or receiver == (giver + 1) % s.players:
        return
    one_away = (s.playable << 5) & ALL
    base = -1
    for j in range(size):
        if only(s.common[cards[j]]) >= 0 and within(s.common[cards[j]], one_away):
            base = cards[j]
            break
    if base < 0:
        for j in range(size):
            if meets(s.common[cards[j]], one_away):
                if (one_away >> s.faces[cards[j]]) & 1:
                    base = cards[j]
                break
    if base < 0 or (kind_of(s, m, base) != NONE and kind_of(s, m, base) != PROTECT and index_of(s, m, base) != 0):
        return
    identity = s.faces[base] - 5

    targets = np.empty(5, np.int64)
    count = 0
    real = -1
    reals = 0
    own = -1
    seat = (giver + 1) % s.players
    while seat != receiver:
        card = finesse_target(s, m, seat, identity)
        if card >= 0:
            targets[count] = card
            count += 1
            if not (s.settled >> card) & 1:
                own = card
            elif s.mine[card] == SINGLE[identity]:
                real = card
                reals += 1
        seat = (seat + 1) % s.players
    if reals > 1:
        return
    if reals == 1:
        targets[0] = real
        count = 1
    elif own >= 0:
        targets[0] = own
        count = 1
    for j in range(count):
        add_finesse(s, m, targets[j], base, identity)


@njit
def add_finesse(s, m, target, base, identity):
    """The target is to be played as `identity`, before the base if that is in a sequence."""
    sequence = np.empty(60, np.int64)
    total = 0
    if kind_of(s, m, base) == PLAY:
        group = group_of(s, m, base)
        for j in range(m.length[group]):
            if j == m.index[s.top[base]]:
                sequence[total] = target
                total += 1
            sequence[total] = m.member[m.first[group] + j]
            total += 1
    else:
        sequence[0] = target
        total = 1
    believe(s, m, PLAY, sequence, total, 1 << target, identity)


@njit
def finesse_target(s, m, seat, identity):
    """The card with which the seat would answer a finesse for `identity`, or -1."""
    bit = SINGLE[identity]
    protected = -1
    free = -1
    for k in range(s.held[seat]):
        card = s.hands[seat, k]
        if not meets(s.common[card], bit):
            continue
        kind = kind_of(s, m, card)
        if kind == PLAY:  # he already has a card to play that may be the one
            return -1
        if kind == PROTECT and protected < 0:
            protected = card
        if kind == NONE and free < 0:
            free = card
    return protected if protected >= 0 else free
