"""Runs all tables of one server process, in rounds.

A round takes what has arrived, a fair share of every connection: it checks the moves, steps all their tables together,
asks each partner once for all its tables, goes on until every table waits for its entrant or is over, writes what
happened in one transaction, and only then answers. The busier the server, the larger its batches.

All of this happens in one thread; other threads hand in commands with `submit`. What takes long is done elsewhere:
compiling (`preparing.py`), views in words and past games (`frames.py`), scores. A process that dies loses nothing:
tables are loaded again from their logs when somebody asks for them.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from coplay.serve.engine.arrivals import OPENING, Arrivals, Command
from coplay.serve.engine.frames import answers
from coplay.serve.engine.game_clock import BEAT, GameClock
from coplay.serve.engine.keeping import Keeping
from coplay.serve.engine.live_game import LiveGame
from coplay.serve.engine.metrics import Metrics
from coplay.serve.engine.moves import MOST, accept_moves
from coplay.serve.engine.players.compiler import Compiler
from coplay.serve.engine.players.partners import Partners
from coplay.serve.engine.players.preparing import Need, Preparations, prepare
from coplay.serve.engine.programs import give_back
from coplay.serve.engine.round import Round
from coplay.serve.engine.seating import Seating
from coplay.serve.engine.session import Session
from coplay.serve.engine.tables import Tables
from coplay.serve.store import journal, seats, uptime
from coplay.serve.store.database import Database
from coplay.serve.store.models import Table, random_id
from coplay.serve.timing import SYSTEM, Timing

log = logging.getLogger("coplay.serve")
SWITCH = 0.0005  # seconds after which a thread of Python lets another one go on: who compiles, who runs games
IDLE = 600.0  # seconds a table stays in memory without a session
SWEEP = 30.0  # seconds between two looks for games that nobody plays
STILL = 30.0  # seconds without a written sign of life after which something is wrong
TICK = 1.0  # seconds between two looks for games whose time is over


class Engine:
    """The running games of one process."""

    def __init__(
        self,
        database: Database,
        move_seconds: float = 30.0,
        timing: Timing = SYSTEM,
        compiler: Compiler | None = None,  # compiles first, in a process of its own
    ) -> None:
        self.database = database
        self.clock, self.metrics = GameClock(timing), Metrics()
        with database.read() as transaction:
            self.clock.meet(uptime.reading(transaction))
        self.partners = Partners(self._partner_moved, move_seconds)
        self.tables = Tables(database, self.partners, self.metrics, self.clock)
        self.compiler = compiler
        self.preparations = Preparations(self._prepare, lambda run: self.submit(Command(run)), self._rest)
        self.process = random_id()
        self.expected: list[Need] = []
        self.keeping = Keeping(self)
        self._beat_at, self._beat_problem = time.monotonic(), ""  # when it last could write, and why it cannot
        self.seating = Seating(database, self.tables, self.preparations, self.clock, self.process)
        self.on_finished: Callable[[str], None] = lambda attempt: None  # called when an attempt may have ended
        live, sitting = self.tables.live, self.seating
        self.metrics.gauges |= {
            "tables": lambda: len(live),
            "kinds": lambda: len(self.tables.batches()),
            "sessions": lambda: len(sitting.sessions),
            "draining": lambda: sitting.draining,
        }
        self._arrivals = Arrivals()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._heart = threading.Thread(target=self._beat, name="heart", daemon=True)
        self._stopped = threading.Event()
        self._swept = 0.0

    def start(self) -> None:
        self.sign_of_life()
        sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))
        self.preparations.start()
        self._heart.start()
        self._thread.start()

    def stop(self) -> None:
        """Finishes the round that is running, then ends."""
        self._arrivals.stop()
        self._thread.join(30)
        if self.compiler is not None:
            self.compiler.stop()
        self.preparations.stop()
        self.partners.close()
        self._stopped.set()
        self._heart.join(30)
        self.sign_of_life()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def trouble(self) -> str:
        """Why nothing can be written; empty while all is well."""
        still = time.monotonic() - self._beat_at
        if self._beat_problem:
            return self._beat_problem
        return f"nothing could be written for {still:.0f} seconds" if still > STILL else self.database.trouble

    @property
    def sessions(self) -> dict[str, Session]:
        return self.seating.sessions

    @property
    def draining(self) -> bool:
        """No game begins."""
        return self.seating.draining

    @draining.setter
    def draining(self, on: bool) -> None:
        self.seating.draining = on

    def submit(self, command: Command) -> None:
        """Has `command` run in one of the next rounds."""
        self._arrivals.put(command)

    # What connections ask for

    def open(self, session: Session) -> None:
        """A connection wants to play its attempt's games."""
        session.came = self.clock.shared()
        self.submit(Command(lambda round: self.seating.open(round, session), session, OPENING))

    def act(self, session: Session, message: dict[str, Any]) -> None:
        """A connection's moves; the time they arrived is now, however long they wait here."""
        received = self.clock.here()
        games = message.get("game")
        moves = len(games) if isinstance(games, list) else 1
        session.unplayed += moves

        def play(round: Round) -> None:
            if self.preparations.waits(session):  # a move sent again after a restart: its game is not there yet
                session.early.append(play)
                return
            session.unplayed -= moves
            accept_moves(self.tables, round, session, message, received)

        self.submit(Command(play, session, min(moves, MOST)))

    def press(self, session: Session, message: dict[str, Any]) -> None:
        """A key of a person, where the server keeps the pace."""
        session.unplayed += 1

        def press(round: Round) -> None:
            session.unplayed -= 1
            self.seating.company.press(round, session, message)

        self.submit(Command(press, session, 1))

    def back(self, session: Session) -> None:
        """A person whose substitute played is back."""
        self.submit(Command(lambda round: self.seating.company.back(round, session), session, 1))

    def look_at(self, attempt: str) -> None:
        """Somebody has taken a seat at a table of people, or an agent has."""
        self.submit(Command(lambda round: self.seating.look_at(attempt)))

    def close(self, session: Session) -> None:
        """A connection has gone; its tables wait."""
        self.submit(Command(lambda round: self.seating.close(session), session))

    # The threads

    def _prepare(self, need: Need) -> bool:
        """In the thread of preparations."""
        if self.compiler is not None and self.sessions:  # else nobody is there who could feel it
            self.compiler.compile(need)
        done = not self._arrivals.stopped and prepare(self.partners, need)
        give_back()
        return done

    def _rest(self) -> None:
        if self.compiler is not None:
            self.compiler.rest()

    def _beat(self) -> None:
        """Says that we live, however long a round takes."""
        while not self._stopped.wait(BEAT):
            self.clock.beat()  # first: the database may be away for long
            try:
                self.sign_of_life()
            except Exception as problem:  # the database is away; rounds that need it say so
                self._beat_problem = f"nothing can be written: {getattr(problem, 'orig', problem)}"
                log.warning("no sign of life could be written")

    def sign_of_life(self) -> None:
        counted = json.dumps(self.metrics.counted())
        with self.database.write() as transaction:
            self.clock.meet(uptime.beat(transaction, self.process, self.clock.shared(), counted))
        self._beat_at, self._beat_problem = time.monotonic(), ""

    def _run(self) -> None:
        next_tick = time.monotonic()
        self.expected = self.tables.expected()
        self.preparations.want(self.expected)
        while True:
            company = self.seating.company
            commands = self._arrivals.take(min(max(0.0, next_tick - time.monotonic()), company.seconds_to_step()))
            stopped = self._arrivals.stopped
            if company.seconds_to_step() == 0.0:
                commands.append(Command(company.step))
            if time.monotonic() >= next_tick and not stopped:
                commands.append(Command(self.tick))
                next_tick = time.monotonic() + TICK
            self.round(commands)
            if stopped:
                return

    def round(self, commands: list[Command]) -> None:
        """One round. Whatever goes wrong in it, nothing half-done is kept, and the thread lives on."""
        if not commands:
            return
        began = time.perf_counter()
        round = Round(self.clock, self.metrics)
        try:
            for command in commands:
                self._obey(round, command)
            self.tables.run(round)
            self._write(round)
            self.seating.refill(round)  # after what ended is written: a voided game may begin again at once
            self._write(round)
            said = answers(round, self.clock.here())
        except Exception:
            round.forget()
            self._give_up(round, list(self.sessions.values()), list(self.tables.live.values()))
            said = answers(round, self.clock.here())
        for session, messages in said.items():
            session.deliver(messages)
        for attempt in round.ended:
            self.on_finished(attempt)
        self.metrics.observe("round_seconds", time.perf_counter() - began)

    def _obey(self, round: Round, command: Command) -> None:
        """Runs a command; what goes wrong in it is the trouble of its session alone."""
        try:
            command.run(round)
        except Exception:
            session = command.session
            if session is None:
                raise
            lives = list(session.tables.values())
            self._give_up(round, list({session, *(one for live in lives for one in live.sessions)}), lives)

    def _give_up(self, round: Round, sessions: list[Session], lives: list[LiveGame]) -> None:
        """Takes tables out of memory, to be loaded again from what is written, and sends their sessions away."""
        self.metrics.add("round_errors")
        log.exception("a round failed", extra={"tables": len(lives)})
        for live in lives:
            round.moving.pop(live, None)
            round.drop(live)
            self.tables.forget(live)
        for session in sessions:
            session.drained = True
            round.say(session, {"type": "closing", "reason": "something went wrong here", "retry_after": 1})

    def _write(self, round: Round) -> None:
        """Commits the round; tables that someone else has taken meanwhile are left to them."""
        while True:
            entries, spent = round.entries()
            try:
                stuck = journal.commit(self.database, entries, spent)
            except journal.Lost as lost:
                if not lost.tables:
                    raise
                for live in [live for live in round.touched if live.dealt.id in lost.tables]:
                    round.drop(live)
                    self.seating.supersede(round, live)
                continue
            for live in round.touched:
                live.course.saved_turn = live.course.turn
                if live.status != "active":
                    self._over(round, live, live.dealt.id in stuck)
            self.metrics.add("moves", sum(len(entry.moves) for entry in entries))
            round.touched.clear()
            return

    def _over(self, round: Round, live: LiveGame, stuck: bool) -> None:
        """A game has ended and that is written. A deal that is not tried again until the host looks is told to the
        host and to the entrant."""
        sessions = live.sessions
        round.over(live)
        self.tables.forget(live)
        if stuck:
            self.metrics.add("deals_stuck")
            detail = {
                "attempt": live.dealt.terms.attempt,
                "table": live.dealt.id,
                "reason": "its partner failed every time",
            }
            log.error("deal stuck", extra=detail)
            for session in sessions:
                self.seating.tell_stuck(round, session)

    def _partner_moved(self, table: str, seat: int, turn: int, answer: int | Exception) -> None:
        self.submit(Command(lambda round: self.tables.partner_moved(round, table, seat, turn, answer)))

    def tick(self, round: Round) -> None:
        """Once a second: ends games whose time is over."""
        now = self.clock.here()
        for live in list(self.tables.live.values()):
            left = live.seconds_left(now)
            if left is not None and left < 0 and live.awaits_entrant:
                round.forfeit(live, "out of time")
        self.seating.company.tick(round)
        if now - self._swept > SWEEP:
            self._swept = now
            for live in [live for live in self.tables.live.values() if not live.attended and now - live.left > IDLE]:
                self.tables.forget(live)
            self.keeping.sweep()
            round.ended |= self.sweep_database()
            self.seating.look_again(round)

    def sweep_database(self) -> set[str]:
        """Ends games whose time ran out while no process had them: their client never came back. Returns attempts."""
        ended, now = set(), self.clock.shared()
        with self.database.write() as transaction:
            seats.free_orphans(transaction, [self.process, *uptime.living(transaction, now)])
            rows = transaction.scalars(select(Table).where(Table.status == "active", Table.holder == ""))
            for row in [row for row in rows if row.id not in self.tables.live and row.asked is not None]:
                clock = self.tables.terms(row.attempt_id).clock
                if clock is not None and now - (row.asked or 0.0) > clock.move + (row.bank or 0.0):
                    row.status, row.reason = "forfeit", "out of time"
                    self.metrics.add("games_forfeit")
                    ended.add(row.attempt_id)
        return ended
