"""Action prediction: says how likely every action was at each decision of recorded games."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from coplay_client.batch import unpack_bits
from coplay_client.progress import Progress
from coplay_client.requests import address, request

REPLAYING = 600.0  # seconds that a server may take: whoever comes first waits until it has replayed the games


@dataclasses.dataclass(frozen=True)
class Decisions:
    """The next decision of many recorded games, seen from the seat that made it."""

    games: np.ndarray  # int [n]
    turns: np.ndarray  # int [n]; a game's decisions come in order, so an agent can remember
    seats: np.ndarray  # int [n]
    players: int
    vectors: np.ndarray  # uint8 [n, size]
    legal: np.ndarray  # bool [n, actions]
    spec: str = ""  # of the game, with seats="all"
    views: np.ndarray | None = None  # uint32 [n, players, words]: what every seat sees then, with seats="all"


class Foreseen(NamedTuple):
    """How well all games of one number of players were foreseen, in nats; lower is better."""

    per_decision: float
    per_seat: float  # and turn, as AH2AC2 prints it


def predict(
    key: str,
    foresee: Callable[[Decisions], Any],
    url: str | None = None,
    progress: bool | None = None,
    seats: str = "acting",
    watch: Callable[[Decisions], Any] | None = None,
) -> dict[str, Foreseen]:
    """Answers every decision with `foresee`, which returns probabilities [n, actions]; returns the cross-entropies, by
    what the board calls them: "prediction 2p". All decisions of a batch are of games of one kind (`players`).

    A program that stops can run again: what is answered stays answered. With `seats="all"` decisions tell what every
    seat sees, turn by turn, for networks that remember; what was answered before is then shown to `watch` first.
    """
    place, bar, total = f"{address(url)}/v1/prediction", Progress(progress), None
    if watch is not None and seats == "all":
        for seen in _past(place, key):
            watch(seen)
    while True:
        batch = request("GET", f"{place}?seats={seats}", key, REPLAYING)
        total = batch["left"] if total is None else total
        bar.tell(total - batch["left"], total)
        if not batch["game"]:
            bar.end()
            return _cross_entropies(address(url), key)
        given = np.ascontiguousarray(foresee(_decisions(batch)), "<f4")
        if given.shape != (len(batch["game"]), batch["actions"]):
            raise ValueError(f"give probabilities [{len(batch['game'])}, {batch['actions']}]; got shape {given.shape}.")
        packed = base64.b64encode(given.tobytes()).decode()
        body = {"game": batch["game"], "turn": batch["turn"], "probabilities": packed}
        request("POST", place, key, json=body)


def _past(place: str, key: str) -> Iterator[Decisions]:
    """What was seen before the decisions that are answered, turn by turn."""
    turn, first, found = 0, 0, False
    while True:
        batch = request("GET", f"{place}/past?turn={turn}&first={first}", key, REPLAYING)
        if batch["game"]:
            found, first = True, batch["game"][-1] + 1
            empty = np.zeros((len(batch["game"]), 0), np.uint8)
            yield _with_views(batch, empty, empty.astype(bool))
        elif found:
            turn, first, found = turn + 1, 0, False
        else:
            return


def _with_views(batch: dict[str, Any], vectors: np.ndarray, legal: np.ndarray) -> Decisions:
    rows, players = len(batch["game"]), batch["players"]
    games, turns, seats = (np.asarray(batch[name]) for name in ("game", "turn", "seat"))
    views = None
    if "views" in batch:
        flat = np.frombuffer(base64.b64decode(batch["views"]), "<u4")
        views = flat.reshape(rows, players, batch["words"])
    return Decisions(games, turns, seats, players, vectors, legal, batch.get("spec", ""), views)


def _decisions(batch: dict[str, Any]) -> Decisions:
    rows = len(batch["game"])
    vectors = unpack_bits(batch["vector"], rows, batch["size"])
    return _with_views(batch, vectors, unpack_bits(batch["legal"], rows, batch["actions"]).astype(bool))


def _cross_entropies(server: str, key: str) -> dict[str, Foreseen]:
    """Of the latest attempt that has any."""
    for attempt in reversed(request("GET", f"{server}/v1/me", key)["attempts"]):
        found = [one for one in attempt["results"] if one["cross_entropy"] is not None]
        if found:
            return {
                one["configuration"]: Foreseen(one["cross_entropy"], one["cross_entropy_per_seat"]) for one in found
            }
    return {}
