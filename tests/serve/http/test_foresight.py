"""Recorded games foreseen over the wire by any agent: the same figure as on one machine, also after a restart."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

pytest.importorskip("coplay_client")

from coplay_client import Decisions, predict, register
from coplay_client.requests import request
from sqlalchemy import text
from typer.testing import CliRunner

import coplay
from coplay.challenge.entering.foresight import Foresight
from coplay.challenge.outcome import prediction
from coplay.cli import app
from coplay.data.formats import read
from coplay.measure.foresee import foresee_episodes
from coplay.nets.file import save_policy
from coplay.nets.policy import reader
from coplay.rollouts.play import play
from coplay.serve.ledger.hosting import host
from coplay.serve.store.database import open_database
from coplay.worlds.hanabi.recordings.ah2ac2 import save_games
from coplay.worlds.hanabi.recordings.episodes import from_episodes
from tests.serve.harness import rules
from tests.serve.http.test_server import server
from tests.train.toy import design, random_network

__all__ = ["server"]
FLOOR = 1e-6  # which the server mixes in


@pytest.fixture(scope="module")
def games() -> Any:
    return play(coplay.make("hanabi"), "random", 2, progress=False)


@pytest.fixture(scope="module")
def listener(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network that hears every turn."""
    game: Any = reader(coplay.make("hanabi"))
    place = tmp_path_factory.mktemp("net") / "listener.safetensors"
    made = dataclasses.replace(design(game), cell="lstm", hears="every")
    save_policy(place, random_network(made, 3), game, {}, "float32")
    return f"run:{place}?greedy=false"


@pytest.fixture(scope="module")
def challenge(server: str, module_url: str, games: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    data = tmp_path_factory.mktemp("data") / "games.safetensors"
    save_games(data, from_episodes(games))
    toml = f'{rules(games=1)}\n[prediction]\ndata = "{data}"\n'
    database = open_database(module_url)
    with database.write() as transaction:
        host.new_challenge(transaction, "foreseen", toml)
        host.open_challenge(transaction, "foreseen")
    database.close()
    return server


def expected(games: Any, spec: str, smoothing: float = 0.0) -> float:
    """By teacher forcing on this machine."""
    found = foresee_episodes(games, coplay.agent(spec, games.game))
    kept = np.asarray(found.decides, bool)
    share = np.exp(np.asarray(found.log_prob, np.float64)[kept])
    legal = np.asarray(found.legal)[kept]
    share = (1 - smoothing) * share + smoothing / legal
    return float(-np.log(share * (1 - FLOOR) + FLOOR / legal).mean())


def keys_for(server: str, name: str) -> Any:
    return register(server, "foreseen", name=name, method="m", contact="c", human_data="none")


def test_a_network_that_hears_every_turn_enters_and_gets_the_figure_it_has_here(
    challenge: str, games: Any, listener: str
) -> None:
    keys = keys_for(challenge, "listener")
    asked = ["enter", listener, "--key", keys.evaluation, "--url", challenge, "--configuration", "prediction"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    want = expected(games, listener)
    assert "small" not in done.output
    assert f"prediction 2p: cross-entropy {want:.4f} nats per decision, {want / 2:.4f} per seat and turn" in done.output


def test_who_begins_again_in_the_middle_sees_what_came_before(challenge: str, games: Any, listener: str) -> None:
    key = keys_for(challenge, "restarted").evaluation
    first, asked = Foresight(listener, 0), 0

    def for_a_while(decisions: Decisions) -> np.ndarray:
        nonlocal asked
        asked += 1
        if asked == 9:
            raise KeyboardInterrupt
        return first(decisions)

    with pytest.raises(KeyboardInterrupt):
        predict(key, for_a_while, challenge, seats="all")
    fresh = Foresight(listener, 0)
    found = predict(key, fresh, challenge, seats="all", watch=fresh.watch)
    assert found["prediction 2p"].per_decision == pytest.approx(expected(games, listener), abs=1e-5)


def test_a_scripted_agent_doubts_a_little(challenge: str, games: Any) -> None:
    key = keys_for(challenge, "scripted").evaluation
    done = CliRunner().invoke(app, ["enter", "valuebot", "--key", key, "--url", challenge])
    assert f"prediction 2p: cross-entropy {expected(games, 'valuebot', 0.1):.4f} nats" in done.output, done.output
    assert "small: mean" in done.output


def test_a_rehearsal_without_recorded_games_only_plays(challenge: str) -> None:
    key = keys_for(challenge, "rehearsing").test
    done = CliRunner().invoke(app, ["enter", "random", "--key", key, "--url", challenge, "--games", "1"])
    assert done.exit_code == 0, done.output
    assert "prediction" not in done.output
    wanted = ["enter", "random", "--key", key, "--url", challenge, "--configuration", "prediction"]
    done = CliRunner().invoke(app, wanted)
    assert "no recorded games to rehearse with" in done.output + str(done.exception)


def test_recorded_games_are_replayed_while_others_write(
    challenge: str, module_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def slow(*given: Any, **more: Any) -> Any:
        database = open_database(module_url)
        with database.write() as transaction:  # SQLite would refuse it if the request held the database
            seen.append(len(transaction.execute(text("SELECT id FROM challenges")).all()))
        database.close()
        return read(*given, **more)

    monkeypatch.setattr(prediction, "read", slow)
    for cached in (prediction.recorded, prediction.seen_by_all, prediction._games):
        cached.cache_clear()
    key = keys_for(challenge, "first of all").evaluation
    assert request("GET", f"{challenge}/v1/prediction?seats=all", key)["left"] > 0
    assert len(seen) == 1
