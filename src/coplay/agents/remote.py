"""An agent in another program, over a WebSocket: `remote:ws://127.0.0.1:9000`.

The other program runs `coplay_client.serve_agent(act)` and needs neither JAX nor this package. It gets the messages
that a challenge server sends, so a program that plays in challenges plays here as well.
"""

from __future__ import annotations

import base64
import itertools
import json
from typing import Any

import numpy as np

from coplay.game import Game
from coplay.player import Agent, AgentError
from coplay.views.packed import packed_vector, packing


class RemoteAgent(Agent):
    """One seat of one game; copies share the connection and are told apart by the number of the game."""

    def __init__(self, address: str, game: Game, wire: Any = None) -> None:
        self.name, self.address, self.game = f"remote:{address}", address, game
        self._wire = wire or _Wire(address, game)
        self._number, self._seat, self._turn = -1, 0, 0

    def __deepcopy__(self, memo: Any) -> RemoteAgent:
        return RemoteAgent(self.address, self.game, self._wire)

    def reset(self, seat: int, players: int) -> None:
        self._number, self._seat, self._turn = next(self._wire.numbers), seat, 0

    def act(self, view: Any) -> int:
        vector = np.asarray(view.vector)
        packed = packed_vector(self._wire.packing, vector)
        message = {
            "type": "turns",
            "configuration": "table",
            "game": [self._number],
            "seat": [self._seat],
            "turn": [self._turn],
            "mine": [1],
            "seconds_left": None,
            "vector": _block(packed),
            "legal": _block(np.packbits(np.asarray(view.legal))),
            "text": [view.text()],
        }
        self._turn += 1
        answer = self._wire.ask(message)
        if answer.get("game") != [self._number] or len(answer.get("action", [])) != 1:
            raise AgentError(f"{self.name} answered {json.dumps(answer)[:200]}; expected an act message for this game.")
        return answer["action"][0]


class _Wire:
    """The connection that all copies use."""

    def __init__(self, address: str, game: Game) -> None:
        self.address, self.numbers = address, itertools.count()
        self.packing = packing(game)
        try:
            from websockets.sync.client import connect
        except ImportError as error:
            raise AgentError(f"{error}; a remote agent needs the client: pip install coplay-client.") from error
        try:
            self._socket = connect(address, max_size=None).__enter__()  # open for as long as the program runs
        except (OSError, ValueError) as error:
            raise AgentError(f"remote:{address} cannot be reached: {error}. Is `serve_agent` running there?") from error
        about = {
            "game": game.name,
            "players": game.players,
            "actions": game.num_actions,
            "max_steps": game.max_steps,
            "max_score": game.max_score,
            "simultaneous": game.simultaneous,
            "observation": {"shape": list(game.observation_shape), "packing": self.packing},
        }
        progress = {"over": 0, "total": 0}
        welcome = {"type": "welcome", "version": 1, "configurations": {"table": about}, "progress": progress}
        self._socket.send(json.dumps(welcome))

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        from websockets.exceptions import WebSocketException

        try:
            self._socket.send(json.dumps(message))
            return json.loads(self._socket.recv())
        except (OSError, EOFError, WebSocketException, ValueError) as error:
            raise AgentError(f"remote:{self.address} is gone: {error}.") from error


def _block(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def load_remote(place: str, game: Game) -> RemoteAgent:
    """The agent that serves at an address such as ws://127.0.0.1:9000."""
    if not place.startswith(("ws://", "wss://")):
        raise AgentError(f"remote:{place}: write remote:ws://HOST:PORT, where `coplay_client.serve_agent` listens.")
    return RemoteAgent(place, game)
