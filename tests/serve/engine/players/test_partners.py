"""Partners that break harm only the server's pride: the game is voided and played again, and never scored."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from sqlalchemy import text

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.verify import verify_export
from coplay.serve.engine.players.partners import Partners
from coplay.serve.engine.players.policy_batch import PolicyBatch
from coplay.serve.engine.players.workers import PlainPartner
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
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


def _failures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the log will say of partners that fail."""
    logged: list[str] = []

    def note(what: str, extra: dict[str, str]) -> None:
        if what == "partner failed":
            logged.append(extra["reason"])

    monkeypatch.setattr("coplay.serve.engine.tables.log.error", note)
    return logged


def _until(house: House, client, done) -> None:
    """Runs rounds with what partners' processes answer."""
    while not done():
        client.play()
        if done():
            break
        commands = house.engine._arrivals.take(PATIENCE)  # an answer comes, however long its process takes
        assert commands
        house.engine.round(commands)


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
    logged = _failures(monkeypatch)
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
    assert f"file:{agents}:Fine: {agents} has other contents" in named
    with pytest.raises(ChallengeError, match="not those that the challenge was made with"):
        house.start()
    with pytest.raises(ChallengeError, match="not those that the challenge was made with"):
        house.engine.tables.terms(attempt.id)
    house.start("test")  # a rehearsal counts for nothing
    agents.write_text(AGENTS)
    assert check_database(house.database) == []
    assert house.engine.tables.terms(attempt.id).kind == "eval"
    house.close()


def test_a_partner_whose_file_changes_while_the_server_runs_is_not_loaded(
    url: str, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged = _failures(monkeypatch)
    house = House(url, rules(games=1, partners=f'"file:{agents}:Fine"'))
    attempt = house.start()
    house.engine.tables.terms(attempt.id)  # looked at before the change
    agents.write_text(AGENTS + "\n")
    house.sit(attempt)
    for _ in range(3):
        house.round(house.engine.tick)
    assert [table.status for table in house.tables(attempt)] == ["void"] * 3 + ["stuck"]
    assert set(logged) == {"seat 1: it cannot be made: its files are not those that were written down"}
    house.close()


def test_a_partners_process_that_starts_again_does_not_load_a_changed_file(
    tmp_path: Path, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged = _failures(monkeypatch)
    house = House(f"sqlite:///{tmp_path}/a.db", rules(games=1, partners=f'"file:{agents}:Dies"'))
    attempt = house.start()
    begin = PlainPartner._start

    def start_late(self: PlainPartner) -> None:
        agents.write_text(AGENTS + "\n")
        begin(self)

    monkeypatch.setattr(PlainPartner, "_start", start_late)
    client = house.sit(attempt)
    _until(house, client, lambda: house.tables(attempt)[-1].status == "stuck")
    assert set(logged) == {"seat 1: its files are not those that were written down"}
    house.close()


def test_a_host_who_has_looked_at_a_change_accepts_it_and_lines_of_before_stay(
    url: str, agents: Path, tmp_path: Path
) -> None:
    house = House(url, rules(games=1, partners='"random"').replace('"random"]', f'"file:{agents}:Fine"]', 1))
    first, second = house.start(), house.start()
    with house.database.read() as transaction:
        made_with = host.challenge_of(transaction, "small").pool_hash
    client = house.sit(first)
    _until(house, client, lambda: {table.status for table in house.tables(first)} == {"done"})
    house.finish(first)
    agents.write_text(AGENTS + "# a comment\n")
    with house.database.write() as transaction:
        (told,) = host.accept_partners(transaction, "small", reason="only a comment")
    assert told == f"file:{agents}:Fine: {agents} has other contents"
    assert check_database(house.database) == []
    house.engine.tables.terms(second.id, anew=True)
    client = house.sit(second)
    _until(house, client, lambda: {table.status for table in house.tables(second)} == {"done"})
    house.finish(second)
    assert check_database(house.database) == []
    with house.database.read() as transaction:
        before, after = sorted(board(transaction, "small"), key=lambda line: line.date)
    assert (before.pool_hash == made_with, after.pool_hash == made_with) == (True, False)
    close_and_score(house.database, "small")
    write_export(house.database, "small", str(tmp_path / "export.gz"))
    assert len(list(verify_export(str(tmp_path / "export.gz")))) == 4
    with house.database.write() as transaction:
        transaction.execute(text("UPDATE challenges SET pool_hash = 'x', pins = NULL"))
    assert any("pool_hash is not the one" in problem for problem in check_database(house.database))
    house.close()


def test_a_challenge_of_before_there_were_pins_is_checked_as_it_was(url: str, agents: Path) -> None:
    house = House(url, rules(games=1, partners=f'"file:{agents}:Fine"'))
    spec = f"file:{agents}:Fine"
    hashes = [hashlib.sha256(spec.encode() + b"\0" + more) for more in (b"", hashlib.sha256(AGENTS.encode()).digest())]
    for changed, kept in ((True, hashes[0]), (False, hashes[1])):
        with house.database.write() as transaction:
            challenge = host.challenge_of(transaction, "small")
            challenge.pins, challenge.pool_hash = None, kept.hexdigest()
        agents.write_text(AGENTS + "\n" * changed)
        house.start()
    agents.write_text(AGENTS + "\n")
    with pytest.raises(ChallengeError, match="not those that the challenge was made with"):
        house.start()
    house.close()


@pytest.mark.parametrize("action", [-1, 10, 10**30])
def test_a_partner_that_answers_with_no_action_of_the_game_voids_it(house: House, action: int) -> None:
    attempt = house.start()
    live = next(iter(house.sit(attempt, parallel=1).session.tables.values()))
    tables, seat = house.engine.tables, live.dealt.partners[0].seat
    house.round(lambda round: tables.partner_moved(round, live.dealt.id, seat, live.course.turn, action))
    assert [table.status for table in house.tables(attempt)] == ["void", "active", "todo"]


def test_a_policy_that_raises_voids_the_games_it_is_in_and_no_other(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=2)
    policies = next(iter(house.engine.partners._made.values()))
    assert isinstance(policies, PolicyBatch)
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
        now = sqlite_house.engine.clock.here()
        commands.append(
            lambda round, c=client, a=act, now=now: accept_moves(sqlite_house.engine.tables, round, c.session, a, now)
        )
    sqlite_house.round(*commands)
    assert asked[0] == 6
