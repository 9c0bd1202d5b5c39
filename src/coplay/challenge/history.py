"""Games so far, for agents that remember and have to start again in the middle: replayed, all together."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np

from coplay.challenge.hall import Hall
from coplay.challenge.live import Live


def histories(lives: list[Live]) -> Iterator[tuple[Live, dict[str, Any]]]:
    """For each game: who did what, and the view that each of the entrant's seats had at every turn."""
    for hall in {id(live.hall): live.hall for live in lives}.values():
        yield from _of_hall(hall, [live for live in lives if live.hall is hall])


def _of_hall(hall: Hall, lives: list[Live]) -> Iterator[tuple[Live, dict[str, Any]]]:
    rows = dict(zip(lives, hall.take(len(lives)), strict=True))
    seen: dict[Live, list[tuple[int, int, np.ndarray]]] = {live: [] for live in lives}
    hall.begin(list(rows.values()), np.stack([live.seed for live in lives]), np.stack([live.mine for live in lives]))
    for turn in range(max(live.turn for live in lives)):
        going = [live for live in lives if turn < live.turn]
        for place in range(max(len(live.seats) for live in going)):
            looking = [live for live in going if place < len(live.seats)]
            seats = np.asarray([live.seats[place] for live in looking])
            look = hall.look([rows[live] for live in looking], seats[:, None] == np.arange(hall.game.players))
            for live, seat, vector in zip(looking, seats.tolist(), look.vector, strict=True):
                seen[live].append((turn, seat, vector))
        made = [live.log[turn] for live in going]
        joint = np.asarray(made if hall.game.simultaneous else [one * hall.game.players for one in made], np.int32)
        hall.step([rows[live] for live in going], joint, np.stack([live.mine for live in going]))
    for live in lives:
        hall.give_back(rows[live])
        yield live, _message(live, seen[live])


def _message(live: Live, seen: list[tuple[int, int, np.ndarray]]) -> dict[str, Any]:
    return {
        "type": "history",
        "configuration": live.configuration,
        "game": live.number,
        "actions": [list(made) for made in live.log],
        "movers": live.movers,
        "turn": [turn for turn, *_ in seen],
        "seat": [seat for _, seat, _ in seen],
        "vector": block(np.stack([vector for *_, vector in seen])),
    }


def block(array: np.ndarray) -> str:
    """Base64 of an array's bytes, little-endian, first axis first."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
