"""Players that are programs in JavaScript join a match."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import coplay
from coplay.sides import line_up

pytest.importorskip("websockets", reason="a remote agent needs the client: pip install coplay-client")
CLIENT = Path(__file__).parents[2] / "clients" / "javascript"
NODE = shutil.which("node")


@pytest.fixture
def footballer() -> Iterator[str]:
    """The address of the example, as it says itself."""
    if NODE is None:
        pytest.skip("needs Node 18 or newer: apt-get install nodejs")
    command = [NODE, "footballer.mjs", "0"]  # any port that is free
    with subprocess.Popen(command, cwd=CLIENT, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        told = re.search(r"remote:ws://\S+", program.stdout.readline())
        assert told is not None
        yield told[0]
        program.terminate()


def test_footballers_in_javascript_win_against_players_without_a_plan(footballer: str) -> None:
    """On both sides; what they answer is legal, and they run and shoot."""
    game = coplay.make("football?players=2&half=60")
    home = coplay.play(game, line_up([footballer] * 2, ["random"] * 2), games=2, seed=0)
    away = coplay.play(game, line_up(["random"] * 2, [footballer] * 2), games=2, seed=0)
    assert home.forfeits == away.forfeits == ()
    assert home.scores.sum() > 0 > away.scores.sum()
    played = set(home.actions[:, :, 0].reshape(-1).tolist())
    assert played & set(range(25, 41)), "it shoots"
    assert len(played & set(range(1, 9))) > 3, "it runs where the ball is"


def test_a_remote_player_stands_beside_any_mate(footballer: str) -> None:
    game = coplay.make("football?players=2&half=60")
    match = coplay.play(game, line_up([footballer, "keeper"], ["random"] * 2), games=1, seed=1)
    assert match.forfeits == ()
    assert match.scores[0] >= 0
