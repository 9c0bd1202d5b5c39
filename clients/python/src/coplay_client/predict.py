"""Action prediction: says how likely every action was at each decision of recorded games."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from coplay_client.batch import unpack_bits
from coplay_client.progress import Progress
from coplay_client.requests import address, request


@dataclasses.dataclass(frozen=True)
class Decisions:
    """The next decision of many recorded games, seen from the seat that made it."""

    games: np.ndarray  # int [n]
    turns: np.ndarray  # int [n]; a game's decisions come in order, so an agent can remember
    seats: np.ndarray  # int [n]
    players: int
    vectors: np.ndarray  # uint8 [n, size]
    legal: np.ndarray  # bool [n, actions]


def predict(
    key: str, foresee: Callable[[Decisions], Any], url: str | None = None, progress: bool | None = None
) -> float | None:
    """Answers every decision with `foresee`, which returns probabilities [n, actions]; returns the cross-entropy.

    A program that stops can run again: what is answered stays answered.
    """
    place, bar, total = f"{address(url)}/v1/prediction", Progress(progress), None
    while True:
        batch = request("GET", place, key)
        total = batch["left"] if total is None else total
        bar.tell(total - batch["left"], total)
        if not batch["game"]:
            bar.end()
            return _cross_entropy(address(url), key)
        given = np.ascontiguousarray(foresee(_decisions(batch)), "<f4")
        if given.shape != (len(batch["game"]), batch["actions"]):
            raise ValueError(f"give probabilities [{len(batch['game'])}, {batch['actions']}]; got shape {given.shape}.")
        packed = base64.b64encode(given.tobytes()).decode()
        body = {"game": batch["game"], "turn": batch["turn"], "probabilities": packed}
        request("POST", place, key, json=body)


def _decisions(batch: dict[str, Any]) -> Decisions:
    rows = len(batch["game"])
    return Decisions(
        np.asarray(batch["game"]),
        np.asarray(batch["turn"]),
        np.asarray(batch["seat"]),
        batch["players"],
        unpack_bits(batch["vector"], rows, batch["size"]),
        unpack_bits(batch["legal"], rows, batch["actions"]).astype(bool),
    )


def _cross_entropy(server: str, key: str) -> float | None:
    attempts = request("GET", f"{server}/v1/me", key)["attempts"]
    found = [one["cross_entropy"] for attempt in attempts for one in attempt["results"]]
    return next((value for value in reversed(found) if value is not None), None)
