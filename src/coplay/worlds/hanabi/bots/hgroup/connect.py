"""Prompts and finesses: which cards must play before the focus of a play clue can.

Reasoned as one `mind`, who sees every hand but his own. Cards he sees count as what they are; in his own hand a prompt
or a finesse is a guess that fits the clues. Readings through other hands come before readings through his own.
"""

from __future__ import annotations

from coplay.worlds.hanabi.bots.hgroup.cards import union
from coplay.worlds.hanabi.bots.hgroup.table import Clue, Link, Notebook


class Ladder:
    """The links found so far in one colour; `rungs[k]` lead to the card k above the stack, None where they end."""

    __slots__ = ("playable", "rungs", "used")

    def __init__(self, used: int, playable: int) -> None:
        self.rungs: list[tuple[Link, ...] | None] = [()]
        self.used, self.playable = used, playable


class Connections:
    """What `mind` finds between the stacks and the focus of one clue. The table must not change meanwhile."""

    __slots__ = ("free", "giver", "ladders", "mind", "notes", "seats", "table", "used")

    def __init__(self, table: Notebook, clue: Clue, focus: int, mind: int, fresh: tuple[int, ...]) -> None:
        self.table, self.mind, self.giver = table, mind, clue.giver
        self.used = union(fresh) | 1 << focus
        self.free = ~(table.touched | table.finessed | table.moved)
        self.ladders: dict[int, Ladder] = {}
        players, target = table.players, clue.target
        self.seats = [
            seat for seat in [*range(clue.giver + 1, players), *range(clue.giver)] if seat != mind and seat != target
        ]
        if target != mind:
            self.seats.append(target)
        self.notes: list[tuple[int, int, int, int]] | None = None

    def lead_to(self, identity: int) -> tuple[Link, ...] | None:
        """The cards that lead from the stacks to `identity`, () if it plays now, None if nothing explains it."""
        color, rank = divmod(identity, 5)
        steps = rank - self.table.stacks[color]
        if steps <= 0:
            return ()
        ladder = self.ladders.get(color)
        if ladder is None:
            ladder = self.ladders[color] = Ladder(self.used, self.table.playable)
        rungs = ladder.rungs
        while len(rungs) <= steps:
            below = rungs[-1]
            if below is None:
                return None
            need = identity - steps + len(rungs) - 1
            found = self._find(need, ladder.used, ladder.playable)
            if not found:
                rungs.append(None)
                return None
            rungs.append(below + found)
            for link in found:
                ladder.used |= 1 << link.order
            ladder.playable = (ladder.playable | (2 << need)) & ~(1 << need)
        return rungs[steps]

    def _find(self, need: int, used: int, playable: int) -> tuple[Link, ...]:
        found = self._known(need, used, playable) or self._through(self.seats, need, used, playable)
        if not found and self.mind != self.giver:
            found = self._through([self.mind], need, used, playable)
        return found

    def _known(self, need: int, used: int, playable: int) -> tuple[Link, ...]:
        """A gotten card that its holder will play as `need` without being told more."""
        notes = self.notes
        if notes is None:
            notes = self.notes = self._gotten()
        bit = 1 << need
        for note, face, seat, order in notes:
            if (
                note & bit
                and (not face or face == bit)
                and (note == bit or (not note & ~playable and seat != self.giver))
                and not used >> order & 1
            ):
                return (Link("known", seat, order, need),)
        return ()

    def _gotten(self) -> list[tuple[int, int, int, int]]:
        """Note, face (if `mind` sees it), seat and order of the gotten cards, seat by seat."""
        table = self.table
        inferred, face, mind = table.inferred, table.face, self.mind
        gotten = (table.touched | table.finessed) & ~self.used
        return [
            (inferred[order], face[order] if seat != mind else 0, seat, order)
            for seat, hand in enumerate(table.hands)
            if gotten & table.cards[seat]
            for order in hand
            if gotten >> order & 1
        ]

    def _through(self, seats: list[int], need: int, used: int, playable: int) -> tuple[Link, ...]:
        """A prompt in one of the hands, else a finesse (a layered one from level 5)."""
        table, mind = self.table, self.mind
        cards, inferred, bit = table.cards, table.inferred, 1 << need
        open_to_prompts = table.touched & ~used
        unprompted: list[int] = []
        for seat in seats:
            hand = cards[seat] & open_to_prompts
            while hand:  # the newest touched card that may be `need`
                order = hand.bit_length() - 1
                if inferred[order] & bit:
                    if seat == mind or table.face[order] == bit:
                        return (Link("prompt", seat, order, need),)
                    break  # he would play the prompted card first
                hand ^= 1 << order
            else:
                unprompted.append(seat)
        if table.level < 2:
            return ()
        free = self.free & ~used
        for seat in unprompted:
            order = (cards[seat] & free).bit_length() - 1
            if order < 0:
                continue
            if seat == mind:
                if table.possible[order] & bit:
                    return (Link("finesse", seat, order, need),)
            elif table.face[order] == bit:
                return (Link("finesse", seat, order, need),)
            elif table.level >= 5 and playable & table.face[order]:
                links = self._layered(cards[seat] & free, need, seat, playable)
                if links:
                    return links
        return ()

    def _layered(self, hand: int, need: int, seat: int, playable: int) -> tuple[Link, ...]:
        """The newest cards of the hand down to `need`, if all of them play in turn."""
        links: list[Link] = []
        while hand:
            order = hand.bit_length() - 1
            hand ^= 1 << order
            seen = self.table.known[order]
            if seen < 0:
                return ()
            links.append(Link("finesse", seat, order, seen))
            if seen == need:
                return tuple(links)
            if not playable & (1 << seen):
                return ()
            playable = (playable | (2 << seen if seen % 5 < 4 else 0)) & ~(1 << seen)
        return ()
