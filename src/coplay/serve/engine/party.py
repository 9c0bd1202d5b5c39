"""Several people at one table: who is away, how long we have waited for whom, and the pace that the server keeps.

A person who gives no sign for too long while the table waits for them is away: a substitute, which has followed the
game in their seat from the deal, makes their moves until they say that they are back. At a table with a pace the server
plays a step whenever it is due, with the last key that each person pressed, or with none. It stands still while
somebody is not there who is not away.
"""

from __future__ import annotations

import dataclasses

from coplay.serve.store.places import Customs

START = 3.0  # seconds before the first step at a pace, and before the next one after an interruption


@dataclasses.dataclass(eq=False)
class Party:
    """The people at one table. Times are of this process's game clock."""

    customs: Customs
    seats: tuple[int, ...]  # of people
    idle: int = 0  # the action that does nothing; at a table with a pace
    away: set[int] = dataclasses.field(default_factory=set)
    since: dict[int, float] = dataclasses.field(default_factory=dict)  # how long we wait for a sign, by seat
    pressed: dict[int, int] = dataclasses.field(default_factory=dict)  # the last key since the last step, by seat
    due: float | None = None  # when the next step is played; None: it stands still

    def sign(self, seat: int) -> None:
        """This person has done something."""
        self.since.pop(seat, None)

    def waits(self, seats: set[int], now: float) -> None:
        """We wait for these seats' people; for whom we waited before, we have waited since then."""
        for seat in self.seats:
            if seat in seats and seat not in self.away:
                self.since.setdefault(seat, now)
            elif not self.customs.pace:
                self.since.pop(seat, None)

    def late(self, now: float) -> list[int]:
        """Whose place a substitute takes now."""
        if not (self.customs.absent and self.customs.substitute):
            return []
        return [seat for seat, since in self.since.items() if now - since > self.customs.absent]

    def leave(self, seat: int) -> None:
        """A substitute plays here from now on."""
        self.away.add(seat)
        self.since.pop(seat, None)
        self.pressed.pop(seat, None)

    def come_back(self, seat: int) -> None:
        self.away.discard(seat)

    def schedule(self, running: bool, now: float) -> None:
        """The pace begins, goes on or stands still."""
        if not self.customs.pace:
            return
        if not running:
            self.due = None
        elif self.due is None:
            self.due = now + START

    def stepped(self, now: float) -> None:
        """A step was played; one that was late delays those after it, so that none are caught up with."""
        self.pressed.clear()
        assert self.due is not None
        self.due = max(self.due, now - 0.5 / self.customs.pace) + 1 / self.customs.pace
