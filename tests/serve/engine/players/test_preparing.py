"""Compiling holds up nobody: whoever needs it waits, is told how far it is, and games that run go on."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from sqlalchemy import update

from coplay.serve.engine.engine import Engine
from coplay.serve.engine.frames import whole
from coplay.serve.engine.players.preparing import Need
from coplay.serve.engine.session import Session
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.people import new_table
from coplay.serve.store.models import Attempt, Table
from tests.serve.harness import House, first_legal, legal_of, rules
from tests.serve.serving import PATIENCE, wait_for

COMPILED = "/jax/core/compile/backend_compile_duration"
AGENT = """
from coplay import Agent

class Plain(Agent):
    def act(self, view):
        return int(view.legal.argmax())
"""

COMPILING = """
import os
import jax
from coplay.games import make
from coplay.serve.engine.players.compiler import Compiler, useful
from coplay.serve.engine.game_batch import GameBatch
from coplay.serve.engine.players.partners import Partners
from coplay.serve.engine.players.preparing import needs_of, prepare

if __name__ == "__main__":
    events = []
    jax.monitoring.register_event_listener(lambda name, **more: events.append(name))
    batch = GameBatch(make("hanabi-very-small"))
    needs = needs_of(batch, batch.capacity, [("random", None)])
    compiler = Compiler()
    for need in needs:
        compiler.compile(need)
    print(os.getpriority(os.PRIO_PROCESS, compiler._process.pid) > 0, os.getpriority(os.PRIO_PROCESS, 0))
    compiler.rest()
    events.clear()
    partners = Partners(lambda *answer: None)
    assert all(prepare(partners, need) for need in needs)
    misses = events.count("/jax/compilation_cache/cache_misses")
    print(useful(), events.count("/jax/compilation_cache/cache_hits") > 0 and misses == 0)
"""


class Player:
    """A connection to a running engine, with the first legal action for every turn."""

    def __init__(self, engine: Engine, attempt: str, kind: str, **options: Any) -> None:
        self.engine, self.heard = engine, queue.Queue()
        self.told: list[dict[str, Any]] = []
        self.session = Session(attempt, self._deliver, kind=kind, **options)
        engine.open(self.session)

    def _deliver(self, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            self.heard.put(message)

    def hear(self) -> dict[str, Any]:
        message = whole(self.heard.get(timeout=PATIENCE))
        self.told.append(message)
        return message

    def play(self, games: int) -> None:
        """Until so many games are over."""
        over = 0
        while over < games:
            message = self.hear()
            over += len(message["game"]) if message["type"] == "over" else 0
            if message["type"] == "turns":
                self.act(message)

    def act(self, message: dict[str, Any]) -> None:
        numbers = dict(zip(message["game"], message["turn"], strict=True))
        lives = [self.session.tables[number] for number in numbers if number in self.session.tables]
        actions = {live.dealt.number: int(np.argmax(live.course.position.legal)) for live in lives}
        columns = {"game": list(actions), "turn": [numbers[one] for one in actions], "action": list(actions.values())}
        self.engine.act(self.session, {"type": "act"} | columns)


@pytest.fixture
def running(house: House) -> Iterator[House]:
    """The house with its engine's threads."""
    house.engine.start()
    yield house
    house.engine.stop()


def person(house: House, game: str = "hanabi-small", partner: str = "random") -> str:
    with house.database.write() as transaction:
        return new_table(transaction, game, {"players": 2}, [partner]).attempt


class Slow:
    """Compiling that takes until it is let go, for some needs; what was done is noted."""

    def __init__(self, house: House, names: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.let, self.reached, self.done = threading.Event(), threading.Event(), []
        work = house.engine.preparations._work

        def slowly(need: Need) -> bool:
            if need.batch.game.name in names:
                self.reached.set()
                assert self.let.wait(PATIENCE)
            self.done.append((need.batch.game.name, need.spec))
            return work(need)

        monkeypatch.setattr(house.engine.preparations, "_work", slowly)


def test_a_rated_game_never_waits_for_a_visitors_table_to_compile(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(house, {"hanabi-small"}, monkeypatch)
    house.engine.start()
    try:
        rated = Player(house.engine, house.start().id, "eval")
        while rated.hear()["type"] != "turns":
            pass
        visitors = [Player(house.engine, person(house), "person") for _ in range(3)]
        assert slow.reached.wait(PATIENCE)  # their kind is being compiled, and will be for as long as we like
        rated.act(rated.told[-1])
        rated.play(2)
        second = Player(house.engine, house.start().id, "eval")  # and so is an attempt that begins meanwhile
        second.play(2)
        for visitor in visitors:
            assert visitor.hear() == {"type": "preparing", "done": 0, "of": 2}
            assert visitor.heard.empty()
        slow.let.set()
        for visitor in visitors:
            while visitor.hear()["type"] == "preparing":
                pass
            assert visitor.told[-1]["type"] == "turns"
            assert {"type": "preparing", "done": 1, "of": 2} in visitor.told
    finally:
        slow.let.set()
        house.engine.stop()


def test_what_rated_games_need_is_compiled_before_what_visitors_need(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(house, {"hanabi-small"}, monkeypatch)
    monkeypatch.setattr(house.engine.tables, "expected", list)
    house.engine.start()
    try:
        first = Player(house.engine, person(house), "person")
        assert slow.reached.wait(PATIENCE)
        later = [Player(house.engine, person(house, "overcooked", "stay"), "person")]
        rated = Player(house.engine, house.start().id, "eval")
        rehearsal = Player(house.engine, house.start("test").id, "test")
        for player in (first, *later, rated, rehearsal):
            assert player.hear()["type"] == "preparing"
        slow.let.set()
        rated.play(2)
        wait_for(lambda: len(slow.done) >= 6)
        names = list(dict.fromkeys(name for name, _ in slow.done))
        assert names.index("hanabi-very-small") < names.index("overcooked")
    finally:
        slow.let.set()
        house.engine.stop()


def test_a_visitor_who_leaves_has_nothing_compiled_any_more(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(house, {"hanabi-small"}, monkeypatch)
    monkeypatch.setattr(house.engine.tables, "expected", list)
    house.engine.start()
    try:
        stays = Player(house.engine, person(house), "person")
        assert slow.reached.wait(PATIENCE)
        leaves = Player(house.engine, person(house, "overcooked", "stay"), "person")
        assert leaves.hear()["type"] == "preparing"
        house.engine.close(leaves.session)
        slow.let.set()
        while stays.hear()["type"] != "turns":
            pass
        assert {name for name, _ in slow.done} == {"hanabi-small"}
    finally:
        slow.let.set()
        house.engine.stop()


@pytest.mark.parametrize("partner", ["random", "plain"])
def test_once_a_table_is_laid_nothing_is_compiled_in_the_thread_that_runs_the_games(
    sqlite_house: House, partner: str, tmp_path: Path
) -> None:
    house, own = sqlite_house, tmp_path / "plain.py"
    own.write_text(AGENT)
    compiled: list[str] = []

    def note(event: str, duration_secs: float, **kwargs: Any) -> None:
        if event == COMPILED:
            compiled.append(threading.current_thread().name)

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(note)
    house.engine.start()
    try:
        spec = "random" if partner == "random" else f"file:{own}:Plain"
        wants = frozenset({"vector", "legal", "text", "view", "words"})
        seat = person(house, "hanabi-small", spec)
        Player(house.engine, seat, "person", want=wants, all_turns=True).play(1)
        player = Player(house.engine, house.start().id, "eval", want=wants)
        player.play(2)
        back = Player(house.engine, person(house, "hanabi-small", spec), "person", history=True)
        while back.hear()["type"] != "turns":
            pass
    finally:
        house.engine.stop()
        jax._src.monitoring.unregister_event_duration_listener(note)  # pyright: ignore[reportAttributeAccessIssue]
    assert any(name.startswith("aside") for name in compiled)
    assert "engine" not in compiled


def test_a_full_stack_grows_aside_and_games_begin_as_it_has_room(house: House) -> None:
    house = House(house.url, make=False)
    house.engine.tables.capacity = 2
    with house.database.write() as transaction:
        host.new_challenge(transaction, "many", rules(games=5))
        host.open_challenge(transaction, "many")
    attempt = _enter(house, "many")
    house.engine.start()
    try:
        player = Player(house.engine, attempt.id, "eval", parallel=5)
        begun: set[int] = set()
        while len(begun) < 5:
            begun |= set(player.hear().get("game", ()))
        told = [message for message in player.told if message["type"] == "turns"]
        assert len(told[0]["game"]) == 2  # no more had room at first
        for message in told:
            player.act(message)
        player.play(5)
    finally:
        house.engine.stop()
    (batch,) = house.engine.tables._batches.values()
    assert batch.capacity == 8
    assert {table.status for table in house.tables(attempt)} == {"done"}
    house.close()


def _enter(house: House, challenge: str) -> Attempt:
    with house.database.write() as transaction:
        entrant, _ = host.register(transaction, challenge, "me", "m", "c", "none")
        return open_attempt(transaction, entrant, "eval")


def test_a_partner_that_could_not_be_made_is_tried_again_for_whoever_comes(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coplay.serve.engine.engine.log.error", lambda *_, **__: None)
    own = tmp_path / "plain.py"
    own.write_text("import nothing_of_this_name\n")
    seat = person(house, "hanabi-very-small", "random")
    with house.database.write() as transaction:
        change = update(Table).where(Table.attempt_id == seat).values(partners=f'["file:{own}:Plain"]')
        transaction.execute(change)
    house.engine.start()
    try:
        player = Player(house.engine, seat, "person")
        while player.hear()["type"] != "stuck":
            pass
        own.write_text(AGENT)
        with house.database.write() as transaction:
            change = update(Table).where(Table.attempt_id == seat, Table.status == "stuck")
            transaction.execute(change.values(status="todo", voids=0))
        house.engine.close(player.session)
        again = Player(house.engine, seat, "person")
        while again.hear()["type"] != "turns":
            pass
    finally:
        house.engine.stop()


def test_a_process_of_low_priority_compiles_first_and_the_server_loads_what_it_made(tmp_path: Path) -> None:
    """In a process of this test's own: the cache on the disk belongs to it from its start."""
    script = tmp_path / "compiling.py"
    script.write_text(COMPILING)
    environment = os.environ | {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "cache"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False)
    ours = str(os.getpriority(os.PRIO_PROCESS, 0))
    assert done.stdout.split() == ["True", ours, "True", "True"], done.stderr


def test_moves_that_come_before_their_game_is_ready_are_played_when_it_is(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restart: the client sends again what was not answered, at once."""
    attempt = house.start()
    first = house.sit(attempt, parallel=1)
    first.play(moves=1)
    (message,) = [message for message in first.everything if message["type"] == "turns"][-1:]
    house.restart()
    slow = Slow(house, {"hanabi-very-small"}, monkeypatch)
    house.engine.start()
    try:
        player = Player(house.engine, attempt.id, "eval", parallel=1)
        assert player.hear()["type"] == "preparing"
        act = {
            "type": "act",
            "game": message["game"],
            "turn": message["turn"],
            "action": [first_legal(legal_of(message, house)[0])],
        }
        house.engine.act(player.session, act)
        slow.let.set()
        while player.hear()["type"] != "turns":
            assert player.told[-1]["type"] == "preparing"
        assert player.told[-1]["turn"] > message["turn"]
        assert player.session.unplayed == 0
    finally:
        slow.let.set()
        house.engine.stop()
