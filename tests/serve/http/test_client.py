"""The client against a running server: batches, environments, async, breaks."""

from __future__ import annotations

import asyncio
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("coplay_client")

from coplay_client import (
    AsyncEvaluationSpace,
    Batch,
    ClientError,
    ConnectionLost,
    EvaluationSpace,
    IllegalAction,
    Refused,
    Stuck,
    Superseded,
    link,
    register,
)
from sqlalchemy import update
from typer.testing import CliRunner

from coplay.cli import app
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.hosting import host, rescue
from coplay.serve.store.database import open_database
from coplay.serve.store.models import Table
from tests.serve.harness import rules
from tests.serve.http.test_server import server

__all__ = ["server"]


PLAIN = """
from coplay import Agent

class Plain(Agent):
    def act(self, view):
        return int(view.legal.argmax())
"""


def _keys(server: str, name: str):
    return register(server, "small", name=name, method="m", contact="c", human_data="none")


def _go_on(space: EvaluationSpace, batch: Batch) -> None:
    batch.act(_first(batch.legal))
    _play(space)


def _play(space: EvaluationSpace) -> None:
    for batch in space:
        batch.act(_first(batch.legal))


def _first(legal: np.ndarray) -> np.ndarray:
    return legal.argmax(axis=1)


def test_a_batched_attempt_lands_on_the_leaderboard(server: str) -> None:
    import httpx

    keys = _keys(server, "batched")
    with EvaluationSpace(keys.evaluation, server) as space:
        for batch in space:
            assert batch.vectors.shape == (len(batch), *batch.configuration.shape)
            assert set(np.unique(batch.vectors)) <= {0, 1}
            batch.act(_first(batch.legal))
        (result,) = space.results
        assert len(space.games) == result["games"] == 3
    board = httpx.get(f"{server}/v1/challenges/small/board").json()
    assert [line["mean"] for line in board if line["entrant"] == "batched"] == [result["mean"]]
    with pytest.raises(Refused, match="spent"), EvaluationSpace(keys.evaluation, server) as again:
        next(iter(again))


@pytest.mark.parametrize("readme", ["README.md", "clients/python/README.md"])
def test_the_example_of_a_readme_lands_on_the_leaderboard(
    server: str, readme: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[3] / readme).read_text()
    (example,) = [one for one in re.findall(r"```python\n(.*?)```", text, re.S) if "register(" in one]
    for there, here in (("http://127.0.0.1:8000", server), ('"demo"', '"small"'), ('["2p"]', '["small"]')):
        example = example.replace(there, here)
    exec(compile(example, readme, "exec"), {})
    assert "'games': 3" in capsys.readouterr().out


def test_environments_one_after_another_as_in_the_paper(server: str) -> None:
    space = EvaluationSpace(submission_key=_keys(server, "environments").test, url=server, games=2)
    played, total = 0, 0.0
    while (env := space.next_environment()) is not None:
        obs, legal = env.reset()
        done = False
        while not done:
            obs, reward, done, legal = env.step(int(legal.argmax()))
            total += reward
        assert obs.shape == env.configuration.shape
        played += 1
    assert played == 2
    assert total == pytest.approx(2 * space.results[0]["mean"])
    space.close()


def test_a_connection_that_breaks_at_every_batch_goes_on(server: str) -> None:
    keys = _keys(server, "breaks")
    with EvaluationSpace(keys.test, server, games=2, parallel=2) as space:
        for number, batch in enumerate(space):
            if number % 2:
                space.close()  # with the moves of this batch still to be sent
            batch.act(_first(batch.legal))
            if number % 3 == 2:
                space.close()  # perhaps before they arrived
        assert space.results[0]["games"] == 2


def test_async(server: str) -> None:
    async def play() -> list[dict]:
        async with AsyncEvaluationSpace(_keys(server, "async").test, server, games=2) as space:
            async for batch in space:
                await batch.act(_first(batch.legal))
            return await space.results()

    assert asyncio.run(play())[0]["games"] == 2


def test_an_illegal_action_raises_and_the_game_goes_on(server: str) -> None:
    with EvaluationSpace(_keys(server, "illegal").test, server, games=1) as space:
        env = space.next_environment()
        assert env is not None
        _, legal = env.reset()
        with pytest.raises(IllegalAction) as refused:
            env.step(int(legal.argmin()))
        assert refused.value.legal == np.flatnonzero(legal).tolist()
        env.step(refused.value.legal[0])


def test_wrong_keys_and_addresses_say_so(server: str) -> None:
    with pytest.raises(Refused, match="not known here"), EvaluationSpace("coplay_test_x", server) as space:
        next(iter(space))
    with pytest.raises(ClientError, match="http://"):
        EvaluationSpace("x", "ftp://here")
    with pytest.raises(ConnectionLost, match="Is the address right"):
        next(iter(EvaluationSpace("x", "http://127.0.0.1:9", patience=0.1)))


def test_an_address_that_never_answered_is_given_up_soon(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "FIRST", 0.05)
    monkeypatch.setattr(link, "LATER", float("inf"))
    with pytest.raises(ConnectionLost, match=r"not be reached for 0\.05 seconds .*Is the address right"):
        next(iter(EvaluationSpace("x", "http://127.0.0.1:9")))
    monkeypatch.setattr(link, "LATER", 0.05)
    with EvaluationSpace(_keys(server, "lost").test, server) as space:
        next(iter(space))
        space.close()
        space._link.url = "http://127.0.0.1:9"
        with pytest.raises(ConnectionLost, match="Nothing is lost: run again"):
            _play(space)


class Elsewhere(BaseHTTPRequestHandler):
    """A server that is none of ours."""

    def do_GET(self) -> None:
        self.send_response(404 if self.path.startswith("/wrong") else 200)
        self.end_headers()
        self.wfile.write(b"<html>Welcome</html>")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def test_a_server_that_is_none_of_ours_is_told_apart() -> None:
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as other:
        thread = threading.Thread(target=other.serve_forever, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{other.server_port}"
        for path, said in (("", "did not answer in JSON"), ("/wrong", "answered 404")):
            with pytest.raises(ClientError, match=rf"{said}\. Is this the address of a coplay server"):
                enter_with_client(f"{url}{path}")
        other.shutdown()


def enter_with_client(url: str) -> None:
    with EvaluationSpace("coplay_test_x", url) as space:
        assert space.info


def test_a_second_client_takes_over(server: str) -> None:
    key = _keys(server, "two").test
    with EvaluationSpace(key, server, games=1) as first, EvaluationSpace(key, server) as second:
        batch = next(iter(first))
        other = next(iter(second))
        with pytest.raises(Superseded):
            _go_on(first, batch)
        other.act(_first(other.legal))
        _play(second)
        assert second.results[0]["games"] == 1


def test_whoever_has_nothing_left_but_games_that_wait_for_the_host_is_told(server: str, module_url: str) -> None:
    database = open_database(module_url)
    with database.write() as transaction:
        entrant, keys = host.register(transaction, "small", "stuck", "m", "c", "none")
        assert keys is not None
        attempt = open_attempt(transaction, entrant, "eval")
        waiting = Table.attempt_id == attempt.id, Table.deal == 0
        transaction.execute(update(Table).where(*waiting).values(status="stuck"))
    with EvaluationSpace(keys.evaluation, server) as space, pytest.raises(Stuck, match="1 games cannot go on"):
        _play(space)
    rescue.release(database, "small", reason="mended")
    with EvaluationSpace(keys.evaluation, server) as space:
        _play(space)
        assert space.results[0]["games"] == 3
    database.close()


def test_any_agent_of_the_package_plays_over_the_wire(server: str, tmp_path: Path) -> None:
    from coplay.challenge.entering.enter import enter

    plain = tmp_path / "plain.py"
    plain.write_text(PLAIN)
    for name, spec in (("policy", "random"), ("plain", f"file:{plain}:Plain")):
        (result,) = enter(spec, _keys(server, f"enter {name}").test, server, 2, None, 0, 10)
        assert result["games"] == 2


def test_what_was_played_before_is_not_shown_as_new(server: str, module_url: str) -> None:
    two = rules(games=2)
    second = two[two.index("[[configuration]]") :].replace('name = "small"', 'name = "other"')
    database = open_database(module_url)
    with database.write() as transaction:
        host.new_challenge(transaction, "both", two + second)
        host.open_challenge(transaction, "both")
    database.close()
    key = register(server, "both", name="twice", method="m", contact="c", human_data="none").evaluation

    def says(*names: str) -> list[str]:
        chosen = [part for name in names for part in ("--configuration", name)]
        done = CliRunner().invoke(app, ["enter", "random", "--key", key, "--url", server, *chosen])
        assert done.exit_code == 0, done.output
        return [line for line in done.stdout.splitlines() if ": " in line]

    (first,) = says("small")
    assert re.fullmatch(r"small: mean \S+ \(.*\), 2 games", first)
    (again,) = says("small")
    assert again.startswith("small: was played before in this attempt, and nothing was played now; it stands at mean")
    assert again.endswith(first.removeprefix("small: "))
    (other,) = says("other")
    assert other.startswith("other: mean")


def test_a_dry_run_checks_key_rules_and_agent_and_begins_nothing(server: str, tmp_path: Path) -> None:
    import httpx

    keys = _keys(server, "dry")

    def dry(spec: str, key: str, *more: str) -> Any:
        return CliRunner().invoke(app, ["enter", spec, "--key", key, "--url", server, "--dry-run", *more])

    plain = tmp_path / "plain.py"
    plain.write_text(PLAIN)
    for spec in ("random", f"file:{plain}:Plain"):
        done = dry(spec, keys.evaluation)
        assert done.exit_code == 0, done.output
        key, rated, played, end = done.stdout.splitlines()
        assert "is the evaluation key of 'dry' in small" in key
        assert "attempt 1 of 1 can begin; it has 3 games" in rated
        assert re.match(r"small: plays; \d+ turns in seat 0 ", played)
        assert end == "nothing was begun on the server"
    assert "a test key rehearses 50,000 games a day" in dry("random", keys.test).stdout
    plain.write_text(PLAIN.replace("return ", "return 99 + "))
    assert "the agent chose" in str(dry(f"file:{plain}:Plain", keys.test).exception)
    assert "choose from small" in str(dry("random", keys.test, "--configuration", "9p").exception)
    for key in keys:
        me = httpx.get(f"{server}/v1/me", headers={"Authorization": f"Bearer {key}"}).json()
        assert me["attempts"] == []
    with EvaluationSpace(keys.evaluation, server, parallel=1) as space:
        next(iter(space))
        assert "goes on, 0 of 3 games are over" in dry("random", keys.evaluation).stdout
    with EvaluationSpace(keys.evaluation, server) as space:
        _play(space)
    assert "all 1 attempts are spent" in str(dry("random", keys.evaluation).exception)


def test_an_agent_plays_the_configurations_of_the_phase_that_is_open(server: str, module_url: str) -> None:
    two = rules(games=2)
    two += two[two.index("[[configuration]]") :].replace('name = "small"', 'name = "late"')
    two += """
[[phase]]
name = "first"
configurations = ["small"]
closes = 2000-01-01T00:00:00Z
[[phase]]
name = "second"
configurations = ["late"]
opens = 2000-01-01T00:00:00Z
"""
    database = open_database(module_url)
    with database.write() as transaction:
        host.new_challenge(transaction, "phases", two)
        host.open_challenge(transaction, "phases")
    database.close()
    keys = register(server, "phases", name="in time", method="m", contact="c", human_data="none")

    def says(key: str, *more: str) -> str:
        done = CliRunner().invoke(app, ["enter", "random", "--key", key, "--url", server, *more])
        return done.output + str(done.exception or "")

    assert "attempt 1 of 1 of the phase second can begin; it has 2 games" in says(keys.evaluation, "--dry-run")
    assert "choose from late" in says(keys.evaluation, "--configuration", "small")
    assert [line.split(":")[0] for line in says(keys.evaluation).splitlines() if "mean" in line] == ["late"]
    rehearsed = says(keys.test, "--games", "1")
    assert "small: mean" in rehearsed
    assert "late: mean" in rehearsed


def test_a_dry_run_tells_of_an_agent_that_is_too_slow(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from coplay.challenge.entering import dry_run
    from coplay.challenge.errors import ChallengeError

    monkeypatch.setattr(dry_run, "try_out", lambda *_: dry_run.Tried(9, 1.0, 10.5))
    with pytest.raises(ChallengeError, match=r"a move took 10\.5 s, and the rules give 10 s"):
        list(dry_run.dry_run("random", _keys(server, "slow").test, server, None, 0))


def test_mistakes_of_whoever_enters_are_explained_in_a_line(server: str) -> None:
    from coplay.challenge.entering.enter import enter
    from coplay.challenge.errors import ChallengeError

    key = _keys(server, "mistakes").test
    for given, url, chosen, told in (
        ("coplay_test_x", server, None, "not known here"),
        (key, server, ["small", "9p"], "no configuration '9p'; choose from small"),
        (key, "http://127.0.0.1:9", None, "does the server run"),
    ):
        with pytest.raises(ChallengeError, match=told):
            enter("random", given, url, 1, chosen, 0, 10)
    with (
        pytest.raises(Refused, match="choose from small"),
        EvaluationSpace(key, server, configurations=["9p"]) as space,
    ):
        next(iter(space))
    with EvaluationSpace(key, server) as space:
        assert space.info["attempts"] == []  # what was refused has begun nothing
