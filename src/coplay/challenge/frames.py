"""What a round tells its sessions: many games in one message, in columns.

Observations and legal masks of all games in a message are one block each, base64 of packed bits. Nothing in here comes
from a state: views are made in `hall.py`, with `game.view` and `game.encode`, and words from the same view.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np

from coplay.challenge.history import block, histories
from coplay.challenge.live import Live
from coplay.challenge.round import Round, Sight
from coplay.challenge.session import Session


def answers(round: Round, now: float) -> dict[Session, list[dict[str, Any]]]:
    """The messages of every session, in the order they are to be sent."""
    grouped: dict[Session, dict[str, list[Sight]]] = {}
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


def _latest(ready: list[Sight]) -> list[Sight]:
    """Each (game, seat, turn) once."""
    return list({(entry.live.id, entry.seat, entry.turn): entry for entry in ready}.values())


def _merge_over(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Games that ended together are told together."""
    merged: dict[str, dict[str, Any]] = {}
    others = []
    for message in messages:
        if message["type"] not in ("over", "superseded"):
            others.append(message)
        elif message["type"] not in merged:
            merged[message["type"]] = message
        else:
            for name, column in message.items():
                if isinstance(column, list):
                    merged[message["type"]][name].extend(column)
    return others + list(merged.values())


def turns(session: Session, configuration: str, entries: list[Sight], now: float) -> dict[str, Any]:
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
    for kind, words in (("text", view_text), ("view", view_record)):
        if kind in session.want:  # only of the latest state of a running game: the row of another is not its own
            message[kind] = [words(e.live, e.seat) if _is_latest(e) else None for e in entries]
    return message


def _is_latest(entry: Sight) -> bool:
    return entry.turn == entry.live.turn and entry.live.status == "active"


def view_of(live: Live, seat: int) -> Any:
    """What one seat may know, as the game made it, with numpy leaves."""
    return jax.device_get(live.hall.game.view(live.hall.state(live.row), seat))


def view_text(live: Live, seat: int) -> str:
    return view_of(live, seat).text()


def view_record(live: Live, seat: int) -> dict[str, Any]:
    """The view as plain values: the table of a card game, or the fields and properties of any other view."""
    view = view_of(live, seat)
    if live.hall.game.name.startswith("hanabi"):
        from coplay.games.hanabi.table import read_view

        table = read_view(view)
        return dataclasses.asdict(dataclasses.replace(table, game=None))  # pyright: ignore[reportArgumentType]
    from coplay.play.lockstep import field_names, properties

    fields = {name: getattr(view, name) for name in field_names(view)} | properties(view)
    return {
        name: np.asarray(value).tolist()
        for name, value in fields.items()
        if name != "vector" and hasattr(value, "shape")
    }
