"""FireFlower's choice: every sensible action, the next player's likely answer, and the better of the prospects."""

from __future__ import annotations

import math

import numpy as np

from coplay.worlds.hanabi.bots.fireflower.beliefs import (
    PROTECT,
    expected_plays,
    finesse_of,
    kind_of,
    likely_discard,
    possibly_playable,
)
from coplay.worlds.hanabi.bots.fireflower.compiler import njit
from coplay.worlds.hanabi.bots.fireflower.evaluate import value
from coplay.worlds.hanabi.bots.fireflower.hints import named
from coplay.worlds.hanabi.bots.fireflower.moves import do_discard, do_hint, do_play, do_vague_hint
from coplay.worlds.hanabi.bots.fireflower.table import (
    RULE_BOOK_DISCARDS,
    SINGLE,
    appraise,
    consistent,
    count,
    look,
    loss_is_certain,
    meets,
)

PLAY_CARD, DISCARD_CARD, HINT_COLOR, HINT_RANK = 0, 1, 2, 3
NOW, ROOT, ANSWER = 0, 1, 2  # places in the array of tables: the current one and the two to come back to


@njit
def choose(tables, m, report):
    """Number of the best row of `report` and how many there are; a row: (kind, position or receiver, value, worth)."""
    s = tables[NOW]
    strict = s.strict
    s.vague = 0
    s.strict = 0 if loss_is_certain(s) else 1
    appraise(s)
    tables[ROOT] = s
    weights = np.zeros((64, 25))
    tried = candidates(s, m, report, weights)
    best = 0
    for j in range(tried):
        report[j, 3] = prospect(tables, m, report[j], weights[j])
        if report[j, 3] > report[best, 3]:
            best = j
    s.strict = strict
    appraise(s)
    return best, tried


@njit
def candidates(s, m, report, weights):
    """Lists what is worth a thought, with the weights of what the card may be; the number of rows."""
    me = s.me
    tried = 0
    plays = expected_plays(s, m, me, False)
    for k in range(s.held[me]):
        if (plays >> k) & 1:
            weigh_play(s, m, k, weights[tried])
            tried = note(report, tried, PLAY_CARD, k, 0)
    if plays == 0:
        k = possibly_playable(s, me, False)
        if k >= 0:
            weigh_gamble(s, m, k, weights[tried])
            tried = note(report, tried, PLAY_CARD, k, 0)
    if s.tokens < 8:
        spot, grade = likely_discard(s, m, me, False)
        weigh_discard(s, m, spot, grade, weights[tried])
        tried = note(report, tried, DISCARD_CARD, spot, 0)
        for k in range(s.held[me]):
            if (plays >> k) & 1 and k != spot:
                weigh_discarded_play(s, k, weights[tried])
                tried = note(report, tried, DISCARD_CARD, k, 0)
    if s.tokens > 0:
        for step in range(1, s.players):
            receiver = (me + step) % s.players
            for is_rank in range(2):
                for number in range(5):
                    if touches(s, receiver, is_rank, number) != 0:
                        weights[tried, 0] = 1.0
                        tried = note(report, tried, HINT_COLOR + is_rank, receiver, number)
    return tried


@njit
def note(report, row, kind, what, number):
    report[row, 0] = kind
    report[row, 1] = what
    report[row, 2] = number
    return row + 1


@njit
def prospect(tables, m, row, weights):
    """Mean value of an action over what my card may be; impossible cases are left out."""
    s = tables[NOW]
    kind = int(row[0])
    what = int(row[1])
    number = int(row[2])
    total = 0.0
    mass = 0.0
    for i in range(25):
        if weights[i] == 0.0:
            continue
        if kind == PLAY_CARD:
            do_play(s, m, what, i, -1)
        elif kind == DISCARD_CARD:
            do_discard(s, m, what, i, -1)
        else:
            is_rank = kind - HINT_COLOR
            do_hint(s, m, what, touches(s, what, is_rank, number), is_rank, number)
        worth = answer(tables, m) if consistent(s) else math.nan
        if not math.isnan(worth):
            total += weights[i] * worth
            mass += weights[i]
        tables[NOW] = tables[ROOT]
    return total / mass if mass > 0.0 else 0.0


@njit
def touches(s, receiver, is_rank, number):
    """The positions a hint would name."""
    positions = 0
    for k in range(s.held[receiver]):
        face = s.faces[s.hands[receiver, k]]
        if face >= 0 and meets(SINGLE[face], named(is_rank, number)):
            positions |= 1 << k
    return positions


@njit
def weigh_play(s, m, k, weights):
    card = s.hands[s.me, k]
    for i in range(25):
        if meets(SINGLE[i], s.mine[card] & s.playable):
            weights[i] = 100.0 if finesse_of(s, m, card) == i else 1.0


@njit
def weigh_gamble(s, m, k, weights):
    card = s.hands[s.me, k]
    for i in range(25):
        if meets(SINGLE[i], s.mine[card]):
            if meets(SINGLE[i], s.playable):
                weights[i] = 1.0
            elif not meets(SINGLE[i], s.danger):
                weights[i] = 100.0
            else:
                weights[i] = 200.0 if kind_of(s, m, card) == PROTECT else 150.0


@njit
def weigh_discard(s, m, k, grade, weights):
    card = s.hands[s.me, k]
    safe, risky = 1.0, 2.0
    if grade >= 5:
        safe, risky = 0.1, 0.01
    elif grade == 4:
        safe = 0.7
        risky = 0.5 if expected_plays(s, m, s.me, True) != 0 else 0.02
    for i in range(25):
        if meets(SINGLE[i], s.mine[card]):
            if meets(SINGLE[i], s.junk):
                weights[i] = 1.0
            else:
                weights[i] = risky if meets(SINGLE[i], s.danger) else safe


@njit
def weigh_discarded_play(s, k, weights):
    for i in range(25):
        if meets(SINGLE[i], s.mine[s.hands[s.me, k]] & s.playable):
            weights[i] = 1.0


@njit
def answer(tables, m):
    """Mean value over the likely actions of the player to move."""
    s = tables[NOW]
    chance = np.zeros((3, 5))  # play, discard or unspecified hint; position
    tables[ANSWER] = s
    predict(s, m, chance)
    tables[NOW] = tables[ANSWER]
    seat = s.turn
    total = 0.0
    mass = 0.0
    for kind in range(3):
        for k in range(5):
            if chance[kind, k] == 0.0:
                continue
            if kind == 0:
                do_play(s, m, k, s.faces[s.hands[seat, k]], -1)
            elif kind == 1:
                do_discard(s, m, k, s.faces[s.hands[seat, k]], -1)
            else:
                do_vague_hint(s, m)
            if consistent(s):
                total += chance[kind, k] * value(s, m)
                mass += chance[kind, k]
            tables[NOW] = tables[ANSWER]
    return total / mass if mass > 0.0 else math.nan


@njit
def only_junk_left(s):
    """Is everything unseen worthless?"""
    for i in range(25):
        if s.unseen[i] > 0 and not meets(SINGLE[i], s.junk):
            return False
    return True


@njit
def predict(s, m, chance):
    """What the player to move will probably do, judged from his own view of the table."""
    seat = s.turn
    look(s, seat)
    plays = expected_plays(s, m, seat, False)
    spot, grade = likely_discard(s, m, seat, False)
    exhausted = s.discarded >= RULE_BOOK_DISCARDS[s.players]
    waits = s.strict == 1 and exhausted and s.deck > 0 and s.tokens > 0 and count(plays) == 1 and only_junk_left(s)
    if plays != 0 and not waits:
        for k in range(s.held[seat]):
            if (plays >> k) & 1:
                chance[0, k] = 1.0
    elif s.tokens == 8 or plays != 0:
        chance[2, 0] = 1.0
    elif s.tokens == 0:
        if grade <= 3 or exhausted:
            chance[0, max(0, possibly_playable(s, seat, True))] = 1.0
        else:
            chance[1, spot] = 1.0
    elif grade <= 3 or exhausted:
        chance[2, 0] = 1.0
    else:
        chance[1, spot] = 0.8
        chance[2, 0] = 0.2
