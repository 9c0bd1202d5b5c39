"""Notes brought in line with the facts: cards counted out, and good touch."""

from __future__ import annotations

from coplay.worlds.hanabi.bots.hgroup.cards import COPIES, members
from coplay.worlds.hanabi.bots.hgroup.table import Notebook


def count(table: Notebook) -> None:
    """Recomputes which identities each seat sees completely outside its own hand."""
    shown = table.gone[:]
    known = table.known
    once = twins = 0
    for hand in table.hands:
        for order in hand:
            identity = known[order]
            if identity >= 0:
                shown[identity] += 1
                bit = 1 << identity
                twins |= once & bit
                once |= bit
    table.shown, table.twins = shown, twins
    complete = [identity for identity in range(25) if shown[identity] >= COPIES[identity]]
    for seat, hand in enumerate(table.hands):
        own = [known[order] for order in hand]
        out = 0
        for identity in complete:
            if identity not in own or shown[identity] - own.count(identity) >= COPIES[identity]:
                out |= 1 << identity
        table.ruled_out[seat] = out


def settle(table: Notebook, seat: int) -> None:
    """Brings the notes of one hand in line with the facts and with good touch."""
    possible, inferred = table.possible, table.inferred
    keep = ~table.ruled_out[seat]
    hand = table.hands[seat]
    sure: list[int] = []
    for order in hand:
        facts = possible[order] & keep
        if facts:
            possible[order] = facts
        else:
            facts = possible[order]
        if facts & (facts - 1) == 0:
            sure.append(facts)
    if sure:
        _count_out(table, seat, sure)
    gotten = (table.touched | table.finessed) & table.cards[seat]
    if not gotten:
        for order in hand:
            inferred[order] = possible[order]
        return
    for order in hand:
        if not gotten >> order & 1:
            inferred[order] = possible[order]
    live = ~table.trash
    for order in members(gotten & table.focused) + members(gotten & ~table.focused):
        facts = possible[order]
        note = inferred[order] & facts
        if note == 0:
            note = facts & live & ~_taken(table, seat, order) or facts & live or facts
        elif note & (note - 1) and note & live:
            note = note & live & ~_taken(table, seat, order) or note
        inferred[order] = note


def _count_out(table: Notebook, seat: int, sure: list[int]) -> None:
    """Identities whose copies are all accounted for, by cards seen and by `sure` own ones, leave the other cards."""
    possible, hand = table.possible, table.hands[seat]
    own = [table.known[order] for order in hand]
    for bit in dict.fromkeys(sure):
        identity = bit.bit_length() - 1
        if table.shown[identity] - own.count(identity) + sure.count(bit) >= COPIES[identity]:
            for order in hand:
                if possible[order] & bit and possible[order] != bit:
                    possible[order] &= ~bit


def _taken(table: Notebook, seat: int, order: int) -> int:
    """What good touch excludes; a card called only by this one's clue may be a twin until it has played."""
    taken = table.elsewhere(seat, order, table.clued_by[order])
    for wait in table.waits:
        if wait.focus == order:
            for link in wait.links:
                if link.kind == "finesse":
                    taken &= ~(1 << link.identity)
    return taken
