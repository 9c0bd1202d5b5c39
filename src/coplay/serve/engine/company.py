"""The people of one process at tables of several: who is there, when a game may begin, who is away, and whose step is
due.

All sessions at such a table hold it together: the holder that the database knows is this process and the attempt, and
each session moves its own seat. Whoever comes with a key that is in use takes the seat over. Spectators hold nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from coplay.serve.engine.game_clock import GameClock
from coplay.serve.engine.live_game import LiveGame, Terms
from coplay.serve.engine.round import Round
from coplay.serve.engine.session import Session
from coplay.serve.engine.tables import Tables
from coplay.serve.store import places, seats
from coplay.serve.store.database import Database

ENOUGH = 100  # running tables of one attempt; there is one


class Company:
    """Used in the engine's thread."""

    def __init__(
        self, database: Database, tables: Tables, clock: GameClock, sessions: Mapping[str, Session], process: str
    ) -> None:
        self.database, self.tables, self.clock = database, tables, clock
        self._sessions, self._process = sessions, process
        self._changed: set[str] = set()  # attempts whose people are to be told who is there

    def at(self, attempt: str) -> list[Session]:
        """Who is connected, those who play and those who watch."""
        return [one for one in self._sessions.values() if one.attempt == attempt and not (one.closed or one.replaced)]

    def of(self, session: Session) -> list[Session]:
        """Those who share a session's tables: usually itself alone."""
        return self.at(session.attempt) if session.seats is not None else [session]

    def enter(self, round: Round, terms: Terms, session: Session, supersede: Callable[[Session], None]) -> None:
        """Somebody comes to a table, or comes back to it."""
        session.holder = self._process[: seats.PROCESS] + session.attempt[: seats.PROCESS]
        for other in self.at(session.attempt):
            if other is not session and not session.watches and other.seats == session.seats:
                other.replaced = True
                supersede(other)
        company = self.at(session.attempt)
        if session.watches:
            for live in self._tables_of(session.attempt):
                live.sit(company)
                self.tables.show(round, live, session)
        else:
            with self.database.write() as transaction:
                rows = seats.claim_running(transaction, session.attempt, session.holder, False, ENOUGH)
                logs = seats.logs(transaction, [row.id for row in rows])
            for live in self.tables.resume(round, terms, rows, logs, company):
                if session.history and live.course.turn:
                    round.histories.append((session, live))
        self.look_at(session.attempt)

    def look_at(self, attempt: str) -> None:
        """Somebody came, went or was replaced by an agent: may the game begin now? In this round people are told."""
        with self.database.read() as transaction:
            missing = any(place.key_id is None for place in places.places_at(transaction, attempt))
        for session in self.at(attempt):
            session.assembling = missing and not session.watches
        self._changed.add(attempt)

    def leave(self, session: Session) -> bool:
        """A session has gone. Was it the last that held the tables?"""
        self._changed.add(session.attempt)
        return not any(not other.watches for other in self.at(session.attempt))

    def tell(self, round: Round) -> None:
        """Says who is there, where that has changed."""
        while self._changed:
            attempt = self._changed.pop()
            present = self.at(attempt)
            if not present:
                continue
            with self.database.read() as transaction:
                found = places.places_at(transaction, attempt)
            here = {seat for session in present for seat in session.seats or ()}
            told = [
                {
                    "seat": one.seat,
                    "taken": one.key_id is not None,
                    "invited": one.invitation_id is not None,
                    "here": one.seat in here,
                    "away": one.away,
                }
                for one in found
            ]
            message = {"type": "company", "people": told, "watching": sum(session.watches for session in present)}
            laid = [one.seat for one in found if one.key_id is not None and one.invitation_id is None]
            for session in present:
                seat = session.seats[0] if session.seats else None
                round.say(session, message | {"seat": seat, "lays": seat in laid})
            for live in self._tables_of(attempt):
                self._schedule(live)

    # Who is away

    def tick(self, round: Round) -> None:
        """Once a second: whoever kept us waiting for too long is away."""
        now = self.clock.here()
        for live in self._parties():
            assert live.party is not None
            for seat in live.party.late(now):
                self._stand_in(round, live, seat)
            self._schedule(live)

    def back(self, round: Round, session: Session) -> None:
        """A person plays on for themselves."""
        for live in self._own(session):
            seat = session.own_seat
            assert live.party is not None
            if seat in live.party.away:
                with self.database.write() as transaction:
                    places.substituted(transaction, session.attempt, seat, on=False)
                live.party.come_back(seat)
                round.touched[live] = None
                self._changed.add(session.attempt)
                self.tables.show(round, live, session)

    def _stand_in(self, round: Round, live: LiveGame, seat: int) -> None:
        """A substitute plays in a person's seat; that is written before its first move is."""
        assert live.party is not None
        with self.database.write() as transaction:
            places.substituted(transaction, live.dealt.terms.attempt, seat, on=True)
        live.party.leave(seat)
        if live.course.waits_for(seat) and seat in live.course.advice:
            live.course.chosen[seat] = live.course.advice[seat]
        round.touched[live] = None
        if live.course.complete:
            round.moving[live] = None
        round.metrics.add("seats_substituted")
        self._changed.add(live.dealt.terms.attempt)

    # The pace

    def press(self, round: Round, session: Session, message: dict[str, Any]) -> None:
        """The last key that a person pressed before a step is played in it."""
        action = message.get("action")
        for live in self._own(session):
            assert live.party is not None
            seat = session.own_seat
            if message.get("keyed") is not False:
                live.party.sign(seat)
            if type(action) is int and 0 <= action < live.dealt.batch.game.num_actions:
                live.party.pressed[seat] = action

    def seconds_to_step(self) -> float:
        """Until the next step of some table is due."""
        due = [live.party.due for live in self._parties() if live.party is not None and live.party.due is not None]
        return max(0.0, min(due) - self.clock.here()) if due else float("inf")

    def step(self, round: Round) -> None:
        """Plays the steps that are due."""
        now = self.clock.here()
        for live in self._parties():
            party = live.party
            if party is None or party.due is None or party.due > now:
                continue
            if not live.everybody_there:
                party.due = None
                continue
            for seat in [seat for seat in party.seats if live.course.waits_for(seat)]:
                action = party.pressed.get(seat, party.idle)
                legal = action == party.idle or bool(self.tables.legal(live, seat)[action])
                live.course.chosen[seat] = action if legal else party.idle
            party.stepped(now)
            if live.course.complete:
                round.moving[live] = None

    def _schedule(self, live: LiveGame) -> None:
        if live.party is not None:
            live.party.schedule(live.status == "active" and live.everybody_there, self.clock.here())

    def _parties(self) -> Iterator[LiveGame]:
        return (live for live in list(self.tables.live.values()) if live.party is not None and live.status == "active")

    def _tables_of(self, attempt: str) -> list[LiveGame]:
        return [live for live in self.tables.live.values() if live.dealt.terms.attempt == attempt]

    def _own(self, session: Session) -> list[LiveGame]:
        """The running tables where a person sits."""
        mine = session.tables.values() if session.seats else ()
        return [live for live in mine if live.party is not None and live.status == "active"]
