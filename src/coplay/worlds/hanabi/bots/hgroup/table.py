"""The table as the conventions see it: hands by card, what clues say about each card, and the notes people keep.

Cards are numbered by deal order ("order"), identities by colour * 5 + rank. Sets of identities are 25-bit integers,
sets of cards 50-bit integers (cards.py). Slots run from the oldest card (0) to the newest, so the cards of a hand are
in ascending order. Two kinds of knowledge are kept per card:

- `possible`: what its holder cannot rule out from clues and from the cards he sees (facts);
- `inferred`: what its holder believes by convention (the "note"). It only shrinks, unless facts contradict it: when it
  would become empty it falls back to what good touch allows, and then to `possible`, so a stranger's unexplainable
  move never leaves a card without a belief.

A table belongs to one viewer (or to nobody: viewer -1 sees all hands, for analysis). The viewer's picture of another
player's notes is computed from what both of them see; functions that take a `mind` reason as that seat.
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.cards import ALL, COLOR_SET, COLORS, COPIES, RANK_SET, RANKS

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


class Notebook:
    """Everything one viewer knows and has noted. Lists indexed by order hold all fifty cards."""

    __slots__ = (
        "actor",
        "cards",
        "clued_by",
        "clued_on",
        "critical",
        "deck_left",
        "early",
        "face",
        "finessed",
        "focused",
        "gone",
        "hand_size",
        "hands",
        "held",
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
        "shown",
        "stacks",
        "touched",
        "trash",
        "turn",
        "turns_left",
        "twins",
        "viewer",
        "waits",
        "was_chop",
    )

    def __init__(self, players: int, viewer: int, level: int = 5) -> None:
        self.players, self.viewer, self.level = players, viewer, level
        self.hand_size = 5 if players < 4 else 4
        self.hands: list[list[int]] = [[] for _ in range(players)]
        self.cards = [0] * (players + 1)  # the hands as sets; the last is that of nobody, seat -1, and stays empty
        self.held = 0  # the cards of all hands
        self.holder = [-1] * 50
        self.known = [-1] * 50  # identity as the viewer sees it
        self.face = [0] * 50  # the same as a set, empty if he does not see it
        self.possible = [ALL] * 50
        self.inferred = [ALL] * 50
        self.touched = 0  # the cards with this mark, as are the next four
        self.finessed = 0
        self.moved = 0  # chop-moved
        self.focused = 0  # was the focus of a clue that promised something
        self.was_chop = 0  # was the chop when it was first clued
        self.clued_by = [-1] * 50  # who touched it first
        self.clued_on = [-1] * 50  # the turn it was last touched
        self.stacks = [0] * COLORS
        self.gone = [0] * 25  # copies played or discarded
        self.shown = [0] * 25  # copies the viewer sees, in hands and gone
        self.twins = 0  # identities of which he sees more than one copy in hands
        self.ruled_out = [0] * players  # identities of which the seat sees every copy elsewhere
        self.played = 0
        self.playable = RANK_SET[0]
        self.trash = 0
        self.critical = RANK_SET[4]
        self.info, self.lives = MAX_INFO, 3
        self.turn, self.actor = 0, 0
        self.next_order, self.deck_left, self.turns_left = 0, 50, players
        self.early = True
        self.waits: list[Wait] = []

    def copy(self) -> Notebook:
        """A table that can be changed without changing this one."""
        twin = Notebook.__new__(Notebook)
        for name in Notebook.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value[:] if type(value) is list else value)
        twin.hands = [hand[:] for hand in self.hands]
        return twin

    def trial(self) -> Notebook:
        """A table on which a clue can be tried; it shares with this one what clues do not change."""
        twin = Notebook.__new__(Notebook)
        twin.players, twin.viewer, twin.level, twin.hand_size = self.players, self.viewer, self.level, self.hand_size
        twin.hands, twin.cards, twin.held, twin.holder = self.hands, self.cards, self.held, self.holder
        twin.known, twin.face, twin.gone, twin.shown = self.known, self.face, self.gone, self.shown
        twin.twins, twin.ruled_out, twin.stacks, twin.played = self.twins, self.ruled_out, self.stacks, self.played
        twin.playable, twin.trash, twin.critical = self.playable, self.trash, self.critical
        twin.next_order, twin.deck_left, twin.early, twin.lives = (
            self.next_order,
            self.deck_left,
            self.early,
            self.lives,
        )
        twin.info, twin.turn, twin.actor, twin.turns_left = self.info, self.turn, self.actor, self.turns_left
        twin.touched, twin.finessed, twin.moved = self.touched, self.finessed, self.moved
        twin.focused, twin.was_chop = self.focused, self.was_chop
        twin.possible, twin.inferred = self.possible[:], self.inferred[:]
        twin.clued_by, twin.clued_on, twin.waits = self.clued_by[:], self.clued_on[:], self.waits[:]
        return twin

    def __deepcopy__(self, memo: object) -> Notebook:
        return self.copy()

    def draw(self, seat: int, identity: int) -> None:
        """The next card of the deck enters the hand; identity -1 for a card the viewer cannot see."""
        order = self.next_order
        self.hands[seat].append(order)
        self.cards[seat] |= 1 << order
        self.held |= 1 << order
        self.holder[order] = seat
        self.known[order] = identity
        self.face[order] = 1 << identity if identity >= 0 else 0
        self.next_order = order + 1
        self.deck_left -= 1

    def remove(self, order: int, identity: int, played: bool) -> None:
        """The card leaves its hand face up."""
        seat = self.holder[order]
        self.hands[seat].remove(order)
        self.cards[seat] &= ~(1 << order)
        self.held &= ~(1 << order)
        self.holder[order] = -1
        self.known[order] = identity
        self.face[order] = self.possible[order] = self.inferred[order] = 1 << identity
        self.gone[identity] += 1
        if played:
            self.stacks[identity // 5] += 1
            self.played |= 1 << identity
        self._measure(identity // 5)

    def measure(self) -> None:
        """Recomputes what plays next, what can never play and what is the last copy."""
        for color in range(COLORS):
            self._measure(color)

    def _measure(self, color: int) -> None:
        playable = trash = critical = 0
        height = self.stacks[color]
        alive = True
        for rank in range(RANKS):
            identity = 5 * color + rank
            left = COPIES[identity] - self.gone[identity]
            if rank < height or not alive or left == 0:
                trash |= 1 << identity
                alive = alive and rank < height
            else:
                if rank == height:
                    playable |= 1 << identity
                if left == 1:
                    critical |= 1 << identity
        others = ~COLOR_SET[color]
        self.playable = self.playable & others | playable
        self.trash = self.trash & others | trash
        self.critical = self.critical & others | critical

    def gotten(self, order: int) -> bool:
        """Touched by a clue or called to play."""
        return bool((self.touched | self.finessed) >> order & 1)

    def chop(self, seat: int) -> int:
        """The order of the card that is discarded next, -1 if the hand is locked."""
        free = self.cards[seat] & ~(self.touched | self.finessed | self.moved)
        return (free & -free).bit_length() - 1

    def finesse_position(self, seat: int, skip: int = 0) -> int:
        """The newest card without any mark that is not in `skip`, -1 if there is none."""
        return (self.cards[seat] & ~(self.touched | self.finessed | self.moved | skip)).bit_length() - 1

    def elsewhere(self, seat: int, order: int, giver: int = -1) -> int:
        """The identities that `seat` (and `giver`, if there is one) knows to be gotten on another card than `order`."""
        rest = (self.touched | self.finessed) & self.held
        if order >= 0:
            rest &= ~(1 << order)
        return self.believed(rest, self.cards[seat] | self.cards[giver])

    def believed(self, which: int, hidden: int) -> int:
        """What these cards are: by sight, or (`hidden` and the viewer's own) where a note leaves one identity."""
        hidden = (hidden | self.cards[self.viewer]) & which
        which ^= hidden
        found = 0
        face, inferred = self.face, self.inferred
        while which:
            order = which.bit_length() - 1
            which ^= 1 << order
            found |= face[order]
        while hidden:
            order = hidden.bit_length() - 1
            hidden ^= 1 << order
            note = inferred[order]
            if note & (note - 1) == 0:
                found |= note
        return found

    def known_trash(self, seat: int) -> list[int]:
        """Cards of the hand that the holder believes to be useless, oldest first."""
        live = ~self.trash
        taken = -1
        found: list[int] = []
        for order in self.hands[seat]:
            if self.possible[order] & live == 0:
                found.append(order)
            elif self.touched >> order & 1:
                note = self.inferred[order] & live
                if note and taken < 0:
                    taken = self.believed((self.touched | self.finessed) & self.held & ~self.cards[seat], 0)
                if note & ~taken == 0:
                    found.append(order)
        return found

    def known_plays(self, seat: int) -> list[int]:
        """Cards of the hand that the holder believes to play now, oldest first."""
        blocked = ~self.playable
        possible, inferred = self.possible, self.inferred
        gotten = self.touched | self.finessed
        return [
            order
            for order in self.hands[seat]
            if not possible[order] & blocked or (gotten >> order & 1 and not inferred[order] & blocked)
        ]

    def plays(self, order: int, playable: int) -> bool:
        """Does the holder believe that the card is one of `playable`?"""
        if self.possible[order] & ~playable == 0:
            return True
        return self.gotten(order) and self.inferred[order] & ~playable == 0

    def severity(self, giver: int) -> int:
        """How much the giver is allowed to stall: 0 not at all, 1 early game, 3 locked, 4 eight tokens."""
        if self.info == MAX_INFO and self.turn > 0:
            return 4
        if self.chop(giver) < 0 and not self.known_plays(giver) and not self.known_trash(giver):
            return 3
        return 1 if self.early else 0
