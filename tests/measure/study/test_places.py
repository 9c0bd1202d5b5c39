"""Where a study is played changes nothing of what it finds, and a worker or a node that is lost loses nothing."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from coplay.measure.dropin.play import play_tournament
from coplay.rollouts.where import WhereError
from tests.measure.study.two_nodes import NODE, two_nodes

LEVERS = "file:tests/own/levers.py"

# It plays like First. Once, and not in the process that asks, it takes its process down; on the second node it stops
# for ever after ten moves, and on the first one it waits for that: else the first might be done before.
PLAYER = f"""
import multiprocessing, os, signal, time
from pathlib import Path

HERE = Path(__file__).parent

class Mortal:
    asked = 0

    def act(self, view):
        if multiprocessing.parent_process() and not (HERE / "killed").exists():
            (HERE / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        node = os.environ.get({NODE!r})
        Mortal.asked += 1
        if node == "second" and Mortal.asked > 10:
            (HERE / "stuck").touch()
            time.sleep(100_000)
        while node == "first" and not (HERE / "stuck").exists():
            time.sleep(0.1)
        return 0
"""


@pytest.fixture
def mortal(tmp_path: Path) -> str:
    (tmp_path / "player.py").write_text(PLAYER)
    return f"file:{tmp_path / 'player.py'}:Mortal"


def cup(mortal: str, out: Path, on: str, say: Callable[[str], None] = lambda line: None) -> Path:
    """A tournament, whose games are files too."""
    agents = {"mine": mortal, "first": f"{LEVERS}:First", "follow": f"{LEVERS}:Follow", "random": "random"}
    play_tournament(f"{LEVERS}:Levers", agents, out, games=5, matches=6, say=say, move_seconds=600, on=on)
    return out


def files(folder: Path) -> dict[str, bytes]:
    """Everything but run.json, which tells when it was made."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.name != "run.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_processes_play_what_one_plays_though_one_of_them_is_killed(mortal: str, tmp_path: Path):
    alone = files(cup(mortal, tmp_path / "alone", "local:1"))
    assert not (tmp_path / "killed").exists()
    shared = files(cup(mortal, tmp_path / "shared", "local:2"))
    assert (tmp_path / "killed").exists()
    assert shared == alone
    assert len([name for name in alone if name.endswith(".safetensors")]) > 6


def test_a_folder_goes_on_elsewhere_and_is_the_same_in_the_end(mortal: str, tmp_path: Path):
    (tmp_path / "killed").touch()
    alone = files(cup(mortal, tmp_path / "alone", "local:1"))
    lines = alone["games.csv"].decode().splitlines(keepends=True)
    (tmp_path / "alone" / "games.csv").write_text("".join([lines[0], *lines[11:16]]))  # of one team in the middle
    said: list[str] = []
    assert files(cup(mortal, tmp_path / "alone", "local:2", said.append)) == alone
    assert "1 of " in said[0]


@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'coplay[ray]'")  # not imported before
def test_ray_plays_what_one_process_plays_though_a_node_is_killed(mortal: str, tmp_path: Path):
    (tmp_path / "killed").touch()
    alone = files(cup(mortal, tmp_path / "alone", "local:1"))

    with two_nodes() as nodes:

        def kill_when_stuck() -> None:
            while not (tmp_path / "stuck").exists():
                time.sleep(0.1)
            nodes.kill_second()

        killer = threading.Thread(target=kill_when_stuck, daemon=True)
        killer.start()
        shared = files(cup(mortal, tmp_path / "shared", "ray"))
    assert (tmp_path / "stuck").exists()
    assert shared == alone


def test_what_is_missing_for_ray_is_told(mortal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(WhereError, match=r"pip install 'coplay\[ray\]'"):
        cup(mortal, tmp_path / "shared", "ray")


@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'coplay[ray]'")
def test_a_cluster_that_is_not_there_is_told_at_once(mortal: str, tmp_path: Path):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and listens to no one
        where = f"ray://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(WhereError, match=r"no Ray cluster answers at ray://127.0.0.1"):
            cup(mortal, tmp_path / "shared", where)
