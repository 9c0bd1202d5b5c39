"""Tables: loading them from their logs, moving them, asking their partners."""

from __future__ import annotations

import dataclasses
import json
import logging
import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
from sqlalchemy import select

from coplay.challenge.batches import as_key
from coplay.challenge.errors import ChallengeError
from coplay.challenge.log import unpack
from coplay.challenge.pins import check_partners
from coplay.challenge.rules import game_of, read_rules
from coplay.faces import faces_of
from coplay.serve.engine.expecting import needs_of_studies
from coplay.serve.engine.game_batch import CAPACITY, GameBatch, Look
from coplay.serve.engine.game_clock import GameClock
from coplay.serve.engine.live_game import Dealt, LiveGame, PartnerSeat, Position, Seen, Terms
from coplay.serve.engine.metrics import Metrics
from coplay.serve.engine.party import Party
from coplay.serve.engine.players.partners import Partners
from coplay.serve.engine.players.preparing import Need, needs_of
from coplay.serve.engine.round import Round, SeatView, over
from coplay.serve.engine.session import Session
from coplay.serve.store import seats
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Challenge, Table
from coplay.serve.store.places import Customs, places_at

log = logging.getLogger("coplay.serve")
NO_RULES = {"offences": 1000, "answer_floor": 0.0, "parallel": 1}


class Tables:
    """The tables in memory, of all attempts."""

    def __init__(self, database: Database, partners: Partners, metrics: Metrics, clock: GameClock) -> None:
        self.database, self.partners, self.metrics, self.clock = database, partners, metrics, clock
        self.live: dict[str, LiveGame] = {}
        self.capacity = CAPACITY  # of a stack at its beginning
        self.for_entrants = self.for_people = True  # who is expected in this process
        self._batches: dict[tuple[str, str], GameBatch] = {}
        self._terms: dict[str, Terms] = {}
        self._lock = threading.Lock()

    def batch(self, game: str, settings: dict[str, Any]) -> GameBatch:
        """The batch of a game; made once."""
        key = game, json.dumps(settings, sort_keys=True)
        with self._lock:  # connections ask too
            if key not in self._batches:
                self._batches[key] = GameBatch(game_of(*key), self.capacity)
            return self._batches[key]

    def batches(self) -> list[GameBatch]:
        with self._lock:
            return list(self._batches.values())

    def drop(self, gone: set[int]) -> None:
        """Batches with these ids, where nobody sits, are made anew when somebody asks for them."""
        with self._lock:
            self._batches = {key: batch for key, batch in self._batches.items() if id(batch) not in gone}
        held = {attempt: terms for attempt, terms in list(self._terms.items()) if not terms.uses(gone)}
        self._terms = held

    def expected(self) -> list[Need]:
        """What open challenges and studies need: what entrants will ask for first, first."""
        with self.database.read() as transaction:
            open_ones = select(Challenge).where(Challenge.status == "open")
            challenges = list(transaction.scalars(open_ones)) if self.for_entrants else []
            studies = needs_of_studies(transaction, self.batch) if self.for_people else []
        found: list[Need] = []
        for challenge in challenges:
            pins = {} if challenge.pins is None else json.loads(challenge.pins)
            for one in read_rules(challenge.rules).configurations:
                batch = self.batch(one.game, one.settings)
                partners = [(spec, pins.get(spec)) for spec in one.partners] + [(spec, None) for spec in one.rehearsal]
                found += needs_of(batch, batch.capacity, partners)
        return found + studies

    def needs(self, session: Session) -> list[Need]:
        """What the games of a session need that run or are to come, with room for those that run."""
        terms, found = self.terms(session.attempt), []
        with self.database.read() as transaction:
            ahead = seats.ahead(transaction, session.attempt, session.configurations)
        for name, kinds in ahead.items():
            batch = terms.batches[name]
            specs = [spec for partners in kinds.partners for spec in json.loads(partners)]
            if terms.customs is not None and terms.customs.substitute:
                specs.append(terms.customs.substitute)
            held = sum(
                live.dealt.configuration == name
                for live in self.live.values()
                if live.dealt.terms.attempt == terms.attempt
            )
            capacity = batch.capacity_for(kinds.running - held)
            others = self.partners.of(batch) if capacity > batch.capacity else []  # they sit at the larger stack too
            found += needs_of(batch, capacity, [(spec, terms.pinned(spec)) for spec in specs] + others)
        return found

    def terms(self, attempt: str, anew: bool = False) -> Terms:
        """What holds for an attempt's games; `anew`: partners may have been accepted since it was asked last."""
        if anew or attempt not in self._terms:
            with self.database.read() as transaction:
                found = transaction.get(Attempt, attempt)
                if found is None:
                    raise ChallengeError(f"there is no attempt {attempt}.", 404, "unknown")
                challenge = transaction.get(Challenge, found.challenge_id) if found.challenge_id else None
            batches = {name: self.batch(**one) for name, one in json.loads(found.configurations).items()}
            limits, clock, pins = NO_RULES, None, None
            if challenge is not None and found.kind != "person":
                rules = read_rules(challenge.rules)
                if found.kind == "eval" and found.status == "open":
                    check_partners(rules, challenge.pool_hash, challenge.pins)
                    pins = None if challenge.pins is None else json.loads(challenge.pins)
                clock = rules.clock
                limits = {name: getattr(rules, name) for name in NO_RULES}
            customs = Customs.read(found.customs)
            about = {"batches": batches, "pins": pins, "customs": customs}
            self._terms[attempt] = Terms(attempt, found.kind, clock, **about, **limits)
        return self._terms[attempt]

    def resume(
        self, round: Round, terms: Terms, rows: list[Table], logs: dict[str, list[str]], sessions: list[Session]
    ) -> list[LiveGame]:
        """Gives tables to the sessions of their attempt: those in memory as they are, the others rebuilt from their
        logs."""
        lives, loaded = [], []
        for row in rows:
            live = self.live.get(row.id)
            if live is not None and live.course.saved_turn != row.turn:  # another process has moved it
                self.forget(live)
                live = None
            if live is None:
                live = self._seat(terms, row)
                loaded.append((live, row, logs[row.id]))
            live.sit(sessions)
            lives.append(live)
        came = max((session.came for session in sessions), default=self.clock.shared())
        self._replay(round, loaded, came)
        for live in lives:
            if live.status == "active":
                round.touched[live] = None
                self.show(round, live)
        return lives

    def run(self, round: Round) -> None:
        """Moves tables until each waits for its entrant, for a plain partner, or is over."""
        while round.moving:
            moving, round.moving = list(round.moving), {}
            for batch, tables in _by_batch(moving):
                for live in tables:
                    round.touched[live] = None
                    on_turn = [seat for seat in range(batch.game.players) if live.course.to_move[seat]]
                    live.course.note(tuple(live.course.chosen[seat] for seat in on_turn))
                self._step(round, batch, tables, replay=False)

    def partner_moved(self, round: Round, table: str, seat: int, turn: int, answer: int | Exception) -> None:
        """A plain partner has answered, or broken."""
        live = self.live.get(table)
        if live is None or live.status != "active" or live.course.turn != turn:
            return
        if isinstance(answer, Exception) and not str(answer):
            self._reload(round, live)
        elif isinstance(answer, Exception):
            self.failed(round, live, f"seat {seat}: {answer}")
        elif not 0 <= answer < live.dealt.batch.game.num_actions:
            self.failed(round, live, f"seat {seat}: there is no such action")
        elif live.course.to_move[seat]:
            live.course.chosen[seat] = answer
            if live.course.complete:
                round.moving[live] = None

    def failed(self, round: Round, live: LiveGame, reason: str) -> None:
        """A partner broke: the game is voided and played again. Only the operator is told how: it may say who it is."""
        self.metrics.add("partner_failures")
        log.error("partner failed", extra={"table": live.dealt.id, "turn": live.course.turn, "reason": reason})
        round.void(live, "a partner failed")

    def forget(self, live: LiveGame) -> None:
        """Takes a table out of memory."""
        if self.live.pop(live.dealt.id, None) is not None:
            live.dealt.batch.give_back(live.dealt.row)
            self.partners.leave(live)
            for session in live.sessions:
                session.tables.pop(live.dealt.number, None)

    def show(self, round: Round, live: LiveGame, only: Session | None = None) -> None:
        """Each session, or only one, will be sent the view of each of its seats that is on turn, or of all if it wants
        them."""
        for session in live.sessions if only is None else [only]:
            for seat in (0,) if session.watches else live.seats_of(session):
                mine = bool(live.course.to_move[seat]) and not session.watches
                if (mine and seat not in live.course.chosen) or (not mine and session.all_turns):
                    round.ready.append(SeatView(session, live, seat, live.course.turn, mine, *self._sees(live, seat)))

    def legal(self, live: LiveGame, seat: int) -> np.ndarray:
        """bool [actions]: what a seat may do now."""
        return self._sees(live, seat).legal

    def ended(self, attempt: str, numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
        """What its session was told when games ended, for those of them that have; one query for all."""
        asked = [number for number in numbers if 0 <= number < 2**31]
        if not asked:
            return {}
        with self.database.read() as transaction:
            query = select(Table.number, Table.status, Table.reason, Table.score).where(
                Table.attempt_id == attempt, Table.number.in_(asked), Table.status.in_(("done", "forfeit", "void"))
            )
            rows = transaction.execute(query).all()
        # Scores are computed when all games are over, so a rehearsal's is told again only then.
        told = self.terms(attempt).kind != "eval"
        return {row.number: over(row.number, row.status, row.reason, row.score if told else None) for row in rows}

    def _sees(self, live: LiveGame, seat: int) -> Seen:
        """The view of a seat; looked up once in a turn, however often it is asked for."""
        if seat == live.course.position.seat:
            return Seen(live.course.position.vector, live.course.position.legal, live.course.position.words)
        if seat not in live.course.seen:
            look = live.dealt.batch.look([live.dealt.row], _only(seat, live.dealt.batch.game.players))
            live.course.seen[seat] = Seen(look.vector[0], look.legal[0], look.words[0])
        return live.course.seen[seat]

    def _reload(self, round: Round, live: LiveGame) -> None:
        """Rebuilds a table whose partner's process ended through no fault of this game."""
        sessions, terms = live.sessions, live.dealt.terms
        self.forget(live)
        with self.database.read() as transaction:
            row = transaction.get(Table, live.dealt.id)
            logs = seats.logs(transaction, [live.dealt.id])
        if row is not None and sessions:
            self.resume(round, terms, [row], logs, sessions)

    def _seat(self, terms: Terms, row: Table) -> LiveGame:
        batch = terms.batches[row.configuration]
        mine = np.zeros(batch.game.players, bool)
        taken = tuple(map(int, row.seats.split(",")))
        mine[list(taken)] = True
        others = [seat for seat in range(batch.game.players) if not mine[seat]]
        specs = json.loads(row.partners)
        dealt = Dealt(
            id=row.id,
            number=row.number,
            configuration=row.configuration,
            deal=row.deal,
            terms=terms,
            batch=batch,
            row=batch.take(1)[0],
            seats=taken,
            partners=[
                self.partners.seat(batch, spec, row.id, seat, terms.pinned(spec))
                for seat, spec in zip(others, specs, strict=True)
            ]
            + self._substitutes(batch, terms.customs, row.id, taken),
            seed=as_key(row.seed),
            key=as_key(row.key),
            mine=mine,
        )
        bank = row.bank if row.bank is not None or terms.clock is None else terms.clock.bank
        live = LiveGame(dealt, bank=bank, offences=row.offences, voids=row.voids)
        if terms.customs is not None:
            with self.database.read() as transaction:
                away = {place.seat for place in places_at(transaction, row.attempt_id) if place.away}
            live.party = Party(terms.customs, taken, idle_action(batch.game) or 0, away)
        self.live[row.id] = live
        return live

    def _substitutes(
        self, batch: GameBatch, customs: Customs | None, table: str, seats: tuple[int, ...]
    ) -> list[PartnerSeat]:
        """They follow the game from the deal, so that one who takes over knows what happened."""
        if customs is None or not customs.substitute:
            return []
        made = [self.partners.seat(batch, customs.substitute, table, seat) for seat in seats]
        return [dataclasses.replace(one, stands_in=True) for one in made]

    def _replay(self, round: Round, loaded: list[tuple[LiveGame, Table, list[str]]], came: float) -> None:
        """Brings tables from their first deal to where their logs end; partners hear every turn again."""
        records = {live: [unpack(text) for text in record] for live, _, record in loaded}
        for batch, tables in _by_batch(list(records)):
            rows, seeds = [live.dealt.row for live in tables], np.stack([live.dealt.seed for live in tables])
            look = batch.begin(rows, seeds, np.stack([live.dealt.mine for live in tables]))
            for index, live in enumerate(tables):
                live.course.position = _position(look, index)
            self._ask(round, batch, tables, replay=True)
        while behind := [
            live for live, record in records.items() if live.course.turn < len(record) and live.status == "active"
        ]:
            for batch, tables in _by_batch(behind):
                for live in tables:
                    live.course.note(records[live][live.course.turn])
                self._step(round, batch, tables, replay=True)
        for live, row, _ in loaded:
            live.course.saved_turn = live.course.turn
            self._set_clock(live, row, came)
            if live.status == "active" and live.course.complete:
                round.moving[live] = None

    def _set_clock(self, live: LiveGame, row: Table, came: float) -> None:
        """A game goes on with the time it had: what passed while a server lived counts, until its client came."""
        if live.dealt.terms.clock is None or not live.awaits_entrant:
            return
        used = 0.0 if row.asked is None else max(0.0, came - row.asked)
        live.asked = self.clock.here() - used

    def _step(self, round: Round, batch: GameBatch, tables: list[LiveGame], replay: bool) -> None:
        """Plays the last actions of the tables' logs."""
        actions = np.zeros((len(tables), batch.game.players), np.int32)
        for index, live in enumerate(tables):
            made = live.course.log[-1]
            actions[index] = made if batch.game.simultaneous else made[0]
        look = batch.step([live.dealt.row for live in tables], actions, np.stack([live.dealt.mine for live in tables]))
        going = []
        for index, live in enumerate(tables):
            if look.illegal[index]:  # entrants' moves are checked before: it was a partner's
                live.course.log.pop()
                self.failed(round, live, "its move was illegal")
                continue
            live.move_on(_position(look, index))
            if look.done[index]:
                round.end(live, "done")
                for session in [session for session in live.sessions if session.final]:
                    self.show(round, live, session)
            else:
                going.append(live)
        self._ask(round, batch, going, replay)

    def _ask(self, round: Round, batch: GameBatch, tables: list[LiveGame], replay: bool) -> None:
        self.partners.ask(batch, tables, lambda live, reason: self.failed(round, live, reason))
        if replay:
            return
        for live in tables:
            if live.status != "active":
                continue
            if live.course.complete:
                round.moving[live] = None
            self.show(round, live)


def _position(look: Look, index: int) -> Position:
    return Position(
        to_move=look.to_move[index],
        seat=int(look.seat[index]),
        vector=look.vector[index],
        legal=look.legal[index],
        words=look.words[index],
        score=float(look.score[index]),
    )


def idle_action(game: Any) -> int | None:
    """The action that does nothing in a game that can be played at a pace; None in other games."""
    face = faces_of(game).people
    return None if face is None or not game.simultaneous else face.idle


def _only(seat: int, players: int) -> np.ndarray:
    return (np.arange(players) == seat)[None]


def _by_batch(tables: list[LiveGame]) -> list[tuple[GameBatch, list[LiveGame]]]:
    groups: dict[int, tuple[GameBatch, list[LiveGame]]] = {}
    for live in tables:
        groups.setdefault(id(live.dealt.batch), (live.dealt.batch, []))[1].append(live)
    return list(groups.values())
