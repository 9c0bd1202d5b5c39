"""Reading a clue: what it means to the one who receives it, and which label it carries for those who see the hand.

Nothing here chooses or changes anything. `notice` looks at the hand before the clue's facts are entered, `explain` and
`interpret` after; `update.hear_clue` does all three and writes the meaning into the notes.
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.cards import RANK_SET, members, single
from coplay.worlds.hanabi.bots.hgroup.connect import Connections
from coplay.worlds.hanabi.bots.hgroup.labels import ClueLabel
from coplay.worlds.hanabi.bots.hgroup.table import Clue, Link, Notebook


class Notice(NamedTuple):
    """What matters about the hand as it was before the clue."""

    chop: int
    fresh: tuple[int, ...]  # touched cards that nobody had gotten
    focus: int
    severity: int
    taken: int  # identities gotten before, as the receiver knows
    possible: list[int]  # by order
    inferred: list[int]


class Setting(NamedTuple):
    """What all clues of one giver to one hand have in common."""

    chop: int
    severity: int
    taken: int


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


def setting(table: Notebook, giver: int, target: int) -> Setting:
    """The part of a `Notice` that does not depend on the clue."""
    return Setting(table.chop(target), table.severity(giver), table.elsewhere(target, -1, giver))


def notice(table: Notebook, clue: Clue, common: Setting | None = None) -> Notice:
    """The hand before the clue: its chop, the new cards and the focus."""
    chop, severity, taken = common or setting(table, clue.giver, clue.target)
    marked = table.touched | table.finessed | (table.moved if table.level >= 4 else 0)
    fresh = tuple([order for order in clue.touched if not marked >> order & 1])
    focus = _focus(table, clue, chop, fresh)
    return Notice(chop, fresh, focus, severity, taken, table.possible[:], table.inferred[:])


def _focus(table: Notebook, clue: Clue, chop: int, fresh: tuple[int, ...]) -> int:
    if not fresh:
        only_moved = [order for order in clue.touched if (table.moved & ~table.touched) >> order & 1]
        return (only_moved or clue.touched)[-1]
    if chop in fresh:
        return chop
    if clue.is_rank and clue.value == 0 and table.level >= 3:
        return order_of_ones(table, list(fresh))[0]
    return fresh[-1]


def order_of_ones(table: Notebook, orders: list[int]) -> list[int]:
    """Unknown 1s in the order they play: the one from the chop, later draws newest first, the deal oldest first."""
    dealt = table.players * table.hand_size

    def place(order: int) -> tuple[int, int]:
        if table.was_chop >> order & 1:
            return (0, 0)
        return (1, -order) if order >= dealt else (2, order)

    return sorted(orders, key=place)


def savable(table: Notebook, clue: Clue, mind: int) -> int:
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
        if seat == mind or seat == clue.target:
            continue
        chop = table.chop(seat)
        for order in hand:
            seen = table.known[order] if seat != clue.giver else single(table.inferred[order])
            if seen % 5 == 1 and seen >= 0 and order != chop:
                twos &= ~(1 << seen)
    return twos | (last & clue.members)


def interpret(table: Notebook, clue: Clue, before: Notice, mind: int, truth: Candidate | None) -> Meaning:
    """The meaning of a clue whose facts are already in the table (`possible`, `touched`) and that `explain` explains
    by `truth`."""
    focus, fresh, target = before.focus, before.fresh, clue.target
    facts = table.possible[focus]
    moved: tuple[int, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    special: ClueLabel | None = None
    label = _trash(table, before)
    if label is not None:
        truth = None
    else:
        candidates = tuple(receive(table, clue, before))
        seen = mind != target and table.known[focus] >= 0
        reason = truth if seen else candidates[0] if candidates else None
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
    inferred = 0
    for candidate in candidates:
        inferred |= 1 << candidate.identity
    if before.severity == 3 and before.focus == before.chop and candidates:
        inferred = facts & ~table.trash  # a locked player may save anything
    if label is ClueLabel.TRASH_CHOP_MOVE:
        marked = table.touched | table.finessed | table.moved
        moved = tuple(members(table.cards[target] & ~marked & ((1 << min(fresh)) - 1)))
        inferred = facts
    elif special is ClueLabel.FIVE_CHOP_MOVE:
        moved = (before.chop,)  # even if the 5 plays: the receiver cannot tell
    return Meaning(clue, label, focus, before, candidates, truth, inferred, moved)


def explain(table: Notebook, clue: Clue, before: Notice, mind: int) -> Candidate | None:
    """Why the clue makes sense to a `mind` that sees its focus; None if it does not, or if he does not see it."""
    identity = table.known[before.focus]
    if mind == clue.target or identity < 0 or table.trash & (1 << identity):
        return None
    if before.focus == before.chop and savable(table, clue, mind) & (1 << identity):
        return Candidate(identity, True, ())
    links = Connections(table, clue, before.focus, mind, before.fresh).lead_to(identity)
    return None if links is None else Candidate(identity, False, links)


def receive(table: Notebook, clue: Clue, before: Notice) -> list[Candidate]:
    """All that the receiver takes the focus to be. Readings that need a surprise in his own hand come last."""
    target, focus = clue.target, before.focus
    options = table.possible[focus] & ~table.trash & ~table.elsewhere(target, focus, clue.giver)
    if not before.fresh:
        options &= table.inferred[focus] or options
    near: list[Candidate] = []
    own: list[tuple[int, Candidate]] = []
    saves = savable(table, clue, target) if focus == before.chop else 0
    connections = Connections(table, clue, focus, target, before.fresh)
    while options:
        identity = options.bit_length() - 1
        options ^= 1 << identity
        if saves >> identity & 1:
            near.append(Candidate(identity, True, ()))
            continue
        links = connections.lead_to(identity)
        if links is None:
            continue
        surprises = [link.kind for link in links if link.seat == target and link.kind != "known"]
        if surprises:
            own.append((surprises.count("finesse"), Candidate(identity, False, links)))
        else:
            near.append(Candidate(identity, False, links))
    if near or not own:
        return near
    fewest = min(blind for blind, _ in own)
    return [candidate for blind, candidate in own if blind == fewest]


def hopeless(table: Notebook, clue: Clue, before: Notice) -> bool:
    """Is a clue that its giver cannot explain (`explain`) bound to be read as unexplained, or as the fix it is not?"""
    if before.fresh:
        stalls = before.severity >= 3 or (clue.is_rank and clue.value == 4)
        return not stalls and _trash(table, before) is None
    return before.severity < 2 and not (table.level >= 3 and _fixes(table, clue, before))


def _only_stalls(before: Notice, reason: Candidate) -> bool:
    """A giver who may not discard asks nobody for surprises: such clues stall."""
    if _plain(reason):
        return False
    return (before.severity >= 2 and not before.fresh) or (before.severity >= 3 and before.focus == before.chop)


def _plain(candidate: Candidate) -> bool:
    """Is it a save or a play that surprises nobody?"""
    return not candidate.links or all(link.kind == "known" for link in candidate.links)


def _trash(table: Notebook, before: Notice) -> ClueLabel | None:
    """A clue whose new cards are all known trash protects what is older (level 4)."""
    if table.level < 4 or not before.fresh:
        return None
    useful = ~(table.trash | before.taken)
    for order in before.fresh:
        if table.possible[order] & useful:
            return None
    return ClueLabel.TRASH_CHOP_MOVE


def _special(table: Notebook, clue: Clue, before: Notice, explained: bool) -> ClueLabel | None:
    """Fixes, 5 stalls and 5 chop moves: meanings that do not depend on what the focus is."""
    fresh, focus = before.fresh, before.focus
    new_focus = bool(fresh) or bool(table.moved >> focus & 1)
    if table.level >= 3 and not (explained and new_focus) and _fixes(table, clue, before):
        return ClueLabel.FIX
    if clue.is_rank and clue.value == 4 and fresh and focus != before.chop:
        if before.severity >= 1:
            return ClueLabel.FIVE_STALL
        hand = table.hands[clue.target]
        unclued = [order for order in hand if order in fresh or not (table.gotten(order) or table.moved >> order & 1)]
        if table.level >= 4 and before.chop >= 0 and unclued[unclued.index(before.chop) + 1 :][:1] == [fresh[0]]:
            return ClueLabel.FIVE_CHOP_MOVE
    return None


def _fixes(table: Notebook, clue: Clue, before: Notice) -> bool:
    """Does the clue show that a touched card is not what its holder believed?"""
    for order in clue.touched:
        if order in before.fresh or not table.touched >> order & 1:
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


def _stall(table: Notebook, clue: Clue, before: Notice) -> ClueLabel:
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
