"""Runs all tables of one server process, in rounds.

A round takes everything that has arrived, from however many connections: it checks the moves, steps all their tables
together, asks each partner once for all its tables, goes on until every table waits for its entrant or is over, writes
what happened in one transaction, and only then answers. The busier the server, the larger its batches.

All of this happens in one thread; other threads hand in commands with `submit`. A process that dies loses nothing:
tables are loaded again from their logs when somebody asks for them.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import select

from coplay.serve.engine.frames import answers
from coplay.serve.engine.game_batch import GameBatch, PolicyBatch
from coplay.serve.engine.live_game import LiveGame
from coplay.serve.engine.metrics import Metrics
from coplay.serve.engine.moves import accept_moves
from coplay.serve.engine.partners import Partners
from coplay.serve.engine.round import Round
from coplay.serve.engine.session import Session
from coplay.serve.engine.tables import Tables
from coplay.serve.store import journal, seats, uptime
from coplay.serve.store.database import Database
from coplay.serve.store.models import Table, random_id
from coplay.serve.timing import SYSTEM, Timing

log = logging.getLogger("coplay.serve")
IDLE = 600.0  # seconds a table stays in memory without a session
SWEEP = 30.0  # seconds between two looks for games that nobody plays


class Command(NamedTuple):
    """Something to do in the next round, and for whom."""

    run: Callable[[Round], None]
    session: Session | None = None


class Engine:
    """The running games of one process."""

    def __init__(self, database: Database, move_seconds: float = 30.0, timing: Timing = SYSTEM) -> None:
        self.database, self.timing = database, timing
        self.metrics = Metrics()
        self.partners = Partners(self._partner_moved, move_seconds)
        self.tables = Tables(database, self.partners, self.metrics, timing)
        self.draining = False
        self.sessions: dict[str, Session] = {}
        self.on_finished: Callable[[str], None] = lambda attempt: None  # called when an attempt may have ended
        self._queue: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._heart = threading.Thread(target=self._beat, name="heart", daemon=True)
        self._stopped = threading.Event()
        self._cold: list[tuple[GameBatch, str | None]] = []  # batches and partners that have not compiled yet
        self._swept = 0.0
        self._uptime, self._started = random_id(), timing.now()

    def start(self) -> None:
        self._sign_of_life()
        self._heart.start()
        self._thread.start()

    def stop(self) -> None:
        """Finishes the round that is running, then ends."""
        self._queue.put(None)
        self._thread.join(30)
        self.partners.close()
        self._stopped.set()
        self._heart.join(30)
        self._sign_of_life()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def submit(self, command: Command) -> None:
        """Has `command` run in the next round."""
        self._queue.put(command)

    # What connections ask for

    def open(self, session: Session) -> None:
        """A connection wants to play its attempt's games."""
        session.came = self.timing.now()
        self.submit(Command(lambda round: self._open(round, session), session))

    def act(self, session: Session, message: dict[str, Any]) -> None:
        """A connection's moves; the time they arrived is now, however long they wait here."""
        received = self.timing.monotonic()
        games = message.get("game")
        moves = len(games) if isinstance(games, list) else 1
        session.unplayed += moves

        def play(round: Round) -> None:
            session.unplayed -= moves
            accept_moves(self.tables, round, session, message, received)

        self.submit(Command(play, session))

    def close(self, session: Session) -> None:
        """A connection has gone; its tables wait."""
        self.submit(Command(lambda round: self._close(session)))

    # The threads

    def _beat(self) -> None:
        """Says that we live, however long a round takes."""
        while not self._stopped.wait(uptime.BEAT):
            try:
                self._sign_of_life()
            except Exception:  # the database is away; rounds that need it say so
                log.warning("no sign of life could be written")

    def _sign_of_life(self) -> None:
        with self.database.write() as transaction:
            uptime.beat(transaction, self._uptime, self._started, self.timing.now())

    def _run(self) -> None:
        next_tick = time.monotonic()
        self._cold = self.tables.expected()
        while True:
            commands: list[Command] = []
            try:
                wait = 0.0 if self._cold and not self.sessions else next_tick - time.monotonic()
                first = self._queue.get(timeout=max(0.0, wait))
                while first is not None:
                    commands.append(first)
                    first = self._queue.get_nowait()
                self._round(commands)
                return
            except queue.Empty:
                pass
            if not commands and not self.sessions:
                self._idle()
            if time.monotonic() >= next_tick:
                commands.append(Command(self._tick))
                next_tick = time.monotonic() + 1.0
            self._round(commands)

    def _idle(self) -> None:
        """Nobody waits: compiles something that somebody will need."""
        if self._cold:
            batch, spec = self._cold.pop(0)
            try:
                made = batch if spec is None else self.partners.partner(batch, spec)
                if isinstance(made, GameBatch):
                    made.warm_up()
                elif isinstance(made, PolicyBatch):
                    made.warm_up(batch.states)
            except Exception:  # it will show again, and be reported, when a game needs it
                log.exception("warming up failed")

    def _round(self, commands: list[Command]) -> None:
        """One round. Whatever goes wrong in it, nothing half-done is kept, and the thread lives on."""
        if not commands:
            return
        began = time.perf_counter()
        round = Round(self.timing, self.metrics)
        try:
            for command in commands:
                self._obey(round, command)
            self.tables.run(round)
            self._write(round)
            self._refill(round)  # after what ended is written: a voided game may begin again at once
            self._write(round)
            said = answers(round, self.timing.monotonic())
        except Exception:
            round.forget()
            self._give_up(round, list(self.sessions.values()), list(self.tables.live.values()))
            said = answers(round, self.timing.monotonic())
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
            self._give_up(round, [session], list(session.tables.values()))

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
                journal.commit(self.database, entries, spent)
            except journal.Lost as lost:
                if not lost.tables:
                    raise
                for live in [live for live in round.touched if live.id in lost.tables]:
                    round.drop(live)
                    self._supersede(round, live)
                continue
            for live in round.touched:
                live.saved_turn = live.turn
                if live.status != "active":
                    round.over(live)
                    self.tables.forget(live)
            self.metrics.add("moves", sum(len(entry.moves) for entry in entries))
            round.touched.clear()
            return

    def _supersede(self, round: Round, live: LiveGame) -> None:
        if live.session is not None:
            _superseded(round, live.session, live.number)
        self.tables.forget(live)

    def _open(self, round: Round, session: Session) -> None:
        terms = self.tables.terms(session.attempt)
        session.id = self._uptime[: seats.PROCESS] + session.id[seats.PROCESS :]
        self.sessions[session.id] = session
        session.parallel = max(1, min(session.parallel, terms.parallel))
        with self.database.write() as transaction:
            limit = session.parallel
            rows = seats.claim_running(transaction, session.attempt, session.id, session.take == "one", limit)
            logs = seats.logs(transaction, [row.id for row in rows])
        for row in rows:
            before = self.tables.live.get(row.id)
            holder = before.session if before is not None else None
            if holder is not None and holder is not session:
                _superseded(round, holder, row.number)
        for live in self.tables.resume(round, terms, rows, logs, session):
            if session.history and live.turn:
                round.histories.append(live)

    def _close(self, session: Session) -> None:
        session.closed = True
        self.sessions.pop(session.id, None)
        held = list(session.tables.values())
        for live in held:
            live.session = None  # whatever the database says: it is not told anything any more
        with self.database.write() as transaction:
            seats.release(transaction, session.attempt, session.id)
        for live in held:
            live.leave(self.timing.monotonic())
        session.tables.clear()

    def _refill(self, round: Round) -> None:
        """Begins new games for sessions that may hold more than they do."""
        for session in list(self.sessions.values()):
            while not (self.draining or session.drained or session.closed):
                running = sum(live.status == "active" for live in session.tables.values())
                if running >= session.parallel:
                    break
                terms = self.tables.terms(session.attempt)
                bank = terms.clock.bank if terms.clock else None
                wanted, kinds = session.parallel - running, session.configurations
                with self.database.write() as transaction:
                    paused = seats.is_paused(transaction, session.attempt)
                    claim = transaction, session.attempt, session.id, kinds, wanted, bank
                    rows = [] if paused else seats.claim_new(*claim)
                if paused:
                    break
                session.drained = not rows
                if session.drained and not running:
                    round.ended.add(session.attempt)  # perhaps a crash came between its last move and its scores
                self.tables.resume(round, terms, rows, {row.id: [] for row in rows}, session)
                self.tables.run(round)

    def _partner_moved(self, table: str, seat: int, turn: int, answer: int | Exception) -> None:
        self.submit(Command(lambda round: self.tables.partner_moved(round, table, seat, turn, answer)))

    def _tick(self, round: Round) -> None:
        """Once a second: ends games whose time is over."""
        now = self.timing.monotonic()
        for live in list(self.tables.live.values()):
            left = live.seconds_left(now)
            if left is not None and left < 0 and live.awaits_entrant:
                round.forfeit(live, "out of time")
        if now - self._swept > SWEEP:
            self._swept = now
            for live in [live for live in self.tables.live.values() if live.session is None and now - live.left > IDLE]:
                self.tables.forget(live)
            round.ended |= self._sweep_database()

    def _sweep_database(self) -> set[str]:
        """Ends games whose time ran out while no process had them: their client never came back. Returns attempts."""
        ended = set()
        with self.database.write() as transaction:
            seats.free_orphans(transaction, [self._uptime, *uptime.living(transaction, self.timing.now())])
            rows = transaction.scalars(select(Table).where(Table.status == "active", Table.holder == ""))
            for row in [row for row in rows if row.id not in self.tables.live and row.asked is not None]:
                clock = self.tables.terms(row.attempt_id).clock
                used = uptime.alive_between(transaction, row.asked, self.timing.now())  # pyright: ignore[reportArgumentType]
                if clock is not None and used > clock.move + (row.bank or 0.0):
                    row.status, row.reason = "forfeit", "out of time"
                    self.metrics.add("games_forfeit")
                    ended.add(row.attempt_id)
        return ended


def _superseded(round: Round, session: Session, game: int) -> None:
    """Another session has this game now; the one that had it begins no more."""
    round.say(session, {"type": "superseded", "game": [game]})
    session.tables.pop(game, None)
    session.drained = True
