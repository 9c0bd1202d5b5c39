"""kill -9 of the server under load: no game is lost, changed or charged twice.

`COPLAY_KILLS=50 pytest tests/serve/http/test_kill.py` does it fifty times.
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

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.check import check_database
from coplay.serve.store.backup import read_backup, write_backup
from coplay.serve.store.database import hold, open_database
from tests.serve.harness import House, first_legal, rules
from tests.serve.serving import PATIENCE

KILLS = int(os.environ.get("COPLAY_KILLS", "2"))


class Killable:
    """`coplay serve` as a process, or as several where the database allows it."""

    def __init__(self, database: str, folder: Path) -> None:
        self.database, self.folder = database, folder
        self.workers = 1 if database.startswith("sqlite") else 2
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "coplay", "serve", "--database", self.database, "--port", str(self.port)]
        command += ["--workers", str(self.workers)]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, cwd=self.folder)

    def kill(self) -> None:
        """Kills the process, or the oldest of several: the others go on, and another takes its place."""
        if self.workers > 1:
            os.kill(self.worker_ids()[0], signal.SIGKILL)
        else:
            self.process.kill()
            self.process.wait()
            self.start()

    def worker_ids(self) -> list[int]:
        """The processes that serve, oldest first."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]

    def stop(self) -> int:
        """Asks it to end, as an operator does; returns its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE)


@pytest.mark.slow
def test_games_through_kills_are_those_of_an_undisturbed_twin(url: str, tmp_path: Path) -> None:
    kills = KILLS if url.startswith("sqlite") else max(KILLS - 1, 1)  # several processes take long to start
    house = House(url, rules(games=6 + 2 * kills))
    entrant, keys = house.enter()
    with house.database.write() as transaction:
        attempt = open_attempt(transaction, entrant, "eval")
    write_backup(house.database, str(tmp_path / "start.gz"))
    house.close()

    server = Killable(url, tmp_path)
    rng = np.random.default_rng(0)
    killed = 0
    with EvaluationSpace(keys.evaluation, server.address, parallel=2, patience=PATIENCE) as space:
        for number, batch in enumerate(space):
            before = bool(rng.integers(2))
            actions = [first_legal(legal) for legal in batch.legal]
            if not before:
                batch.act(actions)
            if killed < kills and number % 4 == 3:
                time.sleep(float(rng.uniform(0, 0.02)))  # the move is on its way, being played, or written
                server.kill()
                killed += 1
            if before:
                batch.act(actions)
        assert len(space.results) == 1
    assert server.stop() in (0, -signal.SIGTERM)
    assert killed == kills
    log = (tmp_path / "log").read_text()
    assert "coplay_admin_" not in log  # nobody who reads a log is a host
    assert "`coplay keys admin` makes a token" in log
    if server.workers > 1:  # a process that starts slowly is let start
        assert (tmp_path / "log").read_text().count(" died") == kills

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


def test_a_second_server_on_a_file_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path}/coplay.db")
    first = hold(database)
    assert first is not None
    with pytest.raises(ChallengeError, match=r"a server runs on .*coplay\.db already"):
        hold(database)
    first.close()
    second = hold(database)
    assert second is not None
    second.close()
    database.close()
