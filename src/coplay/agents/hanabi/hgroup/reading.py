"""Reading a clue: what it means to the one who receives it, and which label it carries for those who see the hand.

Nothing here chooses or changes anything. `notice` looks at the hand before the clue's facts are entered, `interpret`
after; `update.hear_clue` does both and writes the meaning into the notes.
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.agents.hanabi.hgroup.connect import connect
from coplay.agents.hanabi.hgroup.labels import ClueLabel
from coplay.agents.hanabi.hgroup.table import RANK_SET, Clue, Link, Table, single


class Notice(NamedTuple):
    """What matters about the hand as it was before the clue."""

    chop: int
    fresh: tuple[int, ...]  # touched cards that nobody had gotten
    focus: int
    severity: int
    taken: int  # identities gotten before, as the receiver knows
    possible: dict[int, int]
    inferred: dict[int, int]


class Candidate(NamedTuple):
    """One thing the focus may be and the reason to clue it."""

    identity: int
    save: bool
    links: tuple[Link, ...]


class Meaning(NamedTuple):
    """What a clue says: `label` and `truth` as `mind` sees it, `candidates` and `inferred` as the receiver does."""

    clue: Clue
    label: ClueLabel
    focus: int
    notice: Notice
    candidates: tuple[Candidate, ...]
    truth: Candidate | None
    inferred: int
    moved: tuple[int, ...]


def notice(table: Table, clue: Clue) -> Notice:
    """The hand before the clue: its chop, the new cards and the focus."""
    chop = table.chop(clue.target)
    fresh = tuple(
        order
        for order in clue.touched
        if not (table.touched[order] or table.finessed[order] or (table.moved[order] and table.level >= 4))
    )
    hand = table.hands[clue.target]
    return Notice(
        chop,
        fresh,
        _focus(table, clue, chop, fresh),
        table.severity(clue.giver),
        table.elsewhere(clue.target, -1, clue.giver),
        {order: table.possible[order] for order in hand},
        {order: table.inferred[order] for order in hand},
    )


def _focus(table: Table, clue: Clue, chop: int, fresh: tuple[int, ...]) -> int:
    if not fresh:
        only_moved = [order for order in clue.touched if table.moved[order] and not table.touched[order]]
        return (only_moved or clue.touched)[-1]
    if chop in fresh:
        return chop
    if clue.is_rank and clue.value == 0 and table.level >= 3:
        return order_of_ones(table, list(fresh))[0]
    return fresh[-1]


def order_of_ones(table: Table, orders: list[int]) -> list[int]:
    """Unknown 1s in the order they play: the one from the chop, later draws newest first, the deal oldest first."""
    dealt = table.players * table.hand_size

    def place(order: int) -> tuple[int, int]:
        if table.was_chop[order]:
            return (0, 0)
        return (1, -order) if order >= dealt else (2, order)

    return sorted(orders, key=place)


def savable(table: Table, clue: Clue, mind: int) -> int:
    """The identities that this clue could save on the chop, as `mind` sees the other hands."""
    last = table.critical & ~table.trash & ~RANK_SET[4]
    if not clue.is_rank:
        return last & clue.members
    if clue.value == 4:
        return RANK_SET[4] & ~table.trash
    if clue.value != 1:
        return last & clue.members
    twos = RANK_SET[1] & ~table.trash
    for seat, hand in enumerate(table.hands):
        if seat in (mind, clue.target):
            continue
        chop = table.chop(seat)
        for order in hand:
            seen = table.known[order] if seat != clue.giver else single(table.inferred[order])
            if seen % 5 == 1 and seen >= 0 and order != chop:
                twos &= ~(1 << seen)
    return twos | (last & clue.members)


def interpret(table: Table, clue: Clue, before: Notice, mind: int) -> Meaning:
    """The meaning of a clue whose facts are already in the table (`possible`, `touched`)."""
    focus, fresh, target = before.focus, before.fresh, clue.target
    facts = table.possible[focus]
    moved: tuple[int, ...] = ()
    truth: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()
    special: ClueLabel | None = None
    label = _trash(table, before)
    if label is None:
        candidates = tuple(receive(table, clue, before))
        seen = table.known[focus] if mind != target else -1
        if seen >= 0:
            truth = explain(table, clue, before, seen, mind)
        reason = truth if seen >= 0 else candidates[0] if candidates else None
        special = _special(table, clue, before, bool(candidates) and reason is not None)
        if reason is not None and _only_stalls(before, reason):
            reason = truth = None
        if special and not (special is not ClueLabel.FIX and reason and _plain(reason)):
            label, truth = special, None
        else:
            label = _label(clue, reason) if reason else _stall(table, clue, before)
        if special:
            candidates = ()
    if before.severity == 3 and before.focus == before.chop:
        candidates = tuple(candidate for candidate in candidates if _plain(candidate))
    inferred = sum(1 << identity for identity in {candidate.identity for candidate in candidates})
    if before.severity == 3 and before.focus == before.chop and candidates:
        inferred = facts & ~table.trash  # a locked player may save anything
    if label is ClueLabel.TRASH_CHOP_MOVE:
        moved = tuple(
            order
            for order in table.hands[target]
            if order < min(fresh) and not (table.touched[order] or table.finessed[order] or table.moved[order])
        )
        inferred = facts
    elif special is ClueLabel.FIVE_CHOP_MOVE:
        moved = (before.chop,)  # even if the 5 plays: the receiver cannot tell
    return Meaning(clue, label, focus, before, candidates, truth, inferred, moved)


def explain(table: Table, clue: Clue, before: Notice, identity: int, mind: int) -> Candidate | None:
    """Why the clue makes sense if the focus is `identity`, or None."""
    if before.focus == before.chop and savable(table, clue, mind) & (1 << identity):
        return Candidate(identity, True, ())
    if table.trash & (1 << identity):
        return None
    links = connect(table, clue, before.focus, identity, mind, before.fresh)
    return None if links is None else Candidate(identity, False, links)


def receive(table: Table, clue: Clue, before: Notice) -> list[Candidate]:
    """All that the receiver takes the focus to be. Readings that need a surprise in his own hand come last."""
    target, focus = clue.target, before.focus
    options = table.possible[focus] & ~table.trash & ~table.elsewhere(target, focus, clue.giver)
    if not before.fresh:
        options &= table.inferred[focus] or options
    near: list[Candidate] = []
    own: list[tuple[int, Candidate]] = []
    saves = savable(table, clue, target) if focus == before.chop else 0
    while options:
        identity = options.bit_length() - 1
        options &= ~(1 << identity)
        if saves & (1 << identity):
            near.append(Candidate(identity, True, ()))
            continue
        links = connect(table, clue, focus, identity, target, before.fresh)
        if links is None:
            continue
        surprises = sum(link.kind != "known" and link.seat == target for link in links)
        if surprises:
            blind = sum(link.kind == "finesse" and link.seat == target for link in links)
            own.append((blind, Candidate(identity, False, links)))
        else:
            near.append(Candidate(identity, False, links))
    if near or not own:
        return near
    fewest = min(blind for blind, _ in own)
    return [candidate for blind, candidate in own if blind == fewest]


def _only_stalls(before: Notice, reason: Candidate) -> bool:
    """A giver who may not discard asks nobody for surprises: such clues stall."""
    if _plain(reason):
        return False
    return (before.severity >= 2 and not before.fresh) or (before.severity >= 3 and before.focus == before.chop)


def _plain(candidate: Candidate) -> bool:
    """Is it a save or a play that surprises nobody?"""
    return all(link.kind == "known" for link in candidate.links)


def _trash(table: Table, before: Notice) -> ClueLabel | None:
    """A clue whose new cards are all known trash protects what is older (level 4)."""
    useless = table.trash | before.taken
    if table.level >= 4 and before.fresh and all(table.possible[order] & ~useless == 0 for order in before.fresh):
        return ClueLabel.TRASH_CHOP_MOVE
    return None


def _special(table: Table, clue: Clue, before: Notice, explained: bool) -> ClueLabel | None:
    """Fixes, 5 stalls and 5 chop moves: meanings that do not depend on what the focus is."""
    fresh, focus = before.fresh, before.focus
    new_focus = bool(fresh) or table.moved[focus]
    if table.level >= 3 and not (explained and new_focus) and _fixes(table, clue, before):
        return ClueLabel.FIX
    if clue.is_rank and clue.value == 4 and fresh and focus != before.chop:
        if before.severity >= 1:
            return ClueLabel.FIVE_STALL
        hand = table.hands[clue.target]
        unclued = [order for order in hand if order in fresh or not (table.gotten(order) or table.moved[order])]
        if table.level >= 4 and before.chop >= 0 and unclued[unclued.index(before.chop) + 1 :][:1] == [fresh[0]]:
            return ClueLabel.FIVE_CHOP_MOVE
    return None


def _fixes(table: Table, clue: Clue, before: Notice) -> bool:
    """Does the clue show that a touched card is not what its holder believed?"""
    for order in clue.touched:
        if order in before.fresh or not table.touched[order]:
            continue
        was, now = before.possible[order], table.possible[order]
        if now == was:
            continue
        if before.inferred[order] & now == 0:
            return True
        if now & ~table.trash == 0 and was & ~table.trash:
            return True
    return False


def _label(clue: Clue, candidate: Candidate) -> ClueLabel:
    if candidate.save:
        if clue.is_rank and clue.value == 4:
            return ClueLabel.SAVE_5
        return ClueLabel.SAVE_2 if clue.is_rank and clue.value == 1 else ClueLabel.SAVE_CRITICAL
    kinds = {link.kind for link in candidate.links}
    if "finesse" in kinds:
        return ClueLabel.FINESSE
    if "prompt" in kinds:
        return ClueLabel.PROMPT
    return ClueLabel.DELAYED if kinds else ClueLabel.PLAY


def _stall(table: Table, clue: Clue, before: Notice) -> ClueLabel:
    """The label of a clue that neither plays nor saves its focus."""
    if before.fresh:
        if before.severity >= 3 and before.focus == before.chop:
            return ClueLabel.LOCKED_SAVE if before.severity == 3 else ClueLabel.EIGHT_CLUE_SAVE
        if before.severity == 4:
            return ClueLabel.EIGHT_CLUE_SAVE
        return ClueLabel.UNEXPLAINED
    if before.severity >= 2:
        learns = any(table.possible[order] != before.possible[order] for order in clue.touched)
        return ClueLabel.FILL_IN if learns else ClueLabel.HARD_BURN
    return ClueLabel.UNEXPLAINED
