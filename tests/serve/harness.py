"""What the tests of the challenge share."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select

from coplay.challenge.outcome.scoring import Record
from coplay.serve.engine.arrivals import Command
from coplay.serve.engine.engine import Engine
from coplay.serve.engine.frames import whole
from coplay.serve.engine.game_clock import BEAT
from coplay.serve.engine.moves import accept_moves
from coplay.serve.engine.session import Session
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.host import Keys
from coplay.serve.ledger.results import finish, records
from coplay.serve.store.database import open_database
from coplay.serve.store.models import Attempt, Entrant, Table
from tests.databases import ready_sqlite
from tests.serve.timing import HandMoved

# So many lives that no game ends before its deck is empty, or after fewer than five plays.
RULES = """
title = "Small"
auto_approve = true
attempts = {attempts}
offences = 3
answer_floor = {floor}
deals = "{deals}"
accept_repeats = true
{more}
[clock]
move = 10
bank = 60
[[configuration]]
name = "small"
game = "hanabi-very-small"
settings = {{ life_tokens = 9 }}
players = {players}
games = {games}
partners = [{partners}]
rehearsal = ["random"]
"""


def rules(
    games: int = 2,
    partners: str = '"random"',
    attempts: int = 1,
    players: int = 2,
    more: str = "",
    floor: float = 0,
    deals: str = "shared",  # so that what two attempts do can be compared
) -> str:
    return RULES.format(
        games=games, partners=partners, attempts=attempts, players=players, more=more, floor=floor, deals=deals
    )


class House:
    """A database with an open challenge and an engine whose rounds are run by hand."""

    def __init__(self, url: str, text: str | None = None, make: bool = True) -> None:
        self.url = url
        file = Path(url.removeprefix("sqlite:///"))
        if url.startswith("sqlite") and not file.exists():
            ready_sqlite(file)
        self.database = open_database(url)
        self.timing = HandMoved()
        self.engine = Engine(self.database, timing=self.timing)
        self._names = 0
        if make:
            with self.database.write() as transaction:
                host.new_challenge(transaction, "small", text or rules())
                host.open_challenge(transaction, "small")

    def close(self) -> None:
        self.engine.partners.close()
        self.database.close()

    def advance(self, seconds: float) -> None:
        """Time goes by, and the server lives."""
        while seconds > 0:
            self.timing.advance(min(BEAT, seconds))
            self.engine.clock.beat()
            seconds -= BEAT

    def restart(self) -> None:
        """As after kill -9: nothing is left but the database."""
        self.engine.partners.close()
        self.engine = Engine(self.database, timing=self.timing)

    def enter(self, name: str = "") -> tuple[Entrant, Keys]:
        self._names += 1
        with self.database.write() as transaction:
            entrant, keys = host.register(transaction, "small", name or f"entrant {self._names}", "m", "c", "none")
        assert keys is not None
        return entrant, keys

    def start(self, kind: str = "eval", games: int | None = None) -> Attempt:
        entrant, _ = self.enter()
        with self.database.write() as transaction:
            return open_attempt(transaction, entrant, kind, games)

    def sit(self, attempt: Attempt | str, **options: Any) -> Client:
        return Client(self, attempt if isinstance(attempt, str) else attempt.id, **options)

    def round(self, *commands: Callable[[Any], None]) -> None:
        self.engine.round([Command(command) for command in commands])

    def tables(self, attempt: Attempt) -> list[Table]:
        with self.database.read() as transaction:
            query = select(Table).where(Table.attempt_id == attempt.id).order_by(Table.number)
            return list(transaction.scalars(query))

    def logs(self, attempt: Attempt) -> dict[tuple[int, str], tuple[str, ...]]:
        """The actions of every finished game, by deal."""
        return {(one.deal, one.status): one.actions for one in self.records(attempt)}

    def records(self, attempt: Attempt) -> list[Record]:
        with self.database.read() as transaction:
            return records(transaction, attempt.id)

    def finish(self, attempt: Attempt) -> list[str]:
        return finish(self.database, attempt.id)


class Client:
    """A session that keeps what it is told."""

    def __init__(self, house: House, attempt: str, **options: Any) -> None:
        self.house = house
        self.heard: list[dict[str, Any]] = []
        self.everything: list[dict[str, Any]] = []
        settings: dict[str, Any] = {"parallel": 100, "came": house.engine.clock.shared()} | options
        self.session = Session(attempt, self._deliver, **settings)
        house.round(lambda round: house.engine.seating.open(round, self.session))

    def _deliver(self, messages: list[dict[str, Any]]) -> None:
        told = [whole(message) for message in messages]
        self.heard += told
        self.everything += told

    def hear(self, kind: str | None = None) -> list[dict[str, Any]]:
        """What was said since the last call, of one type or of all."""
        found, self.heard[:] = list(self.heard), []
        return [message for message in found if kind in (None, message["type"])]

    def send(
        self, game: Any, turn: Any, action: Any, received: float | None = None, **more: Any
    ) -> list[dict[str, Any]]:
        message = {"type": "act", "game": [game], "turn": [turn], "action": [action]} | more
        return self.say(message, received)

    def say(self, message: dict[str, Any], received: float | None = None) -> list[dict[str, Any]]:
        when = self.house.engine.clock.here() if received is None else received
        self.house.round(lambda round: accept_moves(self.house.engine.tables, round, self.session, message, when))
        return self.hear()

    def leave(self) -> None:
        self.house.round(lambda round: self.house.engine.seating.close(self.session))

    def play(self, choose: Callable[[np.ndarray], int] | None = None, moves: int = 10**6) -> int:
        """Plays until nothing waits, or so many moves; returns how many moves were made."""
        choose = choose or first_legal
        made = 0
        while turns := [m for m in self.hear() if m["type"] == "turns"]:
            for message in turns:
                rows = [row for row in range(len(message["game"])) if message["mine"][row]][: moves - made]
                if not rows:
                    return made
                legal = legal_of(message, self.house)
                act = {"type": "act", "game": [message["game"][row] for row in rows]}
                act |= {"turn": [message["turn"][row] for row in rows], "seat": [message["seat"][row] for row in rows]}
                act["action"] = [choose(legal[row]) for row in rows]
                now = self.house.engine.clock.here()
                self.house.round(
                    lambda round, act=act, now=now: accept_moves(
                        self.house.engine.tables, round, self.session, act, now
                    )
                )
                made += len(rows)
        return made


def legal_of(message: dict[str, Any], house: House) -> np.ndarray:
    """bool [games, actions] of a turns message."""
    packed = np.frombuffer(base64.b64decode(message["legal"]), np.uint8).reshape(len(message["game"]), -1)
    batch = next(iter(house.engine.tables._batches.values()))
    return np.unpackbits(packed, axis=1, count=batch.game.num_actions).astype(bool)


def first_legal(legal: np.ndarray) -> int:
    return int(np.flatnonzero(legal)[0])


def last_legal(legal: np.ndarray) -> int:
    return int(np.flatnonzero(legal)[-1])


def one_turn(messages: list[dict[str, Any]]) -> tuple[int, int]:
    """Game and turn of the only game that waits."""
    (message,) = [m for m in messages if m["type"] == "turns"]
    assert len(message["game"]) == 1
    return message["game"][0], message["turn"][0]
