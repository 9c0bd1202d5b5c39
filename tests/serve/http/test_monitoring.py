"""What tells an operator that something is wrong."""

from __future__ import annotations

import contextlib
import json
import re
import resource
from collections.abc import Iterator

import httpx
import pytest
from sqlalchemy.engine import make_url

from coplay.serve.engine.metrics import COUNTERS, Counted, Metrics, exposition
from coplay.serve.http.server import Settings, create_app
from coplay.serve.ledger.hosting import host
from coplay.serve.store.database import ENOUGH, open_database
from tests.serve.harness import rules
from tests.serve.serving import serving, wait_for


@contextlib.contextmanager
def nothing_can_be_written(url: str) -> Iterator[None]:
    """As on a full disk, or after a failover to a server that only reads."""
    if url.startswith("sqlite"):
        before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
        return
    import psycopg

    address = make_url(url)
    with psycopg.connect(url, autocommit=True) as boss:
        set_to = "ALTER DATABASE {} SET default_transaction_read_only = {}"
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
        for value in ("on", "off"):
            boss.execute(set_to.format(address.database, value))  # pyright: ignore[reportArgumentType, reportCallIssue]
            boss.execute(others, [address.database])
            if value == "on":
                yield


def test_a_server_that_cannot_write_is_not_ready_until_it_can(url: str) -> None:
    with serving(create_app(Settings(url))) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        assert client.get("/healthz").status_code == 200
        with nothing_can_be_written(url):
            wait_for(lambda: client.get("/healthz").status_code == 503)
            said = client.get("/healthz").json()
        assert said["code"] == "database"
        assert "nothing can be written" in said["message"]
        wait_for(lambda: client.get("/healthz").status_code == 200)


def test_a_disk_that_is_almost_full_is_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(url)
    left = ENOUGH
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": left})())
    assert database.trouble == ""
    left -= 1
    assert ("63 MB are left" in database.trouble) == database.is_sqlite
    database.close()


def test_every_counter_is_there_before_anything_happens(url: str) -> None:
    with serving(create_app(Settings(url))) as port:
        text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    for name in COUNTERS:
        assert re.search(rf'^coplay_{name}_total{{worker="\w+"}} 0$', text, re.M), name
    for name in ("stuck", "tables", "sessions", "connections", "round_seconds_count"):
        assert re.search(rf"^coplay_{name}\S* \d", text, re.M), name


def test_whichever_process_is_asked_tells_of_all(url: str) -> None:
    """Two servers of one database, as two workers are."""
    database = open_database(url)
    with database.write() as transaction:
        host.new_challenge(transaction, "small", rules())
    database.close()
    apps = [create_app(Settings(url)) for _ in range(2)]
    with serving(apps[0]) as one, serving(apps[1]) as other:
        for app, moves in zip(apps, (7, 12_345_678), strict=True):
            app.state.server.engine.metrics.add("moves", moves)

        def told(port: int) -> list[str]:
            text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
            return sorted(re.findall(r'^coplay_moves_total{worker="\w+"} (\d+)$', text, re.M))

        wait_for(lambda: told(one) == told(other) == ["12345678", "7"])
    assert json.loads(json.dumps(apps[0].state.server.engine.metrics.counted()))["counters"]["moves"] == 7


def test_the_text_names_a_series_once_whatever_processes_there_are() -> None:
    metrics = Metrics()
    metrics.observe("round_seconds", 0.25)
    processes: dict[str, Counted] = {"a": metrics.counted(), "b": Metrics().counted()}
    lines = exposition(processes, {"stuck": 2}).splitlines()
    kinds = [line for line in lines if line.startswith("#")]
    assert len(kinds) == len(set(kinds))
    assert 'coplay_round_seconds{worker="a",quantile="0.99"} 0.250000' in lines
    assert 'coplay_round_seconds_count{worker="b"} 0' in lines
    assert "coplay_stuck 2" in lines
