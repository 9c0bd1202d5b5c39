"""A table in memory. All of it can be rebuilt from its log; see `engine.py`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coplay.challenge.pins import Pins
from coplay.challenge.rules import Clock

if TYPE_CHECKING:
    from coplay.serve.engine.game_batch import GameBatch
    from coplay.serve.engine.party import Party
    from coplay.serve.engine.players.partners import BrokenPartner
    from coplay.serve.engine.players.policy_batch import PolicyBatch
    from coplay.serve.engine.players.workers import PlainPartner
    from coplay.serve.engine.session import Session
    from coplay.serve.store.places import Customs


@dataclasses.dataclass(eq=False)
class PartnerSeat:
    """A partner in one seat."""

    seat: int
    spec: str
    player: PolicyBatch | PlainPartner | BrokenPartner
    row: int  # of its memory; -1 for a plain agent
    listens: bool  # it is asked on every turn
    unasked: bool = True  # it has not been asked yet
    stands_in: bool = False  # for a person, who moves unless they are away


@dataclasses.dataclass(eq=False)
class Terms:
    """What is the same for all games of an attempt."""

    attempt: str
    kind: str  # eval, test, person
    clock: Clock | None
    offences: int
    answer_floor: float
    parallel: int
    batches: dict[str, GameBatch]  # by configuration
    pins: Pins | None = None  # what the partners of a rated game must be made of
    customs: Customs | None = None  # of several people at one table

    def pinned(self, spec: str) -> dict[str, str] | None:
        """What one partner must be made of; None where it does not matter or was not written down."""
        return None if self.pins is None else self.pins.get(spec)

    def uses(self, batches: set[int]) -> bool:
        """Are its games played at one of the batches with these ids?"""
        return any(id(batch) in batches for batch in self.batches.values())


class Position(NamedTuple):
    """Where a game stands, as one seat of the entrant sees it."""

    to_move: np.ndarray  # bool [players]
    seat: int  # whose view this is: the entrant's seat that is on turn, or else its first
    vector: np.ndarray
    legal: np.ndarray  # bool [actions]
    words: np.ndarray
    score: float


class Seen(NamedTuple):
    """What a seat sees."""

    vector: np.ndarray
    legal: np.ndarray  # bool [actions]: what it may do
    words: np.ndarray


_NOTHING = np.zeros(0, np.uint8)
NOWHERE = Position(_NOTHING, 0, _NOTHING, _NOTHING, _NOTHING, 0.0)  # before the deal


@dataclasses.dataclass(frozen=True, eq=False)
class Dealt:
    """What stays as it was when the game was laid."""

    id: str
    number: int
    configuration: str
    deal: int
    terms: Terms
    batch: GameBatch
    row: int  # in the batch
    seats: tuple[int, ...]  # of the entrant
    partners: list[PartnerSeat]
    seed: np.ndarray  # uint32 [2]: the deal
    key: np.ndarray  # uint32 [2]: what partners draw from
    mine: np.ndarray  # bool [players]: the entrant's seats


@dataclasses.dataclass(eq=False)
class Course:
    """What was played, and this turn."""

    turn: int = 0
    saved_turn: int = 0  # in the database
    log: list[tuple[int, ...]] = dataclasses.field(default_factory=list)  # actions of each turn, of those on turn
    movers: list[int] = dataclasses.field(default_factory=list)  # first seat on turn, of each turn
    chosen: dict[int, int] = dataclasses.field(default_factory=dict)  # seat -> action of this turn
    advice: dict[int, int] = dataclasses.field(default_factory=dict)  # seat -> what its substitute would do
    seen: dict[int, Seen] = dataclasses.field(default_factory=dict)  # seat -> what it sees at this turn, once looked
    position: Position = NOWHERE

    def note(self, made: tuple[int, ...]) -> None:
        """What those on turn do comes into the log."""
        self.log.append(made)

    def move_on(self, position: Position) -> None:
        """The last actions of the log are played."""
        self.movers.append(int(np.argmax(self.to_move)))
        self.turn += 1
        self.chosen, self.advice, self.seen = {}, {}, {}
        self.position = position

    @property
    def to_move(self) -> np.ndarray:
        return self.position.to_move

    @property
    def complete(self) -> bool:
        """Is every action of this turn known?"""
        return all(not on_turn or seat in self.chosen for seat, on_turn in enumerate(self.to_move.tolist()))

    def waits_for(self, seat: int) -> bool:
        """Is this seat to move, and has not moved?"""
        return bool(self.to_move[seat]) and seat not in self.chosen


@dataclasses.dataclass(eq=False)
class LiveGame:
    """One running game: who has it, how much time is left, and how it ended."""

    dealt: Dealt
    course: Course = dataclasses.field(default_factory=Course)
    holder: str = ""
    sessions: list[Session] = dataclasses.field(default_factory=list)  # one; of people one for each, and who watch
    party: Party | None = None  # where several people play
    left: float = 0.0  # when its last session went
    status: str = "active"
    reason: str = ""
    bank: float | None = None
    asked: float | None = None  # on the clock of this process; None while nobody waits for the entrant
    offences: int = 0
    voids: int = 0

    def sit(self, sessions: list[Session]) -> None:
        """These sessions, which share a holder, have it from now on."""
        self.holder = next((one.holder for one in sessions if not one.watches), self.holder)
        self.sessions = list(sessions)
        for session in sessions:
            session.tables[self.dealt.number] = self

    def leave(self, session: Session, now: float) -> None:
        """A session has gone; when it was the last that plays, the game waits for another."""
        self.sessions = [one for one in self.sessions if one is not session]
        if not self.attended:
            self.holder, self.left = "", now

    @property
    def attended(self) -> bool:
        """Is somebody there who plays?"""
        return any(not session.watches for session in self.sessions)

    def seats_of(self, session: Session) -> tuple[int, ...]:
        """The seats that a session may move."""
        return self.dealt.seats if session.seats is None else session.seats

    def decided(self, partner: PartnerSeat, action: int) -> None:
        """A partner has chosen; what a substitute would do counts while its person is away."""
        stands_in = partner.stands_in and (self.party is None or partner.seat not in self.party.away)
        (self.course.advice if stands_in else self.course.chosen)[partner.seat] = action

    @property
    def everybody_there(self) -> bool:
        """Is each person there or away?"""
        here = {seat for session in self.sessions for seat in session.seats or ()}
        return self.party is not None and bool(here) and here | self.party.away >= set(self.party.seats)

    def move_on(self, position: Position) -> None:
        """The last actions of the log are played; nobody waits for the entrant any more."""
        self.course.move_on(position)
        self.asked = None

    def end(self, status: str, reason: str) -> None:
        self.status, self.reason, self.asked = status, reason[:200], None
        self.course.chosen.clear()

    @property
    def awaits_entrant(self) -> bool:
        """Is the entrant to move?"""
        return self.status == "active" and any(map(self.course.waits_for, self.dealt.seats))

    def complete_but(self, seat: int) -> bool:
        """Is the action of this seat the last one of the entrant that is missing?"""
        return not any(self.course.waits_for(other) for other in self.dealt.seats if other != seat)

    def seconds_left(self, now: float) -> float | None:
        """Until the game is forfeited."""
        clock = self.dealt.terms.clock
        if clock is None or self.bank is None:
            return None
        used = 0.0 if self.asked is None else now - self.asked
        return clock.move + self.bank - used
