"""Games so far, for agents that remember and have to start again in the middle: replayed, all together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from coplay.challenge.batches import block
from coplay.serve.engine.game_batch import GameBatch
from coplay.serve.engine.live_game import LiveGame


def histories(lives: list[LiveGame]) -> Iterator[tuple[LiveGame, dict[str, Any]]]:
    """For each game: who did what, and the view that each of the entrant's seats had at every turn."""
    for batch in {id(live.batch): live.batch for live in lives}.values():
        yield from _of_batch(batch, [live for live in lives if live.batch is batch])


def _of_batch(batch: GameBatch, lives: list[LiveGame]) -> Iterator[tuple[LiveGame, dict[str, Any]]]:
    rows = dict(zip(lives, batch.take(len(lives)), strict=True))
    seen: dict[LiveGame, list[tuple[int, int, np.ndarray]]] = {live: [] for live in lives}
    batch.begin(list(rows.values()), np.stack([live.seed for live in lives]), np.stack([live.mine for live in lives]))
    for turn in range(max(live.turn for live in lives)):
        going = [live for live in lives if turn < live.turn]
        for place in range(max(len(live.seats) for live in going)):
            looking = [live for live in going if place < len(live.seats)]
            seats = np.asarray([live.seats[place] for live in looking])
            look = batch.look([rows[live] for live in looking], seats[:, None] == np.arange(batch.game.players))
            for live, seat, vector in zip(looking, seats.tolist(), look.vector, strict=True):
                seen[live].append((turn, seat, vector))
        made = [live.log[turn] for live in going]
        joint = np.asarray(made if batch.game.simultaneous else [one * batch.game.players for one in made], np.int32)
        batch.step([rows[live] for live in going], joint, np.stack([live.mine for live in going]))
    for live in lives:
        batch.give_back(rows[live])
        yield live, _message(live, seen[live])


def _message(live: LiveGame, seen: list[tuple[int, int, np.ndarray]]) -> dict[str, Any]:
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
