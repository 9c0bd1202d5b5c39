"""What a host does about stuck and forfeited games; nothing of it hides, and nothing of a deal is seen twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.verify import verify_export
from coplay.cli import app
from coplay.serve.ledger import audit
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting import rescue
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from coplay.serve.ledger.hosting.rescue import troubles
from coplay.serve.store.models import Attempt, Entrant
from tests.serve.harness import Client, House

BROKEN = "its partner is broken"


class Broken:
    """Partners that raise as long as they are said to."""

    def __init__(self, house: House, monkeypatch: pytest.MonkeyPatch, deals: set[int]) -> None:
        self.deals = deals
        before = house.engine.partners._decide

        def decide(batch: Any, policies: Any, seats: Any, failed: Any) -> None:
            for live, _ in [(live, partner) for live, partner in seats if live.dealt.deal in self.deals]:
                failed(live, BROKEN)
            fine = [(live, partner) for live, partner in seats if live.status == "active"]
            if fine:
                before(batch, policies, fine, failed)

        monkeypatch.setattr(house.engine.partners, "_decide", decide)


@pytest.fixture
def broken(house: House, monkeypatch: pytest.MonkeyPatch) -> Broken:
    return Broken(house, monkeypatch, {0})


def play_on(house: House, client: Client) -> None:
    """Plays, and lets time go by in which the server looks after what waits."""
    for _ in range(6):
        client.play()
        house.advance(31)
        house.round(house.engine.tick)
    client.play()


def statuses(house: House, attempt: Attempt) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for table in house.tables(attempt):
        found.setdefault(table.deal, []).append(table.status)
    return found


def exported(house: House, folder: Path) -> str:
    """The last line of what anyone finds in the export."""
    close_and_score(house.database, "small")
    write_export(house.database, "small", str(folder / "export.gz"))
    return list(verify_export(str(folder / "export.gz")))[-1]


def test_an_entrant_is_told_of_a_stuck_deal_and_so_is_the_host(
    house: House, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "coplay.serve.engine.engine.log.error", lambda what, extra: logged.append((what, extra.get("attempt", "")))
    )
    attempt = house.start()
    client = house.sit(attempt)
    play_on(house, client)
    assert statuses(house, attempt) == {0: ["void"] * 3 + ["stuck"], 1: ["done"]}
    told = [message for message in client.everything if message["type"] == "stuck"]
    assert told[-1] == {"type": "stuck", "deals": 1, "left": 0}
    assert house.engine.metrics.count("deals_stuck") == 1
    assert [one for one in logged if one[0] != "partner failed"] == [("deal stuck", attempt.id)]
    with house.database.read() as transaction:
        assert rescue.count_stuck(transaction) == 1
        (one,) = troubles(transaction, "small")
    assert (one.status, one.deal, one.entrant) == ("stuck", 0, "entrant 1")
    again = house.sit(attempt)  # whoever comes back is told too
    assert again.hear("stuck") == [{"type": "stuck", "deals": 1, "left": 0}]


def test_a_released_deal_is_played_by_a_client_that_stayed(house: House, broken: Broken, tmp_path: Path) -> None:
    attempt = house.start()
    client = house.sit(attempt)
    play_on(house, client)
    broken.deals.clear()
    assert rescue.release(house.database, "small", reason="mended") == 1
    play_on(house, client)
    assert statuses(house, attempt) == {0: ["void"] * 3 + ["done"], 1: ["done"]}
    assert house.finish(attempt) == ["small"]
    assert check_database(house.database) == []
    assert "2 games drawn and replayed again" in exported(house, tmp_path)


def test_a_voided_deal_does_not_count_and_the_attempt_ends(house: House, broken: Broken, tmp_path: Path) -> None:
    attempt = house.start()
    play_on(house, house.sit(attempt))
    assert house.finish(attempt) == []
    (one,) = _troubles(house)
    assert rescue.void(house.database, "small", [one], reason="cannot be mended") == 1
    with house.database.read() as transaction:
        (line,) = board(transaction, "small")
        assert transaction.get_one(Attempt, attempt.id).status == "finished"
        said = [entry for entry in audit.lines(transaction) if entry.what == "deal voided"]
    assert (line.games, line.partial) == (1, False)
    assert "cannot be mended" in said[0].detail
    assert check_database(house.database) == []
    assert "1 games drawn and replayed again" in exported(house, tmp_path)


def _troubles(house: House) -> list[str]:
    with house.database.read() as transaction:
        return [one.id for one in troubles(transaction, "small")]


def forfeited(house: House) -> tuple[Attempt, Client]:
    """An attempt of two games: one was played, in the other the time ran out after some moves."""
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    client.play(moves=3)
    client.leave()
    house.advance(200)
    house.round(house.engine.tick)
    client = house.sit(attempt, parallel=1)
    client.play()
    assert statuses(house, attempt) in ({0: ["forfeit"], 1: ["done"]}, {1: ["forfeit"], 0: ["done"]})
    return attempt, client


@pytest.mark.parametrize("scored", [False, True])
def test_an_undone_forfeit_goes_on_at_its_turn_with_its_whole_bank(house: House, scored: bool, tmp_path: Path) -> None:
    twin = house.start()
    house.sit(twin).play()
    attempt, _ = forfeited(house)
    if scored:
        assert house.finish(attempt) == ["small"]
    (one,) = _troubles(house)
    before = next(table for table in house.tables(attempt) if table.id == one)
    assert rescue.undo(house.database, "small", [one], reason="our network was down") == 1
    after = next(table for table in house.tables(attempt) if table.id == one)
    assert (after.status, after.turn, after.bank, after.score) == ("active", before.turn, 60.0, None)
    with house.database.read() as transaction:
        assert [line.entrant for line in board(transaction, "small")] == []
        entrant = transaction.get_one(Entrant, attempt.entrant_id)
    assert check_database(house.database) == []
    with house.database.write() as transaction:
        assert open_attempt(transaction, entrant, "eval").id == attempt.id  # the key goes on with it
    client = house.sit(attempt)
    client.play()
    assert house.logs(attempt) == house.logs(twin)  # as if nothing had been
    assert house.finish(attempt) == ["small"]
    house.finish(twin)
    assert check_database(house.database) == []
    assert "every score agrees" in exported(house, tmp_path)


def test_a_score_is_not_taken_back_without_its_line_in_the_audit(house: House) -> None:
    attempt, _ = forfeited(house)
    house.finish(attempt)
    rescue.undo(house.database, "small", _troubles(house), reason="a clock")
    house.sit(attempt).play()
    assert house.finish(attempt) == ["small"]
    with house.database.write() as transaction:
        transaction.execute(text("DELETE FROM results"))
    assert any("the result is not there" in problem for problem in check_database(house.database))


def test_only_what_is_stuck_or_forfeited_can_be_rescued_and_only_before_the_close(house: House) -> None:
    attempt, _ = forfeited(house)
    (one,) = _troubles(house)
    (played,) = [table.id for table in house.tables(attempt) if table.status == "done"]
    for deed, games, told in (
        (rescue.undo, [played], "is no forfeited game of small"),
        (rescue.release, [one], "is no stuck game of small"),
        (rescue.release, [], "no game of small is stuck"),
        (rescue.void, [], "name the games"),
        (rescue.undo, [], "name the games"),
    ):
        with pytest.raises(ChallengeError, match=told):
            deed(house.database, "small", games)
    close_and_score(house.database, "small")
    with pytest.raises(ChallengeError, match="its games are over for good"):
        rescue.undo(house.database, "small", [one])


def coplay(*words: str) -> str:
    done = CliRunner().invoke(app, ["challenge", *words])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def test_a_host_rescues_games_from_the_command_line(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    Broken(house, monkeypatch, {0})
    first = house.start()
    play_on(house, house.sit(first))
    forfeit = house.start()
    client = house.sit(forfeit, parallel=1, configurations=frozenset({"small"}))
    client.leave()
    house.advance(200)
    house.round(house.engine.tick)
    at = ("small", "--database", house.url)
    listed = coplay("trouble", *at).splitlines()
    assert len(listed) >= 2
    stuck = next(line.split()[0] for line in listed if " stuck " in line)
    assert "1 deals are tried again" in coplay("release", *at, "--game", stuck, "--reason", "mended")
    undone = coplay("undo", *at, "--entrant", "entrant 2", "--reason", "a cable")
    assert undone.endswith("games go on\n")
    with house.database.read() as transaction:
        whats = [line.what for line in audit.lines(transaction)]
    assert "deal released" in whats
    assert "forfeit undone" in whats


def test_a_deal_of_a_rehearsal_can_be_stuck_too(house: House, broken: Broken) -> None:
    attempt = house.start("test")
    client = house.sit(attempt)
    play_on(house, client)
    told = [message for message in client.everything if message["type"] == "stuck"]
    assert told[-1] == {"type": "stuck", "deals": 1, "left": 0}
