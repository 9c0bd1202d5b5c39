"""What a hint means to everybody at the table: play, protect, or "these are junk, mind the older ones"."""

from __future__ import annotations

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.beliefs import (
    NONE,
    PLAY,
    PROTECT,
    believe_of,
    expects_play,
    group_of,
    is_new,
    kind_of,
    likely_discard,
    unique_color,
    uniquely_playable,
)
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.finesses import finesse
from coplay.worlds.hanabi.bots.fireflower.table import COLOR_0, FIVES, RANK_0, look, meets, only, within


@njit
def named(is_rank, value):
    """The identities a hint names."""
    return RANK_0 << (5 * value) if is_rank == 1 else COLOR_0 << value


@njit
def hear_hint(s, m, giver, receiver, touched, is_rank, value):
    """Applies a hint that names the set of positions `touched` and draws the convention's conclusions.

    What follows for other cards from cards that the hint identifies is only drawn at the next move.
    """
    look(s, -1)
    before = 0  # the receiver's cards expected to be played now
    for k in range(s.held[receiver]):
        if expects_play(s, m, s.hands[receiver, k], True, True):
            before |= 1 << s.hands[receiver, k]
    chains = np.empty(25, np.int64)  # cards of any hand that were known or believed to be played
    links = 0
    for p in range(s.players):
        for k in range(s.held[p]):
            card = s.hands[p, k]
            if uniquely_playable(s, card) or kind_of(s, m, card) == PLAY:
                chains[links] = card
                links += 1

    cards = np.empty(5, np.int64)
    size = 0
    for k in range(s.held[receiver]):
        card = s.hands[receiver, k]
        told = named(is_rank, value)
        if (touched >> k) & 1:
            s.touched[card] = 1
            cards[size] = card
            size += 1
        else:
            told = ~told
        s.facts[card] &= told
        s.common[card] &= told
        s.mine[card] &= told
    interpret(s, m, giver, receiver, cards, size, is_rank, value, before, chains, links)


@njit
def interpret(s, m, giver, receiver, cards, size, is_rank, value, before, chains, links):
    spot, _ = likely_discard(s, m, receiver, True)
    discard = s.hands[receiver, spot]
    hit_discard = False
    hit_expected = False
    any_playable = False
    all_junk = True
    some_junk = False
    for j in range(size):
        card = cards[j]
        hit_discard |= card == discard
        hit_expected |= (before >> card) & 1 == 1
        any_playable |= meets(s.common[card], s.playable)
        junk = within(s.common[card], s.junk)
        all_junk &= junk
        some_junk |= junk
    saves_discard = hit_discard and meets(s.common[discard], s.danger)
    saves_play = False
    for k in range(s.held[receiver]):
        card = s.hands[receiver, k]
        saves_play |= (before >> card) & 1 == 1 and within(s.common[card], s.danger)

    if (
        (saves_discard or saves_play)
        and (before == 0 or hit_expected)
        and not plays_anyway(s, m, receiver, cards, size, is_rank, value, before, saves_discard, saves_play, discard)
    ):
        believe_of(s, m, PROTECT, cards, size)
    elif any_playable:
        ordered = np.empty(5, np.int64)
        count = 0
        for j in range(size):
            if within(s.common[cards[j]], s.playable):
                ordered[count] = cards[j]
                count += 1
        for j in range(size):
            if not within(s.common[cards[j]], s.playable) and not chain(s, m, cards[j], chains, links):
                ordered[count] = cards[j]
                count += 1
        believe_of(s, m, PLAY, ordered, count)
        finesse(s, m, giver, receiver, cards, size)
    elif not some_junk:
        finesse(s, m, giver, receiver, cards, size)
        rest = np.empty(5, np.int64)
        count = 0
        for j in range(size):
            if not chain(s, m, cards[j], chains, links):
                rest[count] = cards[j]
                count += 1
        believe_of(s, m, PROTECT, rest, count)
    elif all_junk:
        protect_older(s, m, receiver, cards[size - 1])


@njit
def protect_older(s, m, seat, oldest):
    """Protects every card of the seat that is older than `oldest`; cards are numbered in the order they were drawn."""
    older = np.empty(5, np.int64)
    count = 0
    for k in range(s.held[seat]):
        if s.hands[seat, k] < oldest:
            older[count] = s.hands[seat, k]
            count += 1
    believe_of(s, m, PROTECT, older, count)


@njit
def plays_anyway(s, m, receiver, cards, size, is_rank, value, before, saves_discard, saves_play, discard):
    """A hint that would protect is a play hint all the same if …"""
    fresh = False
    for j in range(size):
        fresh |= (before >> cards[j]) & 1 == 0
    if not fresh:
        return False
    if saves_discard and not saves_play and kind_of(s, m, discard) == NONE and was_safe(s, m, receiver, discard):
        return True
    if is_rank == 1:
        return rank_plays_anyway(s, m, receiver, cards, size, value)
    return color_plays_anyway(s, m, receiver, cards, size)


@njit
def was_safe(s, m, receiver, discard):
    """… the player before the receiver had tokens and saw the same discard coming, yet did not mind;"""
    before = (receiver + s.players - 1) % s.players
    for t in range(s.snapshots - 1, -1, -1):
        if m.snap_mover[t] == before and 3 <= m.snap_tokens[t] < 8:
            new_danger = s.danger & s.hidden & ~m.snap_danger[t]
            return (
                m.snap_next_plays[t] == 0
                and m.snap_next_discard[t] == discard
                and not meets(s.common[discard], new_danger)
            )
    return False


@njit
def rank_plays_anyway(s, m, receiver, cards, size, value):
    """… a rank is named of which most colours are just needed;"""
    hopeful = 0
    for j in range(size):
        options = s.common[cards[j]]
        if meets(options, s.playable):
            hopeful += 1
        elif not within(options, s.junk) and only(options) < 0:
            return False
    at_most = 0
    below = 0
    for color in range(5):
        at_most += s.stacks[color] <= value
        below += s.stacks[color] < value
    return hopeful > at_most or below == 0 or (is_new(s, m, receiver, cards[0]) and hopeful >= below)


@njit
def color_plays_anyway(s, m, receiver, cards, size):
    """… a colour names the newest card while all others are protected, or a new card and nothing worth protecting."""
    if cards[0] == s.hands[receiver, 0]:
        others_protected = True
        for k in range(1, s.held[receiver]):
            others_protected &= kind_of(s, m, s.hands[receiver, k]) == PROTECT
        if others_protected:
            return True
    if not is_new(s, m, receiver, cards[0]):
        return False
    for j in range(size):
        options = s.common[cards[j]]
        if only(options) < 0 and not within(options, FIVES | ~s.danger | s.playable):
            return False
    return True


@njit
def chain(s, m, card, chains, links):
    """Appends the card to the sequence of an earlier play of the same colour; False if there is none."""
    color = unique_color(s, card)
    if color < 0:
        return False
    for j in range(links):
        head = chains[j]
        if head == card or unique_color(s, head) != color:
            continue
        sequence = np.empty(50, np.int64)
        count = 0
        group = group_of(s, m, head)
        if kind_of(s, m, head) == PLAY:
            for i in range(m.length[group]):
                member = m.member[m.first[group] + i]
                if member == head or unique_color(s, member) == color:
                    sequence[count] = member
                    count += 1
        else:
            sequence[0] = head
            count = 1
        sequence[count] = card
        believe_of(s, m, PLAY, sequence, count + 1)
        return True
    return False
