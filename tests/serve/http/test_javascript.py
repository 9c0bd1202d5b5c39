"""The client in JavaScript plays on a real server."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.serve.http.test_server import _register, server  # noqa: F401  the fixture

CLIENT = Path(__file__).parents[3] / "clients" / "javascript"
NODE = shutil.which("node")


def node(*words: str) -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    command = [NODE, "--experimental-websocket", *words]
    return subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module", autouse=True)
def able() -> None:
    if NODE is None:
        pytest.skip("needs Node 20 or newer: apt-get install nodejs")
    asked = node("-e", "process.exit(typeof WebSocket === 'function' && typeof fetch === 'function' ? 0 : 1)")
    if asked.returncode:
        pytest.skip(f"needs a Node with WebSocket and fetch, 20 or newer: {asked.stderr[:200]}")


def test_it_rehearses_and_plays_the_rated_attempt(server: str, tmp_path: Path) -> None:  # noqa: F811
    keys: dict[str, Any] = _register(server, "javascript")
    done = node("random.mjs", server, keys["test_key"], "2")
    assert re.fullmatch(r"small: mean \d\.\d{3}, 2 games\n", done.stdout), done.stderr
    done = node("random.mjs", server, keys["evaluation_key"])
    assert re.fullmatch(r"small: mean \d\.\d{3}, 3 games\n", done.stdout), done.stderr
    spent = node("random.mjs", server, keys["evaluation_key"])
    assert (spent.returncode, "attempts of javascript are spent" in spent.stderr) == (1, True)


def test_it_goes_on_after_a_broken_connection_and_tells_why_it_cannot(server: str, tmp_path: Path) -> None:  # noqa: F811
    script = tmp_path / "breaks.mjs"
    script.write_text(f"""
import {{ play, register }} from "{CLIENT}/coplay.mjs";
const entry = {{ name: "breaks", method: "m", contact: "c", human_data: "none" }};
const keys = await register("{server}", "small", entry);
let sockets = [], moves = 0;
const Real = WebSocket;
globalThis.WebSocket = class extends Real {{ constructor(...all) {{ super(...all); sockets.push(this); }} }};
const choose = ({{ legal, vector }}) => {{
  if (++moves === 4) sockets.at(-1).close();
  return legal.indexOf(1);
}};
const [result] = await play(keys.evaluation_key, choose, {{ url: "{server}" }});
console.log(result.games, result.forfeits, sockets.length);
await play("coplay_test_x", choose, {{ url: "{server}" }}).catch((problem) => console.log(problem.code));
await play(keys.test_key, () => 99, {{ url: "{server}" }}).catch((problem) => console.log(problem.code));
await play(keys.test_key, choose, {{ url: "http://127.0.0.1:9" }}).catch((problem) => console.log(problem.message));
""")
    done = node(str(script))
    told = done.stdout.splitlines()
    assert told == ["3 0 2", "bad_key", "illegal", "http://127.0.0.1:9 cannot be reached; does the server run?"], (
        done.stderr
    )
