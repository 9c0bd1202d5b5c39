"""Plain agents in a batch of games: asked one by one or all at once, each with luck of its own."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import numpy as np
import pytest

import coplay
from coplay.player import CannotGoOn
from coplay.rollouts import chairs
from coplay.rollouts.play import chunk_size

GAME = coplay.make("hanabi-very-small")


class Drawing(coplay.Agent):
    """Draws a legal action from its own luck."""

    name = "drawing"

    def reset(self, seat: int, players: int) -> None:
        self.luck = random.Random(self.seed)

    def act(self, view: Any) -> int:
        return self.luck.choice(np.flatnonzero(view.legal).tolist())


class Together:
    """The same, for all games of a seat at once."""

    asked: list[int] = []  # noqa: RUF012 (counts over all copies)

    def reset_batch(self, seat: int, players: int, seeds: np.ndarray) -> None:
        self.luck = [random.Random(int(seed)) for seed in seeds]

    def act_batch(self, views: Any) -> list[int]:
        self.asked.append(len(views))
        assert views.vector.shape[0] == views.legal.shape[0] == len(views)
        choices = zip(views.games, views.legal, strict=True)
        return [self.luck[game].choice(np.flatnonzero(row).tolist()) for game, row in choices]


def test_luck_belongs_to_a_seat_of_a_game():
    games = coplay.play(GAME, Drawing(), games=6, seed=1)
    again = coplay.play(GAME, Drawing(), games=3, seed=1)
    np.testing.assert_array_equal(games.actions[:3, : again.actions.shape[1]], again.actions)
    picked = coplay.play(GAME, Drawing(), seed=1, deals=[4])
    length = int(picked.lengths[0])
    np.testing.assert_array_equal(games.actions[4, :length], picked.actions[0, :length])
    assert len({tuple(row) for row in games.actions[:, :4].tolist()}) > 1


def test_an_agent_for_many_plays_the_same_games_and_is_asked_once_a_round():
    Together.asked.clear()
    one_by_one = coplay.play(GAME, Drawing(), games=6, seed=1)
    together = coplay.play(GAME, Together(), games=6, seed=1)  # pyright: ignore[reportArgumentType]
    np.testing.assert_array_equal(one_by_one.actions, together.actions)
    assert len(Together.asked) == one_by_one.lengths.max()
    assert Together.asked[0] == 6


def test_an_agent_for_many_beside_a_policy():
    games = coplay.play(GAME, [Together(), "random"], games=5, seed=2)  # pyright: ignore[reportArgumentType]
    assert not games.forfeits


@pytest.mark.parametrize(
    ("answer", "words"),
    [(lambda views: [0], "act_batch gave 1 actions for 3 views"), (lambda views: 1 / 0, "ZeroDivisionError")],
)
def test_what_goes_wrong_in_a_batch_loses_its_games(answer: Any, words: str):
    class Broken:
        act_batch = staticmethod(answer)

    games = coplay.play(GAME, [Broken(), "random"], games=3)  # pyright: ignore[reportArgumentType]
    assert len(games.forfeits) == 3
    assert words in games.forfeits[0].reason


def test_an_exception_in_the_place_of_an_answer_loses_that_game_alone():
    class Unsure(Together):
        def act_batch(self, views: Any) -> list[Any]:
            answers: list[Any] = super().act_batch(views)
            return [
                ValueError("I do not know") if game == 1 else one
                for game, one in zip(views.games, answers, strict=True)
            ]

    games = coplay.play(GAME, [Unsure(), "random"], games=3)  # pyright: ignore[reportArgumentType]
    assert [(one.game, "I do not know" in one.reason) for one in games.forfeits] == [(1, True)]


def test_what_an_agent_needs_and_is_gone_stops_everything():
    class Alone(Together):
        def act_batch(self, views: Any) -> list[int]:
            raise CannotGoOn("the server is gone")

    with pytest.raises(CannotGoOn, match="the server is gone"):
        coplay.play(GAME, [Alone(), "random"], games=3)  # pyright: ignore[reportArgumentType]


def test_who_keeps_time_has_no_limit(monkeypatch: pytest.MonkeyPatch):
    limits = []
    monkeypatch.setattr(chairs, "time_limit", lambda seconds: limits.append(seconds) or contextlib.nullcontext())

    class Patient(Drawing):
        keeps_time = True

    coplay.play(GAME, [Patient(), "random"], games=2, move_seconds=1.0)
    assert set(limits) == {None}


def test_the_first_answer_may_take_longer(monkeypatch: pytest.MonkeyPatch):
    limits = []

    def note(seconds: float | None):
        limits.append(seconds)
        return contextlib.nullcontext()

    monkeypatch.setattr(chairs, "time_limit", note)

    class Compiling(Drawing):
        """Nobody of its kind was asked before."""

    coplay.play(GAME, [Compiling(), "random"], games=2, move_seconds=1.0)
    assert limits[0] == chairs.SET_UP
    assert set(limits[1:]) == {1.0}
    limits.clear()
    coplay.play(GAME, [Compiling(), "random"], games=2, move_seconds=1.0)
    assert limits[0] == chairs.FIRST
    assert set(limits[1:]) == {1.0}


def test_agents_get_ready_before_the_first_game():
    class Slow(Drawing):
        ready = False

        def warm_up(self) -> None:
            Slow.ready = True

        def act(self, view: Any) -> int:
            assert Slow.ready
            return super().act(view)

    assert not coplay.play(GAME, [Slow(), "random"], games=1).forfeits


def test_other_numbers_of_games_are_batches_of_few_sizes():
    assert {chunk_size(games) for games in range(1, 257)} == {8, 16, 32, 64, 128, 256}
    assert [chunk_size(games) for games in (257, 1000, 4096, 4097, 10000)] == [512, 1024, 4096, 2304, 3584]


def test_an_agent_is_called_by_its_class_unless_it_says_otherwise():
    class Nameless(coplay.Agent):
        pass

    assert (Nameless.name, Nameless().name, Drawing.name) == ("Nameless", "Nameless", "drawing")
