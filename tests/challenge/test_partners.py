"""Partners that break harm only the server's pride: the game is voided and played again, and never scored."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from coplay.challenge.partners import Partners
from tests.challenge.harness import House, rules

AGENTS = """
import os
from coplay import Agent

class Fine(Agent):
    def act(self, view):
        return int(view.legal.argmax())

class Raises(Agent):
    def act(self, view):
        raise ValueError(f"broken at {view.text()}")

class Dies(Agent):
    def act(self, view):
        os._exit(3)

"""


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    path = tmp_path / "agents.py"
    path.write_text(AGENTS)
    return path


def _until(house: House, client, done, seconds: float = 120.0) -> None:
    """Runs rounds with what partners' processes answer."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it took too long"
        client.play()
        commands = []
        while not house.engine._queue.empty():
            commands.append(house.engine._queue.get())
        house.engine._round(commands) if commands else time.sleep(0.02)


def test_a_plain_partner_plays_in_a_process_of_its_own(tmp_path: Path, agents: Path) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules(games=2, partners=f'"file:{agents}:Fine"'))
    attempt = house.start()
    client = house.sit(attempt)
    _until(house, client, lambda: {table.status for table in house.tables(attempt)} == {"done"})
    assert house.finish(attempt) == ["small"]
    house.close()


@pytest.mark.parametrize("kind", ["Raises", "Dies"])
def test_a_game_whose_partner_breaks_is_voided_and_played_again(
    url: str, agents: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[str] = []
    monkeypatch.setattr("coplay.challenge.tables.log.error", lambda _, extra: logged.append(extra["reason"]))
    house = House(url, rules(games=1, partners=f'"file:{agents}:{kind}"'))
    attempt = house.start()
    client = house.sit(attempt)
    _until(house, client, lambda: house.tables(attempt)[-1].status == "stuck")
    tables = house.tables(attempt)
    assert [table.status for table in tables] == ["void"] * 3 + ["stuck"]
    assert len({(table.deal, table.seed, table.key) for table in tables}) == 1
    assert house.finish(attempt) == []
    assert house.engine.metrics.count("partner_failures") == 3
    # The entrant is not told how, because that may say who the partner is; nobody is told what it saw.
    assert {table.reason for table in tables[:3]} == {"a partner failed"}
    told = {"Raises": "seat 1: ValueError in agents.py, line 11", "Dies": "seat 1: its process ended"}[kind]
    assert logged == [told] * 3
    assert not house.records(attempt)
    house.close()


@pytest.mark.parametrize("action", [-1, 10, 10**30])
def test_a_partner_that_answers_with_no_action_of_the_game_voids_it(house: House, action: int) -> None:
    attempt = house.start()
    live = next(iter(house.sit(attempt, parallel=1).session.tables.values()))
    tables, seat = house.engine.tables, live.partners[0].seat
    house.round(lambda round: tables.partner_moved(round, live.id, seat, live.turn, action))
    assert [table.status for table in house.tables(attempt)] == ["void", "active", "todo"]


def test_a_policy_that_raises_voids_the_games_it_is_in_and_no_other(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=2)
    bench = next(iter(next(iter(house.engine.tables._halls.values())).benches.values()))
    fine = bench.decide
    calls = iter([_raise])  # the first call fails, the others do not
    bench.decide = lambda *arguments: next(calls, fine)(*arguments)  # pyright: ignore[reportAttributeAccessIssue]
    client.play()
    statuses = [table.status for table in house.tables(attempt)]
    assert sorted(statuses) in (["done", "done", "void"], ["done", "done", "void", "void"])
    assert house.finish(attempt) == ["small"]


def _raise(*arguments: object) -> None:
    raise RuntimeError("broken")


def test_partners_are_asked_in_one_batch(sqlite_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    before = Partners._decide

    def count(self, hall, bench, seats, failed) -> None:
        asked.append(len(seats))
        before(self, hall, bench, seats, failed)

    monkeypatch.setattr(Partners, "_decide", count)
    clients = [sqlite_house.sit(sqlite_house.start()) for _ in range(3)]
    asked.clear()
    from coplay.challenge.moves import accept_moves
    from tests.challenge.harness import first_legal, legal_of

    commands = []
    for client in clients:
        message = client.hear("turns")[-1]
        legal = legal_of(message, sqlite_house)
        act = {name: message[name] for name in ("game", "turn", "seat")} | {
            "action": [first_legal(row) for row in legal]
        }
        commands.append(lambda round, c=client, a=act: accept_moves(round, c.session, a, time.monotonic()))
    sqlite_house.round(*commands)
    assert asked[0] == 6
