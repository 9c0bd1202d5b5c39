"""What plays, discards and bombs mean, and how a move changes the table."""

from __future__ import annotations

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.beliefs import (
    JUNK,
    PLAY,
    PROTECT,
    believe_of,
    expected_plays,
    expects_play,
    finesse_of,
    forget_finesses,
    group_of,
    index_of,
    kind_of,
    likely_discard,
    take_snapshot,
)
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.hints import hear_hint, protect_older
from coplay.worlds.hanabi.bots.fireflower.table import CARDS, SINGLE, appraise, consistent, look, meets, within
from coplay.worlds.hanabi.bots.fireflower.tidying import tidy


@njit
def finish_move(s, m, hand, held, playable):
    """Tidies the beliefs and passes the turn; `hand` and `playable` are those of the mover before the move."""
    if not consistent(s):
        return
    tidy(s, m)
    for k in range(held):
        forget_finesses(s, m, hand[k], playable)
    s.turn = (s.turn + 1) % s.players
    if s.last_turns > 0:
        s.last_turns -= 1


@njit
def replace_card(s, seat, position, drawn):
    """Takes a card out of a hand; the next card of the deck enters as the newest, identity `drawn` (-1 unknown)."""
    for k in range(position, 0, -1):
        s.hands[seat, k] = s.hands[seat, k - 1]
    if s.deck > 0:
        s.hands[seat, 0] = CARDS - s.deck
        s.faces[CARDS - s.deck] = drawn
        s.deck -= 1
        if s.deck == 0:
            s.last_turns = s.players + 1
    else:
        for k in range(s.held[seat] - 1):
            s.hands[seat, k] = s.hands[seat, k + 1]
        s.held[seat] -= 1


@njit
def reveal(s, card, identity):
    """Everybody sees the card."""
    s.faces[card] = identity
    s.mine[card] = SINGLE[identity]
    s.common[card] = SINGLE[identity]


@njit
def do_hint(s, m, receiver, touched, is_rank, value):
    """The player to move gives a hint that names the positions `touched`."""
    s.tokens -= 1
    hear_hint(s, m, s.turn, receiver, touched, is_rank, value)
    finish_move(s, m, s.hands[s.turn].copy(), s.held[s.turn], s.playable)


@njit
def do_vague_hint(s, m):
    """The player to move gives a hint of which only the cost is known."""
    s.tokens -= 1
    s.vague += 1
    look(s, -1)
    finish_move(s, m, s.hands[s.turn].copy(), s.held[s.turn], s.playable)


@njit
def do_play(s, m, position, identity, drawn):
    """The player to move plays the card at a position, which turns out to be `identity`."""
    seat = s.turn
    card = s.hands[seat, position]
    hand = s.hands[seat].copy()
    held = s.held[seat]
    playable = s.playable
    danger = s.danger & s.hidden
    reveal(s, card, identity)
    replace_card(s, seat, position, drawn)
    if (playable >> identity) & 1:
        s.stacks[identity % 5] += 1
        s.played += 1
        if identity >= 20 and s.tokens < 8:
            s.tokens += 1
        appraise(s)
        look(s, -1)
        if kind_of(s, m, card) == PLAY:
            leave_sequence(s, m, card)
        following = (seat + 1) % s.players
        spot, _ = likely_discard(s, m, following, True)
        plays = expected_plays(s, m, following, True)
        take_snapshot(s, m, seat, 0, danger, s.hands[following, spot], plays)
    else:
        s.strikes += 1
        s.gone[identity] += 1
        s.discarded += 1
        appraise(s)
        look(s, -1)
        bomb(s, m, seat, card, identity)
    finish_move(s, m, hand, held, playable)


@njit
def do_discard(s, m, position, identity, drawn):
    """The player to move discards the card at a position, which turns out to be `identity`."""
    seat = s.turn
    card = s.hands[seat, position]
    hand = s.hands[seat].copy()
    held = s.held[seat]
    playable = s.playable
    danger = s.danger & s.hidden
    had_plays = expected_plays(s, m, seat, True)
    spot, _ = likely_discard(s, m, seat, True)
    promised = s.common[card]
    expected = expects_play(s, m, card, True, True)
    reveal(s, card, identity)
    replace_card(s, seat, position, drawn)
    s.gone[identity] += 1
    s.discarded += 1
    s.tokens += 1
    appraise(s)
    look(s, -1)

    if kind_of(s, m, card) == PLAY:
        drop_followers(s, m, card, identity)
    if expected:
        if s.players <= 3 and finesse_of(s, m, card) < 0:
            pass_on(s, m, seat, card, promised)
    elif kind_of(s, m, card) == JUNK and not meets(SINGLE[identity], s.junk):
        group = group_of(s, m, card)
        members = m.member[m.first[group] : m.first[group] + m.length[group]]
        believe_of(s, m, PROTECT, members, len(members))
    following = (seat + 1) % s.players
    next_spot, _ = likely_discard(s, m, following, True)
    next_card = s.hands[following, next_spot]
    if s.tokens <= 1 and had_plays != 0 and spot == position and kind_of(s, m, next_card) != PROTECT:
        cards = np.empty(1, np.int64)
        cards[0] = next_card
        believe_of(s, m, PROTECT, cards, 1)
    take_snapshot(s, m, seat, 1, danger, next_card, expected_plays(s, m, following, True))
    finish_move(s, m, hand, held, playable)


@njit
def leave_sequence(s, m, card):
    """The card was played: the later members of its sequence move up."""
    cards = np.empty(50, np.int64)
    count = 0
    group = group_of(s, m, card)
    for j in range(m.length[group]):
        member = m.member[m.first[group] + j]
        if member != card:
            cards[count] = member
            count += 1
    believe_of(s, m, PLAY, cards, count)


@njit
def drop_followers(s, m, card, identity):
    """A member left its sequence by discard: what then cannot be playable now leaves it too."""
    keep = np.empty(50, np.int64)
    single = np.empty(1, np.int64)
    kept = 0
    group = group_of(s, m, card)
    place = m.index[s.top[card]]
    for j in range(m.length[group]):
        single[0] = m.member[m.first[group] + j]
        options = s.common[single[0]] & ~SINGLE[identity]
        if j <= place or meets(options, s.playable):
            keep[kept] = single[0]
            kept += 1
        elif within(options, s.junk):
            believe_of(s, m, JUNK, single, 1)
        else:
            believe_of(s, m, PROTECT, single, 1)
    if kept < m.length[group]:
        believe_of(s, m, PLAY, keep, kept)


@njit
def bomb(s, m, seat, card, identity):
    """A believed play failed: the hint meant something else."""
    if kind_of(s, m, card) != PLAY:
        return
    oldest = card
    group = group_of(s, m, card)
    members = m.member[m.first[group] : m.first[group] + m.length[group]]
    for j in range(len(members)):
        for k in range(s.held[seat]):
            if s.hands[seat, k] == members[j]:
                oldest = min(oldest, members[j])
    always_first = True
    node = s.top[card]
    while node >= 0:
        always_first = always_first and (m.kind[node] != PLAY or m.index[node] == 0)
        node = m.older[node]
    if not meets(SINGLE[identity], s.junk):
        believe_of(s, m, PROTECT, members, len(members))
    if always_first:
        protect_older(s, m, seat, oldest)


@njit
def pass_on(s, m, seat, card, believed):
    """Discarding an expected play tells whoever holds a copy of it to play that one."""
    promised = believed & s.playable
    if promised == 0:
        return
    holder = -1
    holders = 0
    for p in range(s.players):
        if p == seat:
            continue
        for k in range(s.held[p]):
            held = s.hands[p, k]
            if (s.settled >> held) & 1 and meets(s.mine[held], promised):
                holder = p
                holders += 1
                break
    for p in range(s.players):
        if p == seat:
            continue
        if holders == 1:
            addressed = p == holder
        else:
            addressed = holders == 0 and (seat == s.me or p == s.me)
        if addressed:
            heir = heir_of(s, p, promised)
            if heir >= 0 and index_of(s, m, heir) != 0:
                if kind_of(s, m, card) == PLAY:
                    inherit(s, m, card, heir)
                else:
                    # As in the original this marks the discarded card, so only a second heir inherits anything.
                    discarded = np.empty(1, np.int64)
                    discarded[0] = card
                    believe_of(s, m, PLAY, discarded, 1)


@njit
def inherit(s, m, card, heir):
    """The heir takes the card's place in its sequence."""
    group = group_of(s, m, card)
    cards = m.member[m.first[group] : m.first[group] + m.length[group]].copy()
    cards[m.index[s.top[card]]] = heir
    believe_of(s, m, PLAY, cards, len(cards))


@njit
def heir_of(s, seat, promised):
    """The seat's first hinted card that could be one of `promised`, else its first card that could be; -1 without."""
    free = -1
    for k in range(s.held[seat]):
        card = s.hands[seat, k]
        if meets(s.common[card], promised):
            if s.touched[card]:
                return card
            if free < 0:
                free = card
    return free
