"""What the AH2AC2 client is shown at one turn: per seat JaxMARL's observation and the legal moves with its no-op."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np

from coplay.adapters.ah2ac2_server.games import agent
from coplay.views.packed import unpack_view
from coplay.worlds.hanabi import Hanabi, encode, rules

ROWS = 8  # encoded in one call; padded, so that nothing compiles twice


class Frame(NamedTuple):
    """One turn of one game."""

    turn: int
    mover: int | None  # the entrant's seat that is on turn
    score: int  # points on the table
    seats: dict[str, dict[str, list[float] | list[int]]]  # agent -> obs, legal_moves


def frames(game: Any, message: dict[str, Any], number: int) -> list[Frame]:
    """The turns of game `number`, a game of Hanabi, in a message of the engine, in order."""
    rows = [row for row, one in enumerate(message["game"]) if one == number]
    if not rows:
        return []
    words, legal = _rows(message, "words", np.uint32)[rows], _rows(message, "legal", np.uint8)[rows]
    observations, scores = encode_views(game, words)
    moves = np.unpackbits(legal, axis=1, count=game.num_actions)
    found: dict[int, Frame] = {}
    for index, row in enumerate(rows):
        turn, seat, mine = (message[name][row] for name in ("turn", "seat", "mine"))
        frame = found.setdefault(turn, Frame(turn, None, int(scores[index]), {}))
        # JaxMARL: a seat that is not on turn may do nothing, and that has a number of its own.
        allowed = [*moves[index].tolist(), 0] if mine else [0] * game.num_actions + [1]
        frame.seats[agent(seat)] = {"obs": numbers(observations[index]), "legal_moves": allowed}
        found[turn] = frame._replace(mover=seat) if mine else frame
    return [found[turn] for turn in sorted(found)]


def encode_views(game: Hanabi, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """float32 [rows, features] and int [rows]: observation and points of packed views, uint32 [rows, words]."""
    parts = []
    for begin in range(0, len(words), ROWS):
        part = words[begin : begin + ROWS]
        filled = np.concatenate([part, np.repeat(part[:1], ROWS - len(part), axis=0)])
        observations, scores = jax.device_get(_encode(game, filled))
        parts.append((observations[: len(part)], scores[: len(part)]))
    return np.concatenate([one for one, _ in parts]), np.concatenate([one for _, one in parts])


@eqx.filter_jit
def _encode(game: Hanabi, words: Any) -> tuple[jax.Array, jax.Array]:
    def one(words: jax.Array) -> tuple[jax.Array, jax.Array]:
        view = unpack_view(game, words)
        return encode.jaxmarl(view), rules.score(game, view.played, view.lives)

    return jax.vmap(one)(words)


def numbers(observation: np.ndarray) -> list[float]:
    """float32 as the shortest decimals that read back as the same float32."""
    return [_shortest(value) for value in observation.tolist()]


@cache  # beliefs are fractions of small whole numbers, so there are few
def _shortest(value: float) -> float:
    return float(str(np.float32(value)))


def _rows(message: dict[str, Any], name: str, kind: Any) -> np.ndarray:
    return np.frombuffer(base64.b64decode(message[name]), kind).reshape(len(message["game"]), -1)
