"""Which session plays which tables: takes games over, begins new ones, leaves them, waits until they can begin."""

from __future__ import annotations

from coplay.serve.engine.company import Company
from coplay.serve.engine.game_batch import GameBatch
from coplay.serve.engine.game_clock import GameClock
from coplay.serve.engine.live_game import LiveGame, Terms
from coplay.serve.engine.players.preparing import Need, Preparations, needs_of
from coplay.serve.engine.round import Round
from coplay.serve.engine.session import Session
from coplay.serve.engine.tables import Tables
from coplay.serve.store import seats
from coplay.serve.store.database import Database


class Seating:
    """The sessions of one process."""

    def __init__(
        self, database: Database, tables: Tables, preparations: Preparations, clock: GameClock, process: str
    ) -> None:
        self.database, self.tables, self.clock, self._process = database, tables, clock, process
        self.preparations = preparations
        preparations.on_ready = self._grow
        self.draining = False
        self.sessions: dict[str, Session] = {}
        self.company = Company(database, tables, clock, self.sessions, process)

    def open(self, round: Round, session: Session) -> None:
        """A session takes over the running games of its attempt and begins others, as soon as all is ready for them."""
        needs = self.tables.needs(session)
        if self.preparations.have(needs):
            self._enter(round, session)
        else:
            self.preparations.wait(round, session, needs, lambda round: self._enter(round, session))

    def _enter(self, round: Round, session: Session) -> None:
        if session.closed:
            return
        terms = self.tables.terms(session.attempt)
        session.id = session.holder = self._process[: seats.PROCESS] + session.id[seats.PROCESS :]
        self.sessions[session.id] = session
        session.parallel = max(1, min(session.parallel, terms.parallel))
        if session.seats is None:
            self._take(round, terms, session)
        else:
            self.company.enter(round, terms, session, lambda other: superseded(round, other, *other.tables))
        early, session.early = session.early, []
        for play in early:
            play(round)

    def _take(self, round: Round, terms: Terms, session: Session) -> None:
        """The running games of an attempt go over to a session."""
        with self.database.write() as transaction:
            limit = session.parallel
            rows = seats.claim_running(transaction, session.attempt, session.id, session.take == "one", limit)
            logs = seats.logs(transaction, [row.id for row in rows])
        for row in rows:
            before = self.tables.live.get(row.id)
            for holder in [] if before is None else before.sessions:
                if holder is not session:
                    superseded(round, holder, row.number)
        for live in self.tables.resume(round, terms, rows, logs, [session]):
            if session.history and live.course.turn:
                round.histories.append((session, live))

    def close(self, session: Session) -> None:
        """A connection has gone; its tables wait."""
        session.closed = True
        self.preparations.leave(session)
        self.sessions.pop(session.id, None)
        held = list(session.tables.values())
        for live in held:
            live.leave(session, self.clock.here())  # whatever the database says: it is not told anything any more
        session.tables.clear()
        if session.seats is None or self.company.leave(session):
            with self.database.write() as transaction:
                seats.release(transaction, session.attempt, session.holder)

    def refill(self, round: Round) -> None:
        """Begins new games for sessions that may hold more than they do."""
        for session in list(self.sessions.values()):
            if session.unready and not session.drained:
                self._make_ready(round, session)
            while session.may_begin and not self.draining:
                running = sum(live.status == "active" for live in session.tables.values())
                terms = self.tables.terms(session.attempt)
                room = self._room(terms, session)
                if running >= session.parallel or room == 0:
                    break
                bank = terms.clock.bank if terms.clock else None
                wanted, kinds = min(room, session.parallel - running), session.configurations
                with self.database.write() as transaction:
                    paused = seats.is_paused(transaction, session.attempt)
                    claim = transaction, session.attempt, session.holder, kinds, wanted, bank
                    rows = [] if paused else seats.claim_new(*claim)
                if paused:
                    break
                session.drained = not rows
                self.tables.resume(round, terms, rows, {row.id: [] for row in rows}, self.company.of(session))
                self.tables.run(round)
            if session.drained and not session.settled and not session.tables:
                session.settled = True
                round.ended.add(session.attempt)  # perhaps a crash came between its last move and its scores
                self.tell_stuck(round, session)
        self.company.tell(round)

    def _room(self, terms: Terms, session: Session) -> int:
        """How many games may begin without a larger stack; where none may, one is made ready."""
        names = session.configurations or terms.batches
        batches = [terms.batches[name] for name in names if name in terms.batches]
        room = min((len(batch.free) for batch in batches), default=0)
        if room == 0:
            for batch in [batch for batch in batches if not batch.free]:
                larger = self._larger(batch)
                if self.preparations.have(larger):
                    self._grow(larger[0])
                else:
                    self.preparations.want(larger)
        return room

    def _larger(self, batch: GameBatch) -> list[Need]:
        return needs_of(batch, 2 * batch.capacity, self.tables.partners.of(batch))

    def _grow(self, need: Need) -> None:
        """A stack grows when everybody at its tables is ready for that."""
        if need.capacity == 2 * need.batch.capacity:
            larger = self._larger(need.batch)
            if self.preparations.are_ready(larger):
                need.batch.grow(need.capacity)
            else:
                self.preparations.want(larger)

    def look_at(self, attempt: str) -> None:
        """Who sits at a table of people has changed; an agent that was seated is made ready first."""
        self.company.look_at(attempt)
        for session in self.company.at(attempt):
            session.unready = not (session.watches or session.tables)

    def tell_stuck(self, round: Round, session: Session) -> None:
        """Of an attempt's deals that wait for the host, the entrant is told."""
        with self.database.read() as transaction:
            deals, others = seats.left(transaction, session.attempt, session.configurations)
        session.stuck = deals > 0
        if deals:
            round.say(session, {"type": "stuck", "deals": deals, "left": others})

    def look_again(self, round: Round) -> None:
        """The host may have released deals that were stuck; their partner is made anew, aside."""
        for session in [session for session in self.sessions.values() if session.stuck]:
            self._make_ready(round, session)

    def _make_ready(self, round: Round, session: Session) -> None:
        """What a session's games need is made aside; then it goes on."""
        needs = self.tables.needs(session)
        if not needs or self.preparations.waits(session):
            session.unready = session.unready and bool(needs)
        elif self.preparations.have(needs):
            _go_on(session)
        else:
            self.preparations.wait(round, session, needs, lambda round: _go_on(session))

    def supersede(self, round: Round, live: LiveGame) -> None:
        """Another process has this table now."""
        for session in live.sessions:
            superseded(round, session, live.dealt.number)
        self.tables.forget(live)


def _go_on(session: Session) -> None:
    session.drained = session.settled = session.unready = False


def superseded(round: Round, session: Session, *games: int) -> None:
    """Another session has these games now; the one that had them begins no more."""
    round.say(session, {"type": "superseded", "game": list(games)})
    for game in games:
        session.tables.pop(game, None)
    session.drained = True
