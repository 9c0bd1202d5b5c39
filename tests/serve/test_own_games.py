"""A challenge with somebody's own game: made, served, entered, checked and closed, with nothing but its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("coplay_client", reason="needs clients/python")

import httpx

from coplay.cli import app
from coplay.serve.http.server import Settings, create_app
from tests.serve.serving import serving

OWN = Path(__file__).parents[1] / "own"
RULES = """
title = "My own game"
auto_approve = true
answer_floor = 0
[[configuration]]
name = "own"
game = "{game}"
games = {games}
partners = ["{partner}", "random"]
rehearsal = ["random"]
"""


def coplay(*arguments: str) -> str:
    """Runs a command that must succeed."""
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(
    ("game", "agent", "partner", "games", "least"),
    [
        # Half of the games are with the partner that it understands: all points there.
        ("levers.py:Levers?levers=3", "levers.py:Follow", "levers.py:First", 6, 1.0),
        ("words.py:Words", "words.py:Honest", "words.py:Honest", 6, 0.5),
        # Of two sides: whoever pulls hardest leads on average, on whichever side.
        ("tug.py:Tug", "pullers.py:Puller?force=2", "pullers.py:Puller?force=0", 16, 0.5),
    ],
)
def test_a_challenge_with_an_own_game_is_made_served_entered_checked_and_closed(
    tmp_path: Path, game: str, agent: str, partner: str, games: int, least: float
) -> None:
    database, export = f"sqlite:///{tmp_path}/coplay.db", str(tmp_path / "own.json.gz")
    rules = tmp_path / "own.toml"
    rules.write_text(RULES.format(game=f"file:{OWN}/{game}", partner=f"file:{OWN}/{partner}", games=games))
    coplay("challenge", "new", str(rules), "--database", database)
    coplay("challenge", "open", "own", "--database", database)
    with serving(create_app(Settings(database))) as port:
        url = f"http://127.0.0.1:{port}"
        given = {"name": "me", "method": "m", "contact": "c", "human_data": "none"}
        keys = httpx.post(f"{url}/v1/challenges/own/register", json=given, timeout=120).json()
        rehearsed = coplay("enter", f"file:{OWN}/{agent}", "--url", url, "--key", keys["test_key"], "--games", "3")
        assert ", 3 games" in rehearsed
        rated = coplay("enter", f"file:{OWN}/{agent}", "--url", url, "--key", keys["evaluation_key"])
        assert rated.startswith("own: mean")
        (line,) = httpx.get(f"{url}/v1/challenges/own/board", timeout=120).json()
    assert line["games"] == games
    assert line["mean"] >= least
    coplay("challenge", "close", "own", "--database", database)
    assert "as it was written" in coplay("challenge", "check", "--database", database)
    coplay("challenge", "export", "own", "--out", export, "--database", database)
    assert f"{games} games drawn and replayed again" in coplay("challenge", "verify", export)


def test_a_game_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    rules = tmp_path / "own.toml"
    for game, why in (
        (f"file:{OWN}/levers.py:Lever", "there is no class 'Lever'"),
        ("file:none.py:X", "no file none.py"),
    ):
        rules.write_text(RULES.format(game=game, partner="random", games=6))
        done = CliRunner().invoke(app, ["challenge", "new", str(rules), "--database", f"sqlite:///{tmp_path}/x.db"])
        assert done.exit_code != 0
        assert why in str(done.exception) + done.output


def test_what_entrants_are_told_of_an_own_game(tmp_path: Path) -> None:
    from coplay.games import make
    from coplay.serve.engine.game_batch import GameBatch
    from coplay.serve.http.hello import describe

    told: dict[str, Any] = describe(GameBatch(make(f"file:{OWN}/levers.py:Levers")))
    assert json.loads(json.dumps(told)) == told
    assert (told["players"], told["actions"], told["simultaneous"], told["max_score"]) == (2, 4, True, None)
