"""kill -9 of the server under load: no game is lost, changed or charged twice.

`COPLAY_KILLS=50 pytest tests/challenge/test_kill.py` does it fifty times.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("coplay_client")

from coplay_client import EvaluationSpace

from coplay.challenge.attempts import open_attempt
from coplay.challenge.check import check_database
from coplay.challenge.store.backup import read_backup, write_backup
from coplay.challenge.store.database import open_database
from tests.challenge.harness import House, first_legal, rules

KILLS = int(os.environ.get("COPLAY_KILLS", "2"))


class Killable:
    """`coplay serve` as a process."""

    def __init__(self, database: str, folder: Path) -> None:
        self.database, self.folder = database, folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "coplay", "serve", "--database", self.database, "--port", str(self.port)]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, cwd=self.folder)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def test_games_through_kills_are_those_of_an_undisturbed_twin(url: str, tmp_path: Path) -> None:
    house = House(url, rules(games=6 + 2 * KILLS))
    entrant, keys = house.enter()
    with house.database.write() as transaction:
        attempt = open_attempt(transaction, entrant, "eval")
    write_backup(house.database, str(tmp_path / "start.gz"))
    house.close()

    server = Killable(url, tmp_path)
    rng = np.random.default_rng(0)
    killed = 0
    with EvaluationSpace(keys.evaluation, server.address, parallel=2, patience=600) as space:
        for number, batch in enumerate(space):
            before = bool(rng.integers(2))
            actions = [first_legal(legal) for legal in batch.legal]
            if not before:
                batch.act(actions)
            if killed < KILLS and number % 4 == 3:
                time.sleep(float(rng.uniform(0, 0.02)))  # the move is on its way, being played, or written
                server.kill()
                server.start()
                killed += 1
            if before:
                batch.act(actions)
        assert len(space.results) == 1
    server.kill()
    assert killed == KILLS

    twin = House(f"sqlite:///{tmp_path}/twin.db", text=None, make=False)
    read_backup(twin.database, str(tmp_path / "start.gz"))
    twin.sit(attempt.id).play(first_legal)
    disturbed = House(url, make=False)
    assert disturbed.logs(attempt) == twin.logs(attempt)
    assert all(abs((table.bank or 0) - 60) < 1e-6 for table in disturbed.tables(attempt))
    assert check_database(disturbed.database) == []
    for one in (twin, disturbed):
        one.close()


def test_a_database_that_was_never_closed_opens_again(tmp_path: Path) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db")
    house.start()
    again = open_database(house.url)
    assert check_database(again) == []
    again.close()
    house.close()
