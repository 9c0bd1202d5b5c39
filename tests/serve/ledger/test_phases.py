"""Two phases with two tracks from one file: who plays when, whose board, and what an export says of it."""

from __future__ import annotations

import datetime
import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.report import write_challenge_report
from coplay.challenge.outcome.verify import verify_export
from coplay.challenge.rules import read_rules
from coplay.cli import app
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting import host, rescue
from coplay.serve.ledger.hosting.closing import close_due
from coplay.serve.ledger.hosting.export import write_export
from coplay.serve.store.models import Attempt, Entrant
from tests.serve.harness import House, last_legal, rules

TERMS = 'terms = """Data is published.\nBe fair."""'
PARTS = """
[[configuration]]
name = "second"
game = "hanabi-very-small"
settings = { life_tokens = 9 }
games = 2
partners = ["iggi"]
[[track]]
name = "rl"
title = "Reinforcement learning"
[[track]]
name = "llm"
[[phase]]
name = "warm-up"
configurations = ["small"]
opens = 2027-03-01T00:00:00Z
closes = 2027-03-10T00:00:00Z
[[phase]]
name = "final"
configurations = ["second"]
opens = 2027-03-20T00:00:00Z
closes = 2027-03-30T00:00:00Z
"""
TEXT = rules(more=TERMS, deals="own") + PARTS


def day(number: int) -> float:
    return datetime.datetime(2027, 3, number, 12, tzinfo=datetime.UTC).timestamp()


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda number: monkeypatch.setattr(time, "time", lambda: day(number))


def enter(house: House, name: str, track: str, terms: str | None = None) -> Entrant:
    version = read_rules(TEXT).terms_version if terms is None else terms
    with house.database.write() as transaction:
        return host.register(transaction, "small", name, "m", "c", "none", track, version)[0]


def begin(house: House, entrant: Entrant) -> Attempt:
    with house.database.write() as transaction:
        return open_attempt(transaction, entrant, "eval")


def test_two_phases_with_two_tracks_from_one_file(today: Callable[[int], None], url: str, tmp_path: Path) -> None:
    today(2)
    house = House(url, TEXT)
    learner, talker = enter(house, "learner", "rl"), enter(house, "talker", "llm")
    for entrant in (learner, talker):
        attempt = begin(house, entrant)
        assert set(json.loads(attempt.configurations)) == {"small"}
        house.sit(attempt, parallel=1).play(last_legal, 10**6 if entrant is learner else 2)
        house.finish(attempt)
    with pytest.raises(ChallengeError, match="in the phase warm-up are spent"):
        begin(house, learner)
    assert close_due(house.database, day(9)) == []
    assert close_due(house.database, day(12)) == []  # the phase is over, the challenge is not
    today(12)
    with pytest.raises(ChallengeError, match="the phase final of small begins at 2027-03-20"):
        begin(house, learner)
    today(21)
    attempt = begin(house, learner)
    assert house.finish(attempt) == []
    assert set(json.loads(attempt.configurations)) == {"second"}
    house.sit(attempt).play(last_legal)
    assert house.finish(attempt) == ["second"]
    with pytest.raises(ChallengeError, match="in the phase final are spent"):
        begin(house, learner)
    assert close_due(house.database, day(31)) == ["small"]
    assert check_database(house.database) == []
    with house.database.read() as transaction:
        lines = {(line.entrant, line.configuration): line for line in board(transaction, "small")}
        own = {(line.entrant, line.configuration) for line in board(transaction, "small", "rl")}
    assert own == {("learner", "small"), ("learner", "second")} <= set(lines)
    assert {line.track for line in lines.values()} <= {"rl", "llm"}
    export = str(tmp_path / "small.json.gz")
    write_export(house.database, "small", export)
    told = CliRunner().invoke(app, ["challenge", "verify", export])
    assert told.exit_code == 0, told.output
    assert told.output.count("every score agrees") >= 2
    page = tmp_path / "report.html"
    write_challenge_report(export, str(page))
    assert "Reinforcement learning" in page.read_text()
    assert "attempt 2" not in page.read_text()
    assert "phase final" in page.read_text()
    _refuses_other_tracks_terms_and_phases(export)
    house.close()


def _refuses_other_tracks_terms_and_phases(export: str) -> None:
    content = json.loads(gzip.decompress(Path(export).read_bytes()))
    for change, why in (
        (lambda one: one["entrant"].update(track="llm"), "is not what it registered as"),
        (lambda one: one["entrant"].update(terms=""), "is not what it registered as"),
        (lambda one: one.update(configurations='{"small": 0, "second": 0}'), "are those of no phase"),
    ):
        changed = json.loads(json.dumps(content))
        change(changed["attempts"][0])
        Path(export).write_bytes(gzip.compress(json.dumps(changed).encode()))
        with pytest.raises(ChallengeError, match=why):
            list(verify_export(export))


def test_a_forfeit_is_not_undone_after_its_phase(today: Callable[[int], None], tmp_path: Path) -> None:
    today(2)
    house = House(f"sqlite:///{tmp_path}/coplay.db", TEXT)
    attempt = begin(house, enter(house, "slow", "rl"))
    client = house.sit(attempt, parallel=1)
    turns = next(message for message in client.hear() if message["type"] == "turns")
    for _ in range(3):
        client.send(turns["game"][0], turns["turn"][0], -1)
    (game,) = [table.id for table in house.tables(attempt) if table.status == "forfeit"]
    today(12)
    with pytest.raises(ChallengeError, match=r"the phase of slow's game .* has ended"):
        rescue.undo(house.database, "small", [game], reason="late")
    house.close()


def test_a_track_is_chosen_and_the_terms_are_accepted(today: Callable[[int], None], tmp_path: Path) -> None:
    today(2)
    house = House(f"sqlite:///{tmp_path}/coplay.db", TEXT)
    for track, terms, why in (
        ("", None, "choose rl or llm"),
        ("people", None, "choose rl or llm"),
        ("rl", "", "accept them: terms is"),
        ("rl", "0123456789ab", "accept them: terms is"),
    ):
        with pytest.raises(ChallengeError, match=why):
            enter(house, "one", track, terms)
    entrant = enter(house, "one", "rl")
    assert entrant.terms == read_rules(TEXT).terms_version
    assert entrant.accepted == day(2)
    with house.database.write() as transaction:
        transaction.get_one(Entrant, entrant.id).track = "llm"
    assert any("track or terms" in problem for problem in check_database(house.database))
    house.close()


def test_a_challenge_without_tracks_and_terms_refuses_them(sqlite_house: House) -> None:
    for track, terms in (("rl", ""), ("", "0123456789ab")):
        with pytest.raises(ChallengeError, match="leave it out"), sqlite_house.database.write() as transaction:
            host.register(transaction, "small", "one", "m", "c", "none", track, terms)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('configurations = ["second"]', 'configurations = ["small"]', "to exactly one"),
        ("opens = 2027-03-20", "opens = 2027-03-05", "follow each other"),
        ("closes = 2027-03-10", "closes = 2027-02-10", "is not after opens"),
        ('name = "final"', 'name = "warm-up"', "two phases have one name"),
        ('name = "llm"', 'name = "rl"', "give each its own"),
        ("attempts = 1", "attempts = 1\nopens = 2027-03-01T00:00:00Z", "opens and closes stand in them"),
        ('configurations = ["second"]', "configurations = []", "a list of texts"),
    ],
)
def test_mistakes_in_phases_and_tracks_are_told(old: str, new: str, why: str) -> None:
    assert old in TEXT
    with pytest.raises(ChallengeError, match=why):
        read_rules(TEXT.replace(old, new))
