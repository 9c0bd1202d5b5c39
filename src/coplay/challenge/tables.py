"""Tables: loading them from their logs, moving them, asking their partners."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import numpy as np
from sqlalchemy import select

from coplay.challenge import clock as clocks
from coplay.challenge.errors import ChallengeError
from coplay.challenge.hall import Hall, Look, as_key
from coplay.challenge.live import Live, Terms, unpack
from coplay.challenge.metrics import Metrics
from coplay.challenge.partners import Partners
from coplay.challenge.round import Round, Sight, over
from coplay.challenge.rules import game_of, read_rules
from coplay.challenge.session import Session
from coplay.challenge.store import seats
from coplay.challenge.store.database import Database
from coplay.challenge.store.models import Attempt, Challenge, Table

log = logging.getLogger("coplay.challenge")
NO_RULES = {"offences": 1000, "answer_floor": 0.0, "parallel": 1}


class Tables:
    """The tables in memory, of all attempts."""

    def __init__(self, database: Database, partners: Partners, metrics: Metrics) -> None:
        self.database, self.partners, self.metrics = database, partners, metrics
        self.live: dict[str, Live] = {}
        self._halls: dict[tuple[str, str], Hall] = {}
        self._terms: dict[str, Terms] = {}

    def hall(self, game: str, settings: dict[str, Any]) -> Hall:
        """The hall of a game; made once."""
        key = game, json.dumps(settings, sort_keys=True)
        if key not in self._halls:
            self._halls[key] = Hall(game_of(*key))
        return self._halls[key]

    def expected(self) -> list[tuple[Hall, str | None]]:
        """The halls and partners of open challenges: what entrants will ask for first, first."""
        with self.database.read() as transaction:
            texts = list(transaction.scalars(select(Challenge.rules).where(Challenge.status == "open")))
        found: list[tuple[Hall, str | None]] = []
        for configuration in (one for text in texts for one in read_rules(text).configurations):
            hall = self.hall(configuration.game, configuration.settings)
            partners = dict.fromkeys((*configuration.partners, *configuration.rehearsal))
            found += [(hall, None), *((hall, spec) for spec in partners)]
        return found

    def terms(self, attempt: str) -> Terms:
        """What holds for an attempt's games."""
        if attempt not in self._terms:
            with self.database.read() as transaction:
                found = transaction.get(Attempt, attempt)
                if found is None:
                    raise ChallengeError(f"there is no attempt {attempt}.", 404, "unknown")
                challenge = transaction.get(Challenge, found.challenge_id) if found.challenge_id else None
            halls = {name: self.hall(**one) for name, one in json.loads(found.configurations).items()}
            limits, clock = NO_RULES, None
            if challenge is not None and found.kind != "person":
                rules = read_rules(challenge.rules)
                clock = rules.clock
                limits = {name: getattr(rules, name) for name in NO_RULES}
            self._terms[attempt] = Terms(attempt=attempt, kind=found.kind, clock=clock, halls=halls, **limits)
        return self._terms[attempt]

    def resume(
        self, round: Round, terms: Terms, rows: list[Table], logs: dict[str, list[str]], session: Session
    ) -> list[Live]:
        """Gives tables to a session: those in memory as they are, the others rebuilt from their logs."""
        lives, fresh = [], []
        for row in rows:
            live = self.live.get(row.id)
            if live is not None and live.saved_turn != row.turn:  # another process has moved it
                self.forget(live)
                live = None
            if live is None:
                live = self._seat(terms, row)
                fresh.append((live, row, logs[row.id]))
            live.holder, live.session = session.id, session
            session.tables[live.number] = live
            lives.append(live)
        self._replay(round, fresh, session)
        for live in lives:
            if live.status == "active":
                round.touched[live] = None
                self.show(round, live)
        return lives

    def run(self, round: Round) -> None:
        """Moves tables until each waits for its entrant, for a plain partner, or is over."""
        while round.moving:
            moving, round.moving = list(round.moving), {}
            for hall, tables in _by_hall(moving):
                for live in tables:
                    round.touched[live] = None
                    on_turn = [seat for seat in range(hall.game.players) if live.to_move[seat]]
                    live.log.append(tuple(live.chosen[seat] for seat in on_turn))
                self._step(round, hall, tables, replay=False)

    def partner_moved(self, round: Round, table: str, seat: int, turn: int, answer: int | Exception) -> None:
        """A plain partner has answered, or broken."""
        live = self.live.get(table)
        if live is None or live.status != "active" or live.turn != turn:
            return
        if isinstance(answer, Exception) and not str(answer):
            self._reload(round, live)
        elif isinstance(answer, Exception):
            self.failed(round, live, f"seat {seat}: {answer}")
        elif not 0 <= answer < live.hall.game.num_actions:
            self.failed(round, live, f"seat {seat}: there is no such action")
        elif live.to_move[seat]:
            live.chosen[seat] = answer
            if live.complete:
                round.moving[live] = None

    def failed(self, round: Round, live: Live, reason: str) -> None:
        """A partner broke: the game is voided and played again. Only the operator is told how: it may say who it is."""
        self.metrics.add("partner_failures")
        log.error("partner failed", extra={"table": live.id, "turn": live.turn, "reason": reason})
        round.void(live, "a partner failed")

    def forget(self, live: Live) -> None:
        """Takes a table out of memory."""
        if self.live.pop(live.id, None) is not None:
            live.hall.give_back(live.row)
            self.partners.leave(live)
            if live.session is not None:
                live.session.tables.pop(live.number, None)

    def show(self, round: Round, live: Live) -> None:
        """Its session will be sent the view of each of its seats that is on turn, or of all if it wants them."""
        if live.session is None:
            return
        for seat in live.seats:
            mine = bool(live.to_move[seat])
            if (mine and seat not in live.chosen) or (not mine and live.session.all_turns):
                round.ready.append(Sight(live, seat, live.turn, mine, *self._sees(live, seat)))

    def legal(self, live: Live, seat: int) -> np.ndarray:
        """bool [actions]: what a seat may do now."""
        return self._sees(live, seat)[1]

    def ended(self, attempt: str, number: int) -> dict[str, Any] | None:
        """What its session was told when a game ended; None if it has not."""
        if not 0 <= number < 2**31:
            return None
        with self.database.read() as transaction:
            query = select(Table).where(Table.attempt_id == attempt, Table.number == number)
            row = transaction.scalar(query)
        if row is None or row.status not in ("done", "forfeit", "void"):
            return None
        # Scores are computed when all games are over, so a rehearsal's is told again only then.
        return over(number, row.status, row.reason, row.score if self.terms(attempt).kind != "eval" else None)

    def _sees(self, live: Live, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Vector, legal actions and words of a seat's view."""
        if seat == live.seat:
            return live.vector, live.legal, live.words
        look = live.hall.look([live.row], _only(seat, live.hall.game.players))
        return look.vector[0], look.legal[0], look.words[0]

    def _reload(self, round: Round, live: Live) -> None:
        """Rebuilds a table whose partner's process ended through no fault of this game."""
        session, terms = live.session, live.terms
        self.forget(live)
        with self.database.read() as transaction:
            row = transaction.get(Table, live.id)
            logs = seats.logs(transaction, [live.id])
        if row is not None and session is not None:
            self.resume(round, terms, [row], logs, session)

    def _seat(self, terms: Terms, row: Table) -> Live:
        hall = terms.halls[row.configuration]
        mine = np.zeros(hall.game.players, bool)
        taken = tuple(map(int, row.seats.split(",")))
        mine[list(taken)] = True
        others = [seat for seat in range(hall.game.players) if not mine[seat]]
        specs = json.loads(row.partners)
        live = Live(
            id=row.id,
            number=row.number,
            configuration=row.configuration,
            deal=row.deal,
            terms=terms,
            hall=hall,
            row=hall.take(1)[0],
            seats=taken,
            partners=[self.partners.seat(hall, spec, row.id, seat) for seat, spec in zip(others, specs, strict=True)],
            seed=as_key(row.seed),
            key=as_key(row.key),
            mine=mine,
            bank=row.bank if row.bank is not None or terms.clock is None else terms.clock.bank,
            offences=row.offences,
            voids=row.voids,
        )
        self.live[row.id] = live
        return live

    def _replay(self, round: Round, loaded: list[tuple[Live, Table, list[str]]], session: Session) -> None:
        """Brings tables from their first deal to where their logs end; partners hear every turn again."""
        records = {live: [unpack(text) for text in record] for live, _, record in loaded}
        for hall, tables in _by_hall(list(records)):
            rows, seeds = [live.row for live in tables], np.stack([live.seed for live in tables])
            look = hall.begin(rows, seeds, np.stack([live.mine for live in tables]))
            for index, live in enumerate(tables):
                _take(live, look, index)
            self._ask(round, hall, tables, replay=True)
        while behind := [
            live for live, record in records.items() if live.turn < len(record) and live.status == "active"
        ]:
            for hall, tables in _by_hall(behind):
                for live in tables:
                    live.log.append(records[live][live.turn])
                self._step(round, hall, tables, replay=True)
        for live, row, _ in loaded:
            live.saved_turn = live.turn
            self._set_clock(live, row, session)
            if live.status == "active" and live.complete:
                round.moving[live] = None

    def _set_clock(self, live: Live, row: Table, session: Session) -> None:
        """A game goes on with the time it had: what passed while a server was alive counts, until its client came."""
        if live.terms.clock is None or not live.waits:
            return
        used = 0.0
        if row.asked is not None:
            with self.database.read() as transaction:
                used = clocks.alive_between(transaction, row.asked, session.came)
        live.asked = time.monotonic() - used

    def _step(self, round: Round, hall: Hall, tables: list[Live], replay: bool) -> None:
        """Plays the last actions of the tables' logs."""
        actions = np.zeros((len(tables), hall.game.players), np.int32)
        for index, live in enumerate(tables):
            made = live.log[-1]
            actions[index] = made if hall.game.simultaneous else made[0]
        look = hall.step([live.row for live in tables], actions, np.stack([live.mine for live in tables]))
        going = []
        for index, live in enumerate(tables):
            if look.illegal[index]:  # entrants' moves are checked before: it was a partner's
                live.log.pop()
                self.failed(round, live, "its move was illegal")
                continue
            live.movers.append(int(np.argmax(live.to_move)))
            live.turn += 1
            live.chosen = {}
            live.asked = None
            _take(live, look, index)
            if look.done[index]:
                round.end(live, "done")
                if live.session is not None and live.session.final:
                    self.show(round, live)
            else:
                going.append(live)
        self._ask(round, hall, going, replay)

    def _ask(self, round: Round, hall: Hall, tables: list[Live], replay: bool) -> None:
        self.partners.ask(hall, tables, lambda live, reason: self.failed(round, live, reason))
        if replay:
            return
        for live in tables:
            if live.status != "active":
                continue
            if live.complete:
                round.moving[live] = None
            self.show(round, live)


def _take(live: Live, look: Look, index: int) -> None:
    live.to_move, live.seat = look.to_move[index], int(look.seat[index])
    live.vector, live.legal, live.words = look.vector[index], look.legal[index], look.words[index]
    live.score = float(look.score[index])


def _only(seat: int, players: int) -> np.ndarray:
    return (np.arange(players) == seat)[None]


def _by_hall(tables: list[Live]) -> list[tuple[Hall, list[Live]]]:
    groups: dict[int, tuple[Hall, list[Live]]] = {}
    for live in tables:
        groups.setdefault(id(live.hall), (live.hall, []))[1].append(live)
    return list(groups.values())
