"""Clearing up after a move: what common knowledge contradicts leaves its group of beliefs."""

from __future__ import annotations

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.beliefs import JUNK, PLAY, PROTECT, believe_of, group_of, kind_of
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.table import meets, within


@njit
def tidy(s, m):
    """Brings the beliefs about all cards up to date with common knowledge; a card is visited once, with its group."""
    visited = 0
    for p in range(s.players):
        for k in range(s.held[p]):
            card = s.hands[p, k]
            group = group_of(s, m, card)
            if group < 0 or (visited >> card) & 1:
                continue
            for j in range(m.length[group]):
                visited |= 1 << m.member[m.first[group] + j]
            kind = kind_of(s, m, card)
            if kind == PROTECT:
                tidy_protected(s, m, group)
            elif kind == JUNK:
                tidy_junk(s, m, group)
            else:
                tidy_sequence(s, m, group)


@njit
def tidy_protected(s, m, group):
    """Provable junk leaves a protected group; what can be played as soon as it is useful is to be played."""
    junk = np.empty(50, np.int64)
    play = np.empty(50, np.int64)
    keep = np.empty(50, np.int64)
    junks = 0
    plays = 0
    keeps = 0
    for j in range(m.length[group]):
        card = m.member[m.first[group] + j]
        if within(s.common[card], s.junk):
            junk[junks] = card
            junks += 1
        elif within(s.common[card], s.junk | s.playable):
            play[plays] = card
            plays += 1
        else:
            keep[keeps] = card
            keeps += 1
    if junks + plays > 0:
        believe_of(s, m, JUNK, junk, junks)
        believe_of(s, m, PLAY, play, plays)
        believe_of(s, m, PROTECT, keep, keeps)


@njit
def tidy_junk(s, m, group):
    """A junk card that turns out to be the last of its kind is protected."""
    keep = np.empty(50, np.int64)
    protect = np.empty(50, np.int64)
    keeps = 0
    protects = 0
    for j in range(m.length[group]):
        card = m.member[m.first[group] + j]
        if within(s.common[card], s.danger):
            protect[protects] = card
            protects += 1
        else:
            keep[keeps] = card
            keeps += 1
    if protects > 0:
        believe_of(s, m, JUNK, keep, keeps)
        believe_of(s, m, PROTECT, protect, protects)


@njit
def tidy_sequence(s, m, group):
    cards = np.empty(50, np.int64)
    size = 0
    for j in range(m.length[group]):
        card = m.member[m.first[group] + j]
        if group_of(s, m, card) == group:
            cards[size] = card
            size += 1
    sift_sequence(s, m, cards, size)


@njit
def sift_sequence(s, m, cards, size):
    """Keeps the cards that can be played in this order; the others become protected, or junk where provable.

    Without anything to sift out nothing changes.
    """
    keep = np.empty(50, np.int64)
    protect = np.empty(50, np.int64)
    junk = np.empty(50, np.int64)
    kept = 0
    protects = 0
    junks = 0
    fits = s.playable
    for j in range(size):
        card = cards[j]
        if meets(s.common[card], fits):
            keep[kept] = card
            kept += 1
            fits |= (s.common[card] & fits) << 5
        elif within(s.common[card], s.junk):
            junk[junks] = card
            junks += 1
        else:
            protect[protects] = card
            protects += 1
    if kept == size:
        return
    believe_of(s, m, PLAY, keep, kept)
    believe_of(s, m, PROTECT, protect, protects)
    believe_of(s, m, JUNK, junk, junks)
