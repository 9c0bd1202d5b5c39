"""An agent that others sit down with: `remote:ws://HOST:PORT` in coplay is this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

from coplay_client.batch import Batch
from coplay_client.play import Play

Act = Callable[[Batch], Any]


def agent_server(act: Act, host: str = "127.0.0.1", port: int = 9000) -> Server:
    """A server to start with `serve_forever` and stop with `shutdown`; `act` gets a batch, returns its actions."""

    def talk(wire: ServerConnection) -> None:
        play = Play({})
        try:
            play.greeted(wire.recv())
            while True:
                play.receive(wire.recv())
                turns = play.take()
                actions = np.asarray(act(Batch(turns, lambda turns, actions: None))).tolist()
                for message in play.act(turns, actions):
                    wire.send(message)
        except ConnectionClosed:
            return

    return serve(talk, host, port, max_size=None)


def serve_agent(act: Act, host: str = "127.0.0.1", port: int = 9000) -> None:
    """Answers until the program is stopped."""
    print(f"serving at ws://{host}:{port}; in coplay it is remote:ws://{host}:{port}")
    with agent_server(act, host, port) as server:
        server.serve_forever()
