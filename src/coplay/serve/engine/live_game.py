"""A table in memory. All of it can be rebuilt from its log; see `engine.py`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coplay.challenge.pins import Pins
from coplay.challenge.rules import Clock

if TYPE_CHECKING:
    from coplay.serve.engine.game_batch import GameBatch
    from coplay.serve.engine.players.partners import BrokenPartner
    from coplay.serve.engine.players.policy_batch import PolicyBatch
    from coplay.serve.engine.players.workers import PlainPartner
    from coplay.serve.engine.session import Session


@dataclasses.dataclass(eq=False)
class PartnerSeat:
    """A partner in one seat."""

    seat: int
    spec: str
    player: PolicyBatch | PlainPartner | BrokenPartner
    row: int  # of its memory; -1 for a plain agent
    listens: bool  # it is asked on every turn
    unasked: bool = True  # it has not been asked yet


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

    def pinned(self, spec: str) -> dict[str, str] | None:
        """What one partner must be made of; None where it does not matter or was not written down."""
        return None if self.pins is None else self.pins.get(spec)


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
    seen: dict[int, Seen] = dataclasses.field(default_factory=dict)  # seat -> what it sees at this turn, once looked
    position: Position = NOWHERE

    def note(self, made: tuple[int, ...]) -> None:
        """What those on turn do comes into the log."""
        self.log.append(made)

    def move_on(self, position: Position) -> None:
        """The last actions of the log are played."""
        self.movers.append(int(np.argmax(self.to_move)))
        self.turn += 1
        self.chosen, self.seen = {}, {}
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
    session: Session | None = None
    left: float = 0.0  # when its last session went
    status: str = "active"
    reason: str = ""
    bank: float | None = None
    asked: float | None = None  # on the clock of this process; None while nobody waits for the entrant
    offences: int = 0
    voids: int = 0

    def sit(self, session: Session) -> None:
        """A session has it from now on."""
        self.holder, self.session = session.id, session
        session.tables[self.dealt.number] = self

    def leave(self, now: float) -> None:
        """Its session has gone; it waits for another."""
        self.holder, self.session, self.left = "", None, now

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
