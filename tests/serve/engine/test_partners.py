"""Partners that break harm only the server's pride: the game is voided and played again, and never scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from coplay.challenge.errors import ChallengeError
from coplay.serve.engine.partners import Partners
from coplay.serve.engine.workers import PlainPartner
from coplay.serve.ledger.check import check_database
from tests.serve.harness import House, rules
from tests.serve.serving import PATIENCE

AGENTS = """
import os
from coplay import Agent

class Fine(Agent):
    def act(self, view):
        return int(view.legal.argmax())

class Raises(Agent):
    def act(self, view):
        raise ValueError(f"broken at {view.text()}")

class Absent(Agent):
    def __init__(self):
        if os.environ.get("COPLAY_ABSENT"):
            os._exit(3)

    def act(self, view):
        return int(view.legal.argmax())

class Dies(Agent):
    def act(self, view):
        os._exit(3)

"""


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    path = tmp_path / "agents.py"
    path.write_text(AGENTS)
    return path


def _until(house: House, client, done) -> None:
    """Runs rounds with what partners' processes answer."""
    while not done():
        client.play()
        if done():
            break
        commands = [house.engine._queue.get(timeout=PATIENCE)]  # an answer comes, however long its process takes
        while not house.engine._queue.empty():
            commands.append(house.engine._queue.get())
        house.engine._round([command for command in commands if command is not None])


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
    monkeypatch.setattr("coplay.serve.engine.tables.log.error", lambda _, extra: logged.append(extra["reason"]))
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


def test_a_partner_whose_process_cannot_start_voids_its_games_and_is_not_started_for_ever(
    tmp_path: Path, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules(games=1, partners=f'"file:{agents}:Absent"'))
    attempt = house.start()
    starts: list[None] = []
    begin = PlainPartner._start

    def count(self: PlainPartner) -> None:
        starts.append(None)
        monkeypatch.setenv("COPLAY_ABSENT", "1")  # here it can be made, in its process it cannot
        begin(self)
        monkeypatch.delenv("COPLAY_ABSENT")

    monkeypatch.setattr(PlainPartner, "_start", count)
    client = house.sit(attempt)
    _until(house, client, lambda: house.tables(attempt)[-1].status == "stuck")
    assert len(starts) == 3  # once for every time that the deal was tried
    house.close()


def test_a_partner_whose_file_has_changed_plays_no_rated_game_and_the_check_names_it(url: str, agents: Path) -> None:
    house = House(url, rules(games=1, partners=f'"file:{agents}:Fine"'))
    assert check_database(house.database) == []
    attempt = house.start()
    agents.write_text(AGENTS.replace("view.legal.argmax()", "view.legal.nonzero()[0][-1]"))
    (named,) = check_database(house.database)
    assert "challenge small: the files of its partners" in named
    with pytest.raises(ChallengeError, match="not those that the challenge was made with"):
        house.start()
    with pytest.raises(ChallengeError, match="not those that the challenge was made with"):
        house.engine.tables.terms(attempt.id)
    house.start("test")  # a rehearsal counts for nothing
    agents.write_text(AGENTS)
    assert check_database(house.database) == []
    assert house.engine.tables.terms(attempt.id).kind == "eval"
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
    policies = next(iter(next(iter(house.engine.tables._batches.values())).policy_batches.values()))
    fine = policies.decide
    calls = iter([_raise])  # the first call fails, the others do not
    policies.decide = lambda *arguments: next(calls, fine)(*arguments)  # pyright: ignore[reportAttributeAccessIssue]
    client.play()
    statuses = [table.status for table in house.tables(attempt)]
    assert sorted(statuses) in (["done", "done", "void"], ["done", "done", "void", "void"])
    assert house.finish(attempt) == ["small"]


def _raise(*arguments: object) -> None:
    raise RuntimeError("broken")


def test_partners_are_asked_in_one_batch(sqlite_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    before = Partners._decide

    def count(self, batch, policies, seats, failed) -> None:
        asked.append(len(seats))
        before(self, batch, policies, seats, failed)

    monkeypatch.setattr(Partners, "_decide", count)
    clients = [sqlite_house.sit(sqlite_house.start()) for _ in range(3)]
    asked.clear()
    from coplay.serve.engine.moves import accept_moves
    from tests.serve.harness import first_legal, legal_of

    commands = []
    for client in clients:
        message = client.hear("turns")[-1]
        legal = legal_of(message, sqlite_house)
        act = {name: message[name] for name in ("game", "turn", "seat")} | {
            "action": [first_legal(row) for row in legal]
        }
        now = sqlite_house.timing.monotonic()
        commands.append(
            lambda round, c=client, a=act, now=now: accept_moves(sqlite_house.engine.tables, round, c.session, a, now)
        )
    sqlite_house.round(*commands)
    assert asked[0] == 6
