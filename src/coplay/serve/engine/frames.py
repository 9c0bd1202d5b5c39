"""What a round tells its sessions: many games in one message, in columns.

Observations and legal masks of all games in a message are one block each, base64 of packed bits. Nothing in here comes
from a state: views are made in `game_batch.py`, with `game.view` and `game.encode`, and words from the same view.

What takes long to say, views in words or as values and past games, is said later, by whoever sends the message: `later`
in it is a function that returns the rest. So nobody's wish for words holds up a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import equinox as eqx
import jax
import numpy as np

from coplay.challenge.batches import NET_SIZES, block, chunks, padded
from coplay.faces import faces_of
from coplay.game import Game
from coplay.serve.engine.history import history
from coplay.serve.engine.round import Round, SeatView
from coplay.serve.engine.session import Session
from coplay.views.host import view_text
from coplay.views.packed import unpack_view, view_record

LATER = "later"
WORDS: dict[str, Callable[[Game, Any], Any]] = {"text": lambda game, view: view_text(view), "view": view_record}


def answers(round: Round, now: float) -> dict[Session, list[dict[str, Any]]]:
    """The messages of every session, in the order they are to be sent."""
    grouped: dict[Session, dict[str, list[SeatView]]] = {}
    for entry in _latest(round.ready):
        live, session = entry.live, entry.session
        if live.status == "active" or session.final:
            grouped.setdefault(session, {}).setdefault(live.dealt.configuration, []).append(entry)
    messages: dict[Session, list[dict[str, Any]]] = {}
    for session, live in round.histories:
        past = history(live, live.seats_of(session))
        messages.setdefault(session, []).append({"type": "history", LATER: past})
    for session, found in round.messages.items():
        messages.setdefault(session, []).extend(_merge_over(found))
        for message in messages[session]:
            if message["type"] == "superseded":
                message["all"] = not session.tables  # nothing is left to do on this connection
    for session, configurations in grouped.items():
        told = [turns(session, name, entries, now) for name, entries in configurations.items()]
        messages.setdefault(session, []).extend(told)
    return messages


def whole(message: dict[str, Any]) -> dict[str, Any]:
    """A message with what was to be said later."""
    later = message.get(LATER)
    return message if later is None else {name: one for name, one in message.items() if name != LATER} | later()


def _latest(ready: list[SeatView]) -> list[SeatView]:
    """Each (game, seat, turn) once."""
    latest = {(id(entry.session), entry.live.dealt.id, entry.seat, entry.turn): entry for entry in ready}
    return list(latest.values())


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
        "game": [entry.live.dealt.number for entry in entries],
        "seat": [entry.seat for entry in entries],
        "turn": [entry.turn for entry in entries],
        "mine": [int(entry.mine) for entry in entries],
    }
    words, game = np.stack([entry.words for entry in entries]), entries[0].live.dealt.batch.game
    if session.watches:
        people = entries[0].live.dealt.seats
        later = {LATER: lambda: {"view": public_views(game, words, people)}}
        return message | (later if "view" in session.want else {})
    left = [entry.live.seconds_left(now) for entry in entries]
    message["seconds_left"] = None if None in left else [round(value, 1) for value in left]  # pyright: ignore[reportArgumentType, reportCallIssue]
    if "vector" in session.want:
        message["vector"] = block(np.stack([entry.vector for entry in entries]))
    if "legal" in session.want:
        message["legal"] = block(np.packbits(np.stack([entry.legal for entry in entries]), axis=1))
    if "words" in session.want:
        message["words"] = block(words)
    if wanted := [kind for kind in WORDS if kind in session.want]:
        message[LATER] = lambda: in_words(game, words, wanted)
    return message


def in_words(game: Game, words: np.ndarray, wanted: list[str]) -> dict[str, list[Any]]:
    """Packed views, told in words or as plain values."""
    views = list(views_of(game, words))
    return {kind: [WORDS[kind](game, view) for view in views] for kind in wanted}


def public_views(game: Game, words: np.ndarray, people: Sequence[int]) -> list[dict[str, Any]]:
    """What spectators see of packed views: nothing that somebody at the table must not know."""
    face = faces_of(game).people
    assert face is not None  # no other game has spectators
    return [view_record(game, face.public(game, view, people)) for view in views_of(game, words)]


def views_of(game: Game, words: np.ndarray) -> Iterator[Any]:
    """The views of uint32 [views, words], as numpy."""
    for begin, count, size in chunks(len(words), NET_SIZES):
        views = jax.device_get(_views(game, padded(words[begin : begin + count], size, 0)))
        for index in range(count):
            yield jax.tree.map(lambda leaf, index=index: leaf[index], views)


@eqx.filter_jit
def _views(game: Game, words: Any) -> Any:
    return jax.vmap(lambda row: unpack_view(game, row))(words)
