"""Downloads are whole and checked, or they are not there; without a connection a person learns what to do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.cli import data as commands
from coplay.data import DataError
from coplay.worlds.hanabi.recordings import fetch
from coplay.worlds.hanabi.recordings.fetch import FILES, MANIFEST

VALIDATION = "3_player_games_val.safetensors"
Answer = Callable[[str, BaseHTTPRequestHandler], None]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Answer], str]]:
    """Starts a server on this machine and returns its address."""
    monkeypatch.setenv("no_proxy", "*")
    servers = []

    def start(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer(self.path.removeprefix("/"), self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def unpinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test server's games are not the published ones."""
    monkeypatch.setattr(fetch, "PINNED", {})


def send(handler: BaseHTTPRequestHandler, content: bytes, size: int | None = None) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content) if size is None else size))
    handler.end_headers()
    handler.wfile.write(content)


def quiet(line: str) -> None:
    pass


def test_six_files_come_once_and_are_checked_ever_after(serve, unpinned, smartbot: Path, tmp_path: Path):
    asked, lines = [], []
    address = serve(lambda name, handler: (asked.append(name), send(handler, smartbot.read_bytes()))[0])
    paths = fetch.fetch(tmp_path / "new", address + "/", lines.append)
    assert [path.name for path in paths] == list(FILES) == asked
    assert all(path.read_bytes() == smartbot.read_bytes() for path in paths)
    assert set(json.loads((tmp_path / "new" / MANIFEST).read_text())) == set(FILES)
    assert {path.name for path in (tmp_path / "new").iterdir()} == {*FILES, MANIFEST}
    assert "30,036 bytes, downloaded" in lines[0]
    fetch.fetch(tmp_path / "new", address, lines.append)
    assert len(asked) == 6
    assert "already there" in lines[-1]


def test_a_file_that_changed_is_refused(serve, unpinned, smartbot: Path, tmp_path: Path):
    address = serve(lambda name, handler: send(handler, smartbot.read_bytes()))
    paths = fetch.fetch(tmp_path, address, quiet)
    paths[2].write_bytes(b"other")
    with pytest.raises(DataError, match=f"{FILES[2]}: its sha256 is .* was noted in {MANIFEST}; delete the file"):
        fetch.fetch(tmp_path, address, quiet)
    paths[2].unlink()
    changed = serve(lambda name, handler: send(handler, b"other"))
    with pytest.raises(DataError, match="was noted in"):
        fetch.fetch(tmp_path, changed, quiet)
    assert not paths[2].exists()


def test_the_published_checksum_is_binding(serve, smartbot: Path, tmp_path: Path):
    address = serve(lambda name, handler: send(handler, smartbot.read_bytes()))
    with pytest.raises(DataError, match=f"{VALIDATION}: its sha256 is .*, but the published file has 0289af41"):
        fetch.fetch(tmp_path, address, quiet)
    assert not (tmp_path / VALIDATION).exists()
    assert (tmp_path / FILES[0]).exists()  # what came before stays


def test_the_published_file_has_the_published_checksum(
    recorded: Callable[[str], Path], serve, smartbot, tmp_path: Path
):
    (tmp_path / VALIDATION).write_bytes(recorded("ah2ac2_3p_val.safetensors").read_bytes())
    address = serve(lambda name, handler: send(handler, smartbot.read_bytes()))
    assert len(fetch.fetch(tmp_path, address, quiet)) == 6


def not_found(name: str, handler: BaseHTTPRequestHandler) -> None:
    handler.send_error(404)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda name, handler: send(handler, b"12345", size=900), "the connection broke after 5 bytes; run it again"),
        (lambda name, handler: send(handler, b"<html>log in</html>"), "not a whole safetensors file"),
        (not_found, "the server answered 404 Not Found; on a machine with internet"),
    ],
)
def test_half_a_file_never_gets_the_name(answer: Answer, words: str, serve, tmp_path: Path):
    with pytest.raises(DataError, match=words):
        fetch.fetch(tmp_path, serve(answer), quiet)
    assert list(tmp_path.iterdir()) == []


def test_without_a_connection_one_line_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("COPLAY_AH2AC2_URL", "http://127.0.0.1:9")
    with pytest.raises(DataError, match=r"cannot download http://127.0.0.1:9/2_players_games") as error:
        fetch.fetch(tmp_path, report=quiet)
    message = str(error.value)
    assert "\n" not in message
    assert all(part in message for part in (fetch.PAGE, *FILES, f"put them into {tmp_path}/", "run the same command"))


def test_files_put_there_by_hand_are_checked_and_noted(unpinned, smartbot: Path, tmp_path: Path):
    for name in FILES:
        (tmp_path / name).write_bytes(smartbot.read_bytes())
    fetch.fetch(tmp_path, "http://127.0.0.1:9", quiet)
    assert len(json.loads((tmp_path / MANIFEST).read_text())) == 6


def test_bad_arguments_are_named(tmp_path: Path):
    with pytest.raises(DataError, match="'ftp://x' is no address to download from"):
        fetch.fetch(tmp_path, "ftp://x")
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(DataError, match="this list of checksums is broken"):
        fetch.fetch(tmp_path, "http://127.0.0.1:9")
    answer = CliRunner().invoke(commands.app, ["fetch", "everything"])
    assert isinstance(answer.exception, DataError)
    assert "unknown data set 'everything'; the data sets are ah2ac2" in str(answer.exception)


def test_the_command_fetches(serve, unpinned, smartbot: Path, tmp_path: Path):
    address = serve(lambda name, handler: send(handler, smartbot.read_bytes()))
    answer = CliRunner().invoke(commands.app, ["fetch", "ah2ac2", "--to", str(tmp_path), "--from", address])
    assert answer.exit_code == 0, answer.output
    assert len(answer.stdout.splitlines()) == 6
