"""What a round tells its sessions: many games in one message, in columns.

Observations and legal masks of all games in a message are one block each, base64 of packed bits. Nothing in here comes
from a state: views are made in `batch.py`, with `game.view` and `game.encode`, and words from the same view.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import numpy as np

from coplay.challenge.batches import block
from coplay.game import Game
from coplay.serve.engine.history import histories
from coplay.serve.engine.round import Round, SeatView
from coplay.serve.engine.session import Session
from coplay.views.host import view_text
from coplay.views.packed import unpack_view, view_record


def answers(round: Round, now: float) -> dict[Session, list[dict[str, Any]]]:
    """The messages of every session, in the order they are to be sent."""
    grouped: dict[Session, dict[str, list[SeatView]]] = {}
    for entry in _latest(round.ready):
        live = entry.live
        if live.session is not None and (live.status == "active" or live.session.final):
            grouped.setdefault(live.session, {}).setdefault(live.configuration, []).append(entry)
    # Views are made before histories, which use rows of the stack that ended games have given back.
    shown = {
        session: [turns(session, name, entries, now) for name, entries in configurations.items()]
        for session, configurations in grouped.items()
    }
    messages: dict[Session, list[dict[str, Any]]] = {}
    for live, message in histories(round.histories):
        if live.session is not None:
            messages.setdefault(live.session, []).append(message)
    for session, found in round.messages.items():
        messages.setdefault(session, []).extend(_merge_over(found))
        for message in messages[session]:
            if message["type"] == "superseded":
                message["all"] = not session.tables  # nothing is left to do on this connection
    for session, found in shown.items():
        messages.setdefault(session, []).extend(found)
    return messages


def _latest(ready: list[SeatView]) -> list[SeatView]:
    """Each (game, seat, turn) once."""
    return list({(entry.live.id, entry.seat, entry.turn): entry for entry in ready}.values())


def _merge_over(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Games that ended together are told together; those whose score is told apart from those whose is not."""
    merged: dict[tuple[str, bool], dict[str, Any]] = {}
    others = []
    for message in messages:
        kind = message["type"], "score" in message
        if message["type"] not in ("over", "superseded"):
            others.append(message)
        elif kind not in merged:
            merged[kind] = message
        else:
            for name, column in message.items():
                if isinstance(column, list):
                    merged[kind][name].extend(column)
    return others + list(merged.values())


def turns(session: Session, configuration: str, entries: list[SeatView], now: float) -> dict[str, Any]:
    """The views of one configuration's games."""
    message: dict[str, Any] = {
        "type": "turns",
        "configuration": configuration,
        "game": [entry.live.number for entry in entries],
        "seat": [entry.seat for entry in entries],
        "turn": [entry.turn for entry in entries],
        "mine": [int(entry.mine) for entry in entries],
    }
    left = [entry.live.seconds_left(now) for entry in entries]
    message["seconds_left"] = None if None in left else [round(value, 1) for value in left]  # pyright: ignore[reportArgumentType, reportCallIssue]
    if "vector" in session.want:
        message["vector"] = block(np.stack([entry.vector for entry in entries]))
    if "legal" in session.want:
        message["legal"] = block(np.packbits(np.stack([entry.legal for entry in entries]), axis=1))
    if "words" in session.want:
        message["words"] = block(np.stack([entry.words for entry in entries]))
    for kind, words in (("text", text_of), ("view", view_values)):
        if kind in session.want:
            message[kind] = [words(entry.live.batch.game, entry.words) for entry in entries]
    return message


@eqx.filter_jit
def _view(game: Game, words: Any) -> Any:
    return unpack_view(game, words)


def text_of(game: Game, words: np.ndarray) -> str:
    """A packed view, told in words."""
    return view_text(jax.device_get(_view(game, words)))


def view_values(game: Game, words: np.ndarray) -> dict[str, Any]:
    """A packed view as plain values."""
    return view_record(game, jax.device_get(_view(game, words)))
