"""Players become ready beside the games: each when it is waited for, alike ones one after the other."""

from __future__ import annotations

import threading
import time

import pytest

from coplay.rollouts import precompile
from coplay.rollouts.team import seat_team
from coplay.worlds.hanabi import Hanabi

GAME = Hanabi(players=2, colors=2, ranks=2, hand_size=2, info_tokens=3, life_tokens=1)


def test_a_player_is_ready_when_its_compilation_is_over(monkeypatch: pytest.MonkeyPatch):
    done: list[str] = []
    monkeypatch.setattr(precompile, "compile_decision", lambda game, player, *rest: done.append(player.name))
    players = seat_team(GAME, ["random", "iggi"])
    with precompile.precompiled(GAME, players, 3) as ready:
        ready(players[1])
        assert "iggi" in done


def test_what_goes_wrong_in_a_compilation_is_said_to_whoever_waits(monkeypatch: pytest.MonkeyPatch):
    def fail(*args: object) -> None:
        raise ValueError("it cannot be compiled")

    monkeypatch.setattr(precompile, "compile_decision", fail)
    players = seat_team(GAME, "iggi")
    with (
        pytest.raises(ValueError, match="it cannot be compiled"),
        precompile.precompiled(GAME, players[:1], 3) as ready,
    ):
        ready(players[0])


def test_players_that_are_one_program_are_not_compiled_at_the_same_time(monkeypatch: pytest.MonkeyPatch):
    busy = threading.Lock()
    alone: list[bool] = []

    def slow(*args: object) -> None:
        alone.append(busy.acquire(blocking=False))
        time.sleep(0.02)
        busy.release()

    monkeypatch.setattr(precompile, "compile_decision", slow)
    players = [seat_team(GAME, "iggi")[0] for _ in range(4)]
    with precompile.precompiled(GAME, players, 3) as ready:
        for player in players:
            ready(player)
    assert alone == [True] * 4
