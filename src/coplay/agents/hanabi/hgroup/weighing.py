"""What a clue is worth: every clue is tried on a copy of the table with the same reader the partners use.

The weights were set by hand; the few compared on 80 to 100 paired deals made no difference beyond noise.
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.agents.hanabi.hgroup.connect import connect
from coplay.agents.hanabi.hgroup.labels import PLAYS, SAVES, STALLS, ClueLabel
from coplay.agents.hanabi.hgroup.outlook import Outlook, outlook
from coplay.agents.hanabi.hgroup.reading import Meaning
from coplay.agents.hanabi.hgroup.table import Clue, Table
from coplay.agents.hanabi.hgroup.update import hear_clue

# In cards that will play:
TOKEN = 0.5  # what a clue costs
SAVE = 0.5  # per unit of danger taken away
KEPT = 0.1  # per unit of worth that can no longer be discarded by mistake
FRESH = 0.1  # per useful new card
BAD = 1.2  # per touched card that is trash or a twin
LATER = 0.4  # danger to seats that somebody else can still help


class Option(NamedTuple):
    """A clue that could be given and what it would do."""

    clue: Clue
    meaning: Meaning
    table: Table  # after the clue
    ahead: Outlook
    gain: int  # cards that will play because of it
    saved: float  # worth of cards kept from the discard pile
    bad: float  # touched cards that are trash or twins
    value: float
    honest: bool  # nobody would misread it


def clues(table: Table) -> list[Clue]:
    """Every legal clue of the viewer."""
    me = table.viewer
    found: list[Clue] = []
    for step in range(1, table.players):
        target = (me + step) % table.players
        hand = table.hands[target]
        for is_rank in (False, True):
            groups: dict[int, list[int]] = {}
            for order in hand:
                seen = table.known[order]
                groups.setdefault(seen % 5 if is_rank else seen // 5, []).append(order)
            for value in sorted(groups):
                found.append(Clue(me, target, is_rank, value, tuple(groups[value])))
    return found


def weigh_all(table: Table, base: Outlook) -> list[Option]:
    """All clues with their worth; those that would mislead are marked."""
    threats = [danger(table, seat) for seat in range(table.players)]
    return [weigh(table, clue, base, threats) for clue in clues(table)]


def weigh(table: Table, clue: Clue, base: Outlook, threats: list[float]) -> Option:
    """What the clue would do."""
    twin = table.copy()
    meaning = hear_clue(twin, clue, table.viewer)
    label = meaning.label
    ahead = outlook(twin)
    bad = bad_touches(table, meaning)
    gain = len(ahead.plays) - len(base.plays)
    busy = {clue.target, *(link.seat for link in (meaning.truth.links if meaning.truth else ()))}
    after = [danger(twin, seat) if seat in busy else threat for seat, threat in enumerate(threats)]
    saved = risk(table, threats) - risk(table, after)
    kept = worth_saved(table, meaning, ahead)
    fresh = sum(1 for order in meaning.notice.fresh if not table.trash & (1 << table.known[order]))
    value = gain + SAVE * saved + KEPT * kept + FRESH * (fresh - bad) - BAD * bad - TOKEN
    if label in STALLS:
        value -= 1
    if not clue.is_rank:
        value += 0.02
    honest = not misleads(table, twin, meaning) and (ahead.wrong < 0 or ahead.wrong == base.wrong)
    return Option(clue, meaning, twin, ahead, gain, saved, bad, value, honest)


def misleads(table: Table, twin: Table, meaning: Meaning) -> bool:
    """Would somebody believe something false about the focus or the cards before it?"""
    label, focus = meaning.label, meaning.focus
    if label is ClueLabel.UNEXPLAINED or (label is ClueLabel.FIX and meaning.notice.fresh):
        return True
    if label in PLAYS or label in SAVES:
        if not twin.inferred[focus] & (1 << table.known[focus]):
            return True
        if meaning.truth is not None and not agreed(table, twin, meaning):
            return True
    return False


def agreed(table: Table, twin: Table, meaning: Meaning) -> bool:
    """Will every other player find the same cards to play first, and nobody play a wrong one?"""
    truth = meaning.truth
    if truth is None or truth.save:
        return True
    inside = [link for link in truth.links if link.kind == "finesse" and link.seat == meaning.clue.target]
    if any(link.identity // 5 != truth.identity // 5 for link in inside):
        return False  # he would stop at the first surprise
    if any(twin.inferred[link.order] & ~table.playable for link in inside[:1]):
        return False  # he would not know yet whether to play it
    if not truth.links:
        return True
    bare = _without_calls(twin, meaning)
    for seat in range(table.players):
        if seat in (table.viewer, meaning.clue.target):
            continue
        links = connect(bare, meaning.clue, meaning.focus, truth.identity, seat, meaning.notice.fresh)
        if links is None:
            return False
        for link in links:
            if link.seat == seat and link.kind != "known" and table.known[link.order] != link.identity:
                return False
        mine = [link.order for link in truth.links if link.seat == seat and link.kind != "known"]
        theirs = [link.order for link in links if link.seat == seat and link.kind != "known"]
        if mine and theirs[:1] != mine[:1]:
            return False
    return True


def _without_calls(twin: Table, meaning: Meaning) -> Table:
    """The table with the clue's facts but without the expectations it raised."""
    bare = twin.copy()
    if meaning.truth is not None:
        for link in meaning.truth.links:
            if link.kind == "finesse":
                bare.finessed[link.order] = False
                bare.inferred[link.order] = bare.possible[link.order]
            elif link.kind == "prompt":
                bare.inferred[link.order] = bare.possible[link.order]
    return bare


def bad_touches(table: Table, meaning: Meaning) -> float:
    """New cards that are trash, or twins of gotten cards."""
    bad = 0.0
    taken = table.elsewhere(-1, -1)
    for wait in table.waits:
        for link in wait.links:
            taken |= 1 << link.identity
    for order in meaning.notice.fresh:
        bit = 1 << table.known[order]
        if bit & (table.trash | taken):
            bad += meaning.label is not ClueLabel.TRASH_CHOP_MOVE
        else:
            bad += own_twin(table, bit)
        taken |= bit
    if meaning.truth is not None:
        for link in meaning.truth.links:
            if link.kind == "finesse":
                bad += own_twin(table, 1 << link.identity)
    return bad


def own_twin(table: Table, bit: int) -> float:
    """How likely the viewer himself holds the card among those he was clued."""
    chance = 0.0
    for order in table.hands[table.viewer]:
        note = table.inferred[order]
        if note & bit and table.gotten(order):
            chance = max(chance, 1 / note.bit_count())
    return chance


def danger(table: Table, seat: int) -> float:
    """How bad it would be if the seat discarded its chop on its next turn; 0 if it has something better to do."""
    if table.known_plays(seat) or table.known_trash(seat):
        return 0.0
    chop = table.chop(seat)
    return worth(table, chop) if chop >= 0 else 0.0


def worth(table: Table, order: int) -> float:
    """What the loss of this card would cost."""
    identity = table.known[order]
    if identity < 0:
        return 0.0
    bit = 1 << identity
    if table.trash & bit:
        return 0.0
    copies = sum(table.known[other] == identity for hand in table.hands for other in hand)
    if table.critical & bit:
        return 3.0 if identity % 5 == 4 else 4.0 - 0.2 * (identity % 5)
    if copies > 1:
        return 0.0
    if identity % 5 == 1:
        return 2.0
    if table.playable & bit:
        return 1.5
    return 0.0


def risk(table: Table, threats: list[float]) -> float:
    """The danger of all seats together; the next one moves before anybody can help."""
    me = table.viewer
    return sum(
        threat * (1.0 if (seat - me) % table.players == 1 else LATER)
        for seat, threat in enumerate(threats)
        if seat != me
    )


def worth_saved(table: Table, meaning: Meaning, ahead: Outlook) -> float:
    """The worth of cards that can no longer be discarded by mistake."""
    total = 0.0
    for order in (*meaning.notice.fresh, *meaning.moved):
        if order not in ahead.plays:
            total += worth(table, order)
    return total
