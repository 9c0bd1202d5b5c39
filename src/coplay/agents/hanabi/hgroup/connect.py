"""Prompts and finesses: which cards must play before the focus of a play clue can.

Reasoned as one `mind`, who sees every hand but his own. Cards he sees count as what they are; in his own hand a prompt
or a finesse is a guess that fits the clues. Readings through other hands come before readings through his own.
"""

from __future__ import annotations

from coplay.agents.hanabi.hgroup.table import Clue, Link, Table


def connect(
    table: Table, clue: Clue, focus: int, identity: int, mind: int, fresh: tuple[int, ...]
) -> tuple[Link, ...] | None:
    """The cards that lead from the stacks to `identity`, () if it plays now, None if nothing explains it."""
    color, rank = divmod(identity, 5)
    height = table.stacks[color]
    if rank == height:
        return ()
    seats = [(clue.giver + step) % table.players for step in range(1, table.players)]
    others = [seat for seat in seats if seat not in (mind, clue.target)]
    visible = [*others, clue.target] if clue.target != mind else others
    links: list[Link] = []
    used = (*fresh, focus)
    playable = table.playable
    for low in range(height, rank):
        need = 5 * color + low
        found = _known(table, need, mind, clue.giver, used, playable) or _through(
            table, need, visible, mind, used, playable
        )
        if not found and mind != clue.giver:
            found = _through(table, need, [mind], mind, used, playable)
        if not found:
            return None
        links.extend(found)
        used = (*used, *(link.order for link in found))
        playable = (playable | (2 << need)) & ~(1 << need)
    return tuple(links)


def _known(table: Table, need: int, mind: int, giver: int, used: tuple[int, ...], playable: int) -> list[Link]:
    """A gotten card that its holder will play as `need` without being told more."""
    bit = 1 << need
    for seat, hand in enumerate(table.hands):
        for order in hand:
            note = table.inferred[order]
            if note & bit and (table.touched[order] or table.finessed[order]) and order not in used:
                seen = table.known[order] if seat != mind else -1
                if seen >= 0 and seen != need:
                    continue
                if note == bit or (note & ~playable == 0 and seat != giver):
                    return [Link("known", seat, order, need)]
    return []


def _through(table: Table, need: int, seats: list[int], mind: int, used: tuple[int, ...], playable: int) -> list[Link]:
    """A prompt in one of the hands, else a finesse (a layered one from level 5)."""
    for seat in seats:
        order = prompted(table, seat, need, used)
        if order >= 0 and (seat == mind or table.known[order] == need):
            return [Link("prompt", seat, order, need)]
    if table.level < 2:
        return []
    for seat in seats:
        if prompted(table, seat, need, used) >= 0:
            continue  # he would play the prompted card first
        links = _finesse(table, need, seat, mind, used, playable)
        if links:
            return links
    return []


def prompted(table: Table, seat: int, need: int, used: tuple[int, ...]) -> int:
    """The newest touched card of the hand that may be `need`, -1 if there is none."""
    bit = 1 << need
    for order in reversed(table.hands[seat]):
        if table.touched[order] and table.inferred[order] & bit and order not in used:
            return order
    return -1


def _finesse(table: Table, need: int, seat: int, mind: int, used: tuple[int, ...], playable: int) -> list[Link]:
    links: list[Link] = []
    while True:
        order = table.finesse_position(seat, used)
        if order < 0:
            return []
        if seat == mind:
            return [Link("finesse", seat, order, need)] if table.possible[order] & (1 << need) else []
        seen = table.known[order]
        if seen < 0:
            return []
        links.append(Link("finesse", seat, order, seen))
        if seen == need:
            return links
        if table.level < 5 or not playable & (1 << seen):
            return []
        used = (*used, order)
        playable = (playable | (2 << seen if seen % 5 < 4 else 0)) & ~(1 << seen)
