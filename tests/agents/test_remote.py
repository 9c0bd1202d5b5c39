"""An agent in another program plays as one in this program."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("coplay_client")

from coplay_client import Batch, agent_server

from coplay.agents.spec import agent
from coplay.games import make
from coplay.player import AgentError
from coplay.rollouts.play import play

LOCAL = """
from coplay import Agent

class Local(Agent):
    def act(self, view):
        return int(view.legal.argmax())
"""


def _first(batch: Batch) -> np.ndarray:
    assert batch.vectors.shape == (1, *batch.configuration.shape)
    assert "legal moves" in (batch.texts[0] or "").lower()
    return batch.legal.argmax(axis=1)


def test_a_remote_agent_plays_the_games_of_the_same_agent_here(tmp_path: Path) -> None:
    game = make("hanabi-very-small")
    (tmp_path / "local.py").write_text(LOCAL)
    with agent_server(_first, port=0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        remote = play(game, ["random", f"remote:ws://127.0.0.1:{port}"], 3)
    local = play(game, ["random", f"file:{tmp_path / 'local.py'}:Local"], 3)
    np.testing.assert_array_equal(remote.actions, local.actions)


def test_addresses_where_nobody_is_are_explained() -> None:
    game = make("hanabi-very-small")
    with pytest.raises(AgentError, match="cannot be reached"):
        agent("remote:ws://127.0.0.1:9", game)
    with pytest.raises(AgentError, match="remote:ws://HOST:PORT"):
        agent("remote:here", game)
