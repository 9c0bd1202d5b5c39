"""Connections to the AH2AC2 addresses: what they are told, what they may do, and what becomes of their games."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("fastapi")

from sqlalchemy import select, update

from coplay.adapters import jaxmarl
from coplay.adapters.ah2ac2_server import connection
from coplay.challenge.batches import as_key
from coplay.challenge.log import unpack
from coplay.serve.engine.arrivals import Command
from coplay.serve.ledger.hosting import rescue
from coplay.serve.ledger.hosting.host import Keys
from coplay.serve.store.models import Attempt, Result, Table
from tests.adapters.ah2ac2_server.harness import Game, Host, first, next_game, record_of
from tests.conftest import DATABASES
from tests.serve.serving import wait_for

SIZES: dict[str, Any] = {"num_colors": 1, "num_ranks": 5, "hand_size": 2, "max_info_tokens": 3, "max_life_tokens": 3}


@pytest.mark.parametrize(
    ("app", "players", "seats"),
    [("sqlite", 2, [1]), ("sqlite", 3, [0, 2]), ("postgresql", 3, [0, 2])],
    indirect=["app"],
)
def test_every_message_of_a_test_game_is_what_jaxmarl_says_of_the_same_game(
    app: Host, keys: Keys, players: int, seats: list[int]
) -> None:
    chosen = "".join(f"&candidate_positions={seat}" for seat in seats)
    game = Game(app, f"/play-random-agent?num_players={players}{chosen}&test_submission_key={keys.test}")
    names = [f"agent_{seat}" for seat in seats]
    id = game.first["info"].pop("game_id")
    assert game.first["info"] == {"num_players": players, "candidate_controlling": names, "is_debug": True}
    game.first["info"]["game_id"] = id
    said = game.play(lambda legal: max(n for n, one in enumerate(legal) if one))
    record = record_of(app, game)

    env = jaxmarl.HanabiEnv(num_agents=players, **SIZES)
    observations, state = env.reset(jax.random.wrap_key_data(jnp.asarray(as_key(record.seed))))
    assert len(said) == len(record.actions) + 1
    for turn, message in enumerate(said):
        legal = env.get_legal_moves(state)
        for name in names:
            np.testing.assert_array_equal(np.asarray(message[name]["obs"], np.float32), observations[name])
            if not message.get("done"):
                np.testing.assert_array_equal(message[name]["legal_moves"], legal[name])
        if turn:
            assert message["score"] == int(env.game.score(state))
            assert message["done"] == (turn == len(record.actions))
        if turn < len(record.actions):
            (action,) = unpack(record.actions[turn])
            observations, state, *_ = env.step_env(
                jax.random.key(0), state, {name: jnp.asarray(action) for name in env.agents}
            )


def test_news_of_earlier_games_are_not_taken_for_the_next_one(app: Host, keys: Keys, monkeypatch: Any) -> None:
    """Scores of a configuration may be told just when a connection waits for its game."""
    opened = app.server.engine.open

    def open_late(session: Any) -> None:
        session.deliver([{"type": "finished", "configurations": ["small"]}])
        opened(session)

    monkeypatch.setattr(app.server.engine, "open", open_late)
    game = next_game(app, keys.evaluation)
    assert "info" in game.first, game.first
    game.close()


@pytest.mark.parametrize("app", DATABASES, indirect=True)
def test_official_games_are_played_to_the_end_of_the_attempt_and_scored(app: Host, keys: Keys) -> None:
    assert app.info(keys.evaluation).json() == {"current_env": None, "all_envs": [], "human_ai_eval_done": False}
    scores, seen = [], []
    while not app.info(keys.evaluation).json()["human_ai_eval_done"]:
        game = next_game(app, keys.evaluation)
        assert "info" in game.first, (game.first, app.log.getvalue()[-4000:])
        now = app.info(keys.evaluation).json()
        assert now["current_env"]["status"] == "ACTIVE"
        assert now["current_env"]["candidate_controlling"] == game.first["info"]["candidate_controlling"]
        assert not game.first["info"]["is_debug"]
        scores.append(game.play(first)[-1]["score"])
        seen.append(game.first["info"]["game_id"])
    wait_for(lambda: all(one["score"] is not None for one in app.info(keys.evaluation).json()["all_envs"]))
    info = app.info(keys.evaluation).json()
    assert [one["score"] for one in info["all_envs"]] == scores
    assert [one["num_players"] for one in info["all_envs"]] == [2, 2, 2, 3]
    assert len(set(seen)) == 4
    assert "spent" in next_game(app, keys.evaluation).first["error_details"]
    with app.server.database.read() as transaction:
        table = transaction.get(Table, f"{seen[0]:016x}")
        assert table is not None
        results = transaction.query(Result).filter(Result.attempt_id == table.attempt_id).all()
    assert {one.configuration: one.mean for one in results} == {"small": np.mean(scores[:3]), "three": scores[3]}


def test_games_that_wait_for_the_host_are_told_and_played_when_they_are_released(app: Host, keys: Keys) -> None:
    first_game = next_game(app, keys.evaluation)
    first_game.play(first)
    waiting = Table.status == "todo", Table.attempt_id == _attempt_of(app, first_game)
    with app.server.database.write() as transaction:
        transaction.execute(update(Table).where(*waiting).values(status="stuck"))
    told = next_game(app, keys.evaluation)
    assert "3 games wait for the host" in told.first["error_details"]
    told.close()
    assert rescue.release(app.server.database, "small") == 3
    next_game(app, keys.evaluation).play(first)


def _attempt_of(app: Host, game: Game) -> str:
    with app.server.database.read() as transaction:
        return transaction.get_one(Table, f"{game.first['info']['game_id']:016x}").attempt_id


def test_scores_in_the_listing_wait_for_the_end_of_their_configuration(app: Host, keys: Keys) -> None:
    next_game(app, keys.evaluation).play(first)
    listed = app.info(keys.evaluation).json()["all_envs"]
    assert [(one["status"], one["score"]) for one in listed][:2] == [("DONE", None), ("TODO", None)]


def test_the_next_connection_goes_on_with_a_game_that_was_dropped(app: Host, keys: Keys) -> None:
    game = next_game(app, keys.evaluation)
    last = game.first
    for _ in range(2):
        last = game.step(
            {name: first(last[name]["legal_moves"]) for name in game.first["info"]["candidate_controlling"]}
        )
    while last[game.first["info"]["candidate_controlling"][0]]["legal_moves"][-1]:  # until it is our turn
        last = game.step({name: len(last[name]["legal_moves"]) - 1 for name in last if name.startswith("agent")})
    game.close()
    again = next_game(app, keys.evaluation)
    assert again.first["info"] == game.first["info"]
    (name,) = again.first["info"]["candidate_controlling"]
    assert again.first[name] == last[name]
    assert again.play(first)[-1]["done"]


def test_connections_of_one_key_play_different_games(app: Host, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FREE_TRIES", 1)
    monkeypatch.setattr(connection, "FREE_SECONDS", 0.0)
    games = [next_game(app, keys.evaluation) for _ in range(4)]
    assert len({game.first["info"]["game_id"] for game in games}) == 4
    assert "another connection" in next_game(app, keys.evaluation).first["error_details"]
    for game in games:
        game.close()


def test_an_illegal_action_is_refused_and_the_third_forfeits(app: Host, keys: Keys) -> None:
    game = Game(app, f"/play-random-agent?num_players=2&candidate_positions=0&test_submission_key={keys.test}")
    noop = len(game.first["agent_0"]["legal_moves"]) - 1
    assert "not a legal action" in game.step({"agent_0": noop})["error_details"]
    assert "agent_0 is on turn" in game.step({"agent_1": 0})["error_details"]
    legal = first(game.first["agent_0"]["legal_moves"])
    after = game.step({"agent_0": legal})
    while after["agent_0"]["legal_moves"][-1]:
        after = game.step({"agent_0": noop})
    for action in (10**30, "5"):
        assert "not a legal action" in game.step({"agent_0": action})["error_details"]
    assert game.step({"agent_0": legal}) == after | {"done": True, "score": 0}
    game.close()
    assert record_of(app, game).status == "forfeit"


def test_a_game_that_fails_through_the_server_is_told_and_the_next_begins_with_its_connection(
    app: Host, keys: Keys
) -> None:
    game = next_game(app, keys.evaluation)
    tables = app.server.engine.tables
    live = tables.live[f"{game.first['info']['game_id']:016x}"]
    app.server.engine.submit(Command(lambda round: tables.failed(round, live, "a partner broke")))
    name, *_ = game.first["info"]["candidate_controlling"]
    while "error_details" not in (said := game.step({name: 0})):
        pass  # turns that were over before
    assert "does not count" in said["error_details"]
    game.close()
    with app.server.database.read() as transaction:
        query = (
            select(Table.status, Table.deal).where(Table.attempt_id == live.dealt.terms.attempt).order_by(Table.number)
        )
        (void, deal), *others, again = transaction.execute(query).all()
    assert void == "void"
    assert again == ("todo", deal)
    assert {status for status, _ in others} == {"todo"}  # no clock runs for a game that nobody has seen
    assert next_game(app, keys.evaluation).play(first)[-1]["done"]


@pytest.mark.parametrize("text", ["", "[", "5", "null", "[0]", '"agent_0"', "[" * 40_000])
def test_what_is_no_object_is_refused_and_the_game_goes_on(app: Host, keys: Keys, text: str) -> None:
    game = next_game(app, keys.test)
    game.socket.send(text)
    assert "JSON object" in game.receive()["error_details"]
    name, *_ = game.first["info"]["candidate_controlling"]
    assert "done" in game.step({name: first(game.first[name]["legal_moves"])})
    game.close()


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("/play-next?submission_key=nope", "not known"),
        ("/play-next", "no key"),
        ("/play-random-agent?num_players=2&candidate_positions=0&test_submission_key={eval}", "not a test key"),
        ("/play-random-agent?num_players=9&candidate_positions=0&test_submission_key={test}", "2 or 3 players"),
        ("/play-random-agent?num_players=2&test_submission_key={test}", "candidate_positions = []"),
        ("/play-random-agent?num_players=2&candidate_positions=2&test_submission_key={test}", "seats of 0 to 1"),
        ("/play-random-agent?num_players=2&candidate_positions=x&test_submission_key={test}", "seats of 0 to 1"),
        (
            "/play-random-agent?num_players=2&candidate_positions=0&candidate_positions=1&test_submission_key={test}",
            "leave one to others",
        ),
    ],
)
def test_refusals_come_as_the_second_message_where_the_client_reads_them(
    app: Host, keys: Keys, address: str, text: str
) -> None:
    game = Game(app, address.format(eval=keys.evaluation, test=keys.test))
    assert set(game.first) == {"error_details"}
    assert text in game.first["error_details"]
    game.close()


def test_the_listing_of_an_unknown_key_cannot_be_read_as_nothing_played_yet(app: Host) -> None:
    answer = app.info("nope")
    assert answer.status_code == 401
    assert not isinstance(answer.json()["all_envs"], list)


def test_a_test_game_that_was_left_ends(app: Host, keys: Keys) -> None:
    game = Game(app, f"/play-random-agent?num_players=2&candidate_positions=0&test_submission_key={keys.test}")
    game.close()
    id = f"{game.first['info']['game_id']:016x}"

    def status() -> tuple[str, str]:
        with app.server.database.read() as transaction:
            table = transaction.get(Table, id)
            assert table is not None
            attempt = transaction.get(Attempt, table.attempt_id)
            assert attempt is not None
            return table.status, attempt.status

    wait_for(lambda: status() == ("cut", "partial"))


def test_keys_are_in_these_addresses_and_in_no_log(app: Host, keys: Keys) -> None:
    app.info(keys.test)
    next_game(app, keys.test).close()
    assert "connection open" in app.log.getvalue()
    assert "coplay_" not in app.log.getvalue()
