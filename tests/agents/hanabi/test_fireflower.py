"""FireFlower against recorded games of the original, and among strangers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import coplay
from tests.conftest import GOLDEN

pytest.importorskip("numba", reason="FireFlower needs the extra coplay[bots]")


def action_ids(rows: np.ndarray, players: int, hand: int) -> np.ndarray:
    """Recorded columns (actor, type, slot, target, value, …) as action ids; -1 where the game is over."""
    actor, kind, slot, target, value = (rows[..., column].astype(int) for column in range(5))
    hint = 2 * hand + ((target - actor) % players - 1) * 5 + value
    kinds = [kind == 0, kind == 1, kind == 2, kind == 3]
    return np.where(actor >= 0, np.select(kinds, [hand + slot, slot, hint, hint + (players - 1) * 5], -1), -1)


class Forced(coplay.Agent):
    """Asks FireFlower at every turn, then plays the recorded action, so that one difference does not breed others."""

    name = "forced"
    hears = "every"
    asked = agreed = 0

    def __init__(self, game: Any, record: list[int]) -> None:
        self.inner: Any = coplay.agent("fireflower", game)
        self.record, self.turn = record, 0

    def reset(self, seat: int, players: int) -> None:
        self.inner.reset(seat, players)
        self.turn = 0

    def watch(self, view: Any) -> None:
        self.inner.watch(view)
        self.turn += 1

    def act(self, view: Any) -> int:
        Forced.asked += 1
        Forced.agreed += self.inner.act(view) == self.record[self.turn]
        self.turn += 1
        return self.record[self.turn - 1]


@pytest.mark.parametrize("players", [2, 4])
def test_it_chooses_the_recorded_move_in_at_least_98_of_100_positions(players: int):
    data = np.load(GOLDEN / "bots" / "fireflower.npz")
    game = coplay.make("hanabi", players=players)
    Forced.asked = Forced.agreed = 0
    wanted = action_ids(data[f"actions_{players}"], players, game.hand_size)
    for deck, record in zip(data[f"deck_{players}"], wanted.tolist(), strict=True):
        result = coplay.play(game, Forced(game, record), decks=deck[None])
        assert not result.forfeits
    assert Forced.asked == data[f"length_{players}"].sum()
    assert Forced.agreed >= 0.98 * Forced.asked


@pytest.mark.parametrize("players", [2, 5])
def test_strangers_do_not_make_it_stumble(players: int):
    game = coplay.make("hanabi", players=players)
    team = ["fireflower", *["random", "piers"] * 2][:players]
    result = coplay.play(game, team, games=6, seed=0)
    assert not result.forfeits, str(result.forfeits[0])


def test_only_the_standard_game_is_played():
    with pytest.raises(coplay.AgentError, match="fireflower"):
        coplay.agent("fireflower", coplay.make("hanabi-small"))
