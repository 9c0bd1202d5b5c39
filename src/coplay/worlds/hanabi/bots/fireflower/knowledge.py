"""What this seat takes cards for, and whether those who hold them believe rightly that they can be played."""

from __future__ import annotations

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.beliefs import group_of, index_of
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.table import COLOR_0, SINGLE, meets, only, within


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
