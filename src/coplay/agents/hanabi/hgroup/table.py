"""The table as the conventions see it: hands by card, what clues say about each card, and the notes people keep.

Cards are numbered by deal order ("order"), identities by colour * 5 + rank, sets of identities are 25-bit integers.
Slots run from the oldest card (0) to the newest. Two kinds of knowledge are kept per card:

- `possible`: what its holder cannot rule out from clues and from the cards he sees (facts);
- `inferred`: what its holder believes by convention (the "note"). It only shrinks, unless facts contradict it: when it
  would become empty it falls back to what good touch allows, and then to `possible`, so a stranger's unexplainable
  move never leaves a card without a belief.

A table belongs to one viewer (or to nobody: viewer -1 sees all hands, for analysis). The viewer's picture of another
player's notes is computed from what both of them see; functions that take a `mind` reason as that seat.
"""

from __future__ import annotations

from typing import NamedTuple

COLORS = RANKS = 5
ALL = (1 << 25) - 1
COLOR_SET = tuple(31 << (5 * c) for c in range(COLORS))
RANK_SET = tuple(sum(1 << (5 * c + r) for c in range(COLORS)) for r in range(RANKS))
COPIES = tuple((3, 2, 2, 2, 1)[identity % 5] for identity in range(25))
MAX_INFO = 8


class Clue(NamedTuple):
    """Somebody points at all cards of one colour or rank in one hand."""

    giver: int
    target: int
    is_rank: bool
    value: int
    touched: tuple[int, ...]  # orders, oldest first

    @property
    def members(self) -> int:
        """The identities the clue names."""
        return RANK_SET[self.value] if self.is_rank else COLOR_SET[self.value]


class Link(NamedTuple):
    """One card that has to play before the focus of a clue can."""

    kind: str  # "known", "prompt" or "finesse"
    seat: int
    order: int
    identity: int


class Wait(NamedTuple):
    """If the focus is `identity`, the links play first. `certain`: the viewer sees that it is, or nothing else fits."""

    giver: int
    target: int
    focus: int
    identity: int
    links: tuple[Link, ...]
    certain: bool
    turn: int


def single(identities: int) -> int:
    """The only member of the set, or -1."""
    return identities.bit_length() - 1 if identities and identities & (identities - 1) == 0 else -1


class Table:
    """Everything one viewer knows and has noted. Lists indexed by order hold all fifty cards."""

    __slots__ = (
        "actor",
        "clued_by",
        "clued_on",
        "critical",
        "deck_left",
        "early",
        "finessed",
        "focused",
        "gone",
        "hand_size",
        "hands",
        "holder",
        "inferred",
        "info",
        "known",
        "level",
        "lives",
        "moved",
        "next_order",
        "playable",
        "played",
        "players",
        "possible",
        "ruled_out",
        "stacks",
        "touched",
        "trash",
        "turn",
        "turns_left",
        "viewer",
        "waits",
        "was_chop",
    )

    def __init__(self, players: int, viewer: int, level: int = 5) -> None:
        self.players, self.viewer, self.level = players, viewer, level
        self.hand_size = 5 if players < 4 else 4
        self.hands: list[list[int]] = [[] for _ in range(players)]
        self.holder = [-1] * 50
        self.known = [-1] * 50  # identity as the viewer sees it
        self.possible = [ALL] * 50
        self.inferred = [ALL] * 50
        self.touched = [False] * 50
        self.finessed = [False] * 50
        self.moved = [False] * 50  # chop-moved
        self.focused = [False] * 50  # was the focus of a clue that promised something
        self.clued_by = [-1] * 50  # who touched it first
        self.clued_on = [-1] * 50  # the turn it was last touched
        self.was_chop = [False] * 50  # was the chop when it was first clued
        self.stacks = [0] * COLORS
        self.gone = [0] * 25  # copies played or discarded
        self.played = 0
        self.playable = RANK_SET[0]
        self.trash = 0
        self.critical = RANK_SET[4]
        self.ruled_out = [0] * players  # identities of which the seat sees every copy elsewhere
        self.info, self.lives = MAX_INFO, 3
        self.turn, self.actor = 0, 0
        self.next_order, self.deck_left, self.turns_left = 0, 50, players
        self.early = True
        self.waits: list[Wait] = []

    def copy(self) -> Table:
        """A table that can be changed without changing this one."""
        twin = Table.__new__(Table)
        for name in Table.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value[:] if type(value) is list else value)
        twin.hands = [hand[:] for hand in self.hands]
        return twin

    def draw(self, seat: int, identity: int) -> None:
        """The next card of the deck enters the hand; identity -1 for a card the viewer cannot see."""
        order = self.next_order
        self.hands[seat].append(order)
        self.holder[order] = seat
        self.known[order] = identity
        self.next_order = order + 1
        self.deck_left -= 1

    def remove(self, order: int, identity: int, played: bool) -> None:
        """The card leaves its hand face up."""
        self.hands[self.holder[order]].remove(order)
        self.holder[order] = -1
        self.known[order] = identity
        self.possible[order] = self.inferred[order] = 1 << identity
        self.gone[identity] += 1
        if played:
            self.stacks[identity // 5] += 1
            self.played |= 1 << identity
        self.measure()

    def measure(self) -> None:
        """Recomputes what plays next, what can never play and what is the last copy."""
        playable = trash = critical = 0
        for color in range(COLORS):
            height = self.stacks[color]
            alive = True
            for rank in range(RANKS):
                identity = 5 * color + rank
                if rank < height or not alive:
                    trash |= 1 << identity
                elif self.gone[identity] == COPIES[identity]:
                    alive = False
                    trash |= 1 << identity
                else:
                    if rank == height:
                        playable |= 1 << identity
                    if self.gone[identity] == COPIES[identity] - 1:
                        critical |= 1 << identity
        self.playable, self.trash, self.critical = playable, trash, critical

    def gotten(self, order: int) -> bool:
        """Touched by a clue or called to play."""
        return self.touched[order] or self.finessed[order]

    def chop(self, seat: int) -> int:
        """The order of the card that is discarded next, -1 if the hand is locked."""
        for order in self.hands[seat]:
            if not (self.touched[order] or self.finessed[order] or self.moved[order]):
                return order
        return -1

    def finesse_position(self, seat: int, skip: tuple[int, ...] = ()) -> int:
        """The newest card without any mark, -1 if there is none."""
        for order in reversed(self.hands[seat]):
            if not (self.touched[order] or self.finessed[order] or self.moved[order]) and order not in skip:
                return order
        return -1

    def identity(self, mind: int, order: int) -> int:
        """What `mind` takes the card to be: what he sees, else what its notes leave; -1 if open."""
        if self.holder[order] != mind and self.known[order] >= 0:
            return self.known[order]
        return single(self.inferred[order])

    def elsewhere(self, seat: int, order: int, giver: int = -1) -> int:
        """The identities that `seat` (and `giver`, if there is one) knows to be gotten on another card than `order`."""
        found = 0
        for owner, hand in enumerate(self.hands):
            hidden = owner in (seat, giver)
            for other in hand:
                if other != order and (self.touched[other] or self.finessed[other]):
                    if not hidden and self.known[other] >= 0:
                        found |= 1 << self.known[other]
                    else:
                        note = self.inferred[other]
                        if note & (note - 1) == 0:
                            found |= note
        return found

    def count(self) -> None:
        """Recomputes which identities each seat sees completely outside its own hand."""
        total = self.gone[:]
        seen: list[list[int]] = []
        for hand in self.hands:
            own = [self.known[order] for order in hand if self.known[order] >= 0]
            seen.append(own)
            for identity in own:
                total[identity] += 1
        for seat in range(self.players):
            out = 0
            own = seen[seat]
            for identity in range(25):
                if total[identity] >= COPIES[identity] and total[identity] - own.count(identity) >= COPIES[identity]:
                    out |= 1 << identity
            self.ruled_out[seat] = out

    def settle(self, seat: int) -> None:
        """Brings the notes of one hand in line with the facts and with good touch."""
        hand = self.hands[seat]
        out, trash = self.ruled_out[seat], self.trash
        possible, inferred = self.possible, self.inferred
        counted: dict[int, int] = {}
        for order in hand:
            rest = possible[order] & ~out
            if rest:
                possible[order] = rest
            sure = single(possible[order])
            if sure >= 0:
                counted[sure] = counted.get(sure, 0) + 1
        for sure, copies in counted.items():
            if copies + self.gone[sure] >= COPIES[sure] or self._seen(seat, sure) + copies >= COPIES[sure]:
                bit = 1 << sure
                for order in hand:
                    if possible[order] & bit and possible[order] != bit:
                        possible[order] &= ~bit
        for order in sorted(hand, key=lambda order: not self.focused[order]):
            if self.touched[order] or self.finessed[order]:
                facts = possible[order]
                note = inferred[order] & facts
                if note == 0:
                    taken = self._taken(seat, order)
                    note = facts & ~trash & ~taken or facts & ~trash or facts
                elif note & (note - 1):
                    note = note & ~trash & ~self._taken(seat, order) or note
                inferred[order] = note
            else:
                inferred[order] = possible[order]

    def _taken(self, seat: int, order: int) -> int:
        """What good touch excludes; a card called only by this one's clue may be a twin until it has played."""
        taken = self.elsewhere(seat, order, self.clued_by[order])
        for wait in self.waits:
            if wait.focus == order:
                for link in wait.links:
                    if link.kind == "finesse":
                        taken &= ~(1 << link.identity)
        return taken

    def _seen(self, seat: int, identity: int) -> int:
        """Copies of the identity that the seat sees outside its hand."""
        count = self.gone[identity]
        for other, hand in enumerate(self.hands):
            if other != seat:
                count += sum(self.known[order] == identity for order in hand)
        return count

    def known_trash(self, seat: int) -> list[int]:
        """Cards of the hand that the holder believes to be useless, oldest first."""
        trash = self.trash
        taken = -1
        found: list[int] = []
        for order in self.hands[seat]:
            if self.possible[order] & ~trash == 0:
                found.append(order)
            elif self.touched[order]:
                note = self.inferred[order] & ~trash
                if note and taken < 0:
                    taken = self._gotten_by_others(seat)
                if note & ~taken == 0:
                    found.append(order)
        return found

    def _gotten_by_others(self, seat: int) -> int:
        """The identities of touched or called cards that the seat sees."""
        found = 0
        for owner, hand in enumerate(self.hands):
            if owner != seat:
                for order in hand:
                    if self.touched[order] or self.finessed[order]:
                        seen = self.known[order] if self.known[order] >= 0 else single(self.inferred[order])
                        if seen >= 0:
                            found |= 1 << seen
        return found

    def known_plays(self, seat: int) -> list[int]:
        """Cards of the hand that the holder believes to play now, oldest first."""
        playable = self.playable
        return [order for order in self.hands[seat] if self.plays(order, playable)]

    def plays(self, order: int, playable: int) -> bool:
        """Does the holder believe that the card is one of `playable`?"""
        if self.possible[order] & ~playable == 0:
            return True
        return (self.touched[order] or self.finessed[order]) and self.inferred[order] & ~playable == 0

    def severity(self, giver: int) -> int:
        """How much the giver is allowed to stall: 0 not at all, 1 early game, 3 locked, 4 eight tokens."""
        if self.info == MAX_INFO and self.turn > 0:
            return 4
        if self.chop(giver) < 0 and not self.known_plays(giver) and not self.known_trash(giver):
            return 3
        return 1 if self.early else 0
