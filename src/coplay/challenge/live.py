"""A table in memory. All of it can be rebuilt from its log; see `engine.py`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from coplay.challenge.rules import Clock

if TYPE_CHECKING:
    from coplay.challenge.hall import Bench, Hall
    from coplay.challenge.session import Session
    from coplay.challenge.workers import PlainPartner


@dataclasses.dataclass(eq=False)
class PartnerSeat:
    """A partner in one seat."""

    seat: int
    spec: str
    player: Bench | PlainPartner
    row: int  # of its memory; -1 for a plain agent
    listens: bool  # it is asked on every turn
    fresh: bool = True  # it has not been asked yet


@dataclasses.dataclass(eq=False)
class Terms:
    """What is the same for all games of an attempt."""

    attempt: str
    kind: str  # eval, test, person
    clock: Clock | None
    offences: int
    answer_floor: float
    parallel: int
    halls: dict[str, Hall]  # by configuration


@dataclasses.dataclass(eq=False)
class Live:
    """One running game."""

    id: str
    number: int
    configuration: str
    deal: int
    terms: Terms
    hall: Hall
    row: int  # in the hall
    seats: tuple[int, ...]  # of the entrant
    partners: list[PartnerSeat]
    seed: np.ndarray  # uint32 [2]: the deal
    key: np.ndarray  # uint32 [2]: what partners draw from
    mine: np.ndarray  # bool [players]
    holder: str = ""
    status: str = "active"
    turn: int = 0
    saved_turn: int = 0  # in the database
    log: list[tuple[int, ...]] = dataclasses.field(default_factory=list)  # actions of each turn, of those on turn
    movers: list[int] = dataclasses.field(default_factory=list)  # first seat on turn, of each turn
    bank: float | None = None
    asked: float | None = None  # monotonic; None while nobody waits for the entrant
    offences: int = 0
    voids: int = 0
    reason: str = ""
    session: Session | None = None
    left: float = 0.0  # monotonic: when its last session went
    chosen: dict[int, int] = dataclasses.field(default_factory=dict)  # seat -> action of this turn
    to_move: Any = None
    seat: int = 0  # whose view `vector` and `legal` are
    vector: Any = None
    legal: Any = None
    words: Any = None
    score: float = 0.0

    @property
    def waits(self) -> bool:
        """Is the entrant to move?"""
        return self.status == "active" and any(self.to_move[s] and s not in self.chosen for s in self.seats)

    @property
    def complete(self) -> bool:
        """Is every action of this turn known?"""
        return all(not on_turn or seat in self.chosen for seat, on_turn in enumerate(self.to_move.tolist()))

    def complete_but(self, seat: int) -> bool:
        """Is the action of this seat the last one of the entrant that is missing?"""
        return all(not self.to_move[s] or s in self.chosen for s in self.seats if s != seat)

    def seconds_left(self, now: float) -> float | None:
        """Until the game is forfeited."""
        if self.terms.clock is None or self.bank is None:
            return None
        used = 0.0 if self.asked is None else now - self.asked
        return self.terms.clock.move + self.bank - used


def pack(actions: tuple[int, ...]) -> str:
    """The actions of a turn as the log has them."""
    return ",".join(map(str, actions))


def unpack(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))
