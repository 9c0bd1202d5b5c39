"""The AH2AC2 addresses, with a client that does what the official one does: it reads the messages in the same order,
looks at the same fields and knows nothing else. The last tests take the official client where it is installed."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import logging.config
import os
import re
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("fastapi")

import httpx
from sqlalchemy import select, update
from websockets.sync.client import connect

from coplay.adapters import ah2ac2_server, jaxmarl
from coplay.adapters.ah2ac2_server import connection
from coplay.challenge.batches import as_key
from coplay.challenge.log import unpack
from coplay.challenge.outcome.scoring import Record
from coplay.challenge.outcome.verify import read_export, verify_export
from coplay.challenge.rules import DEMO, read_rules
from coplay.serve.engine.arrivals import Command
from coplay.serve.http.logs import logging_settings
from coplay.serve.http.run import self_signed
from coplay.serve.http.server import Server, Settings, create_app
from coplay.serve.ledger.hosting import host, rescue
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from coplay.serve.ledger.hosting.host import Keys
from coplay.serve.ledger.results import records
from coplay.serve.store.models import Attempt, Result, Table
from tests.conftest import DATABASES, new_database
from tests.serve.serving import PATIENCE, serving, wait_for

_numbers = itertools.count()

RULES = """
title = "AH2AC2"
answer_floor = 0
auto_approve = true
[[configuration]]
name = "small"
game = "hanabi-very-small"
settings = { life_tokens = 3 }
players = 2
games = 3
partners = ["random"]
[[configuration]]
name = "three"
game = "hanabi-very-small"
settings = { life_tokens = 3 }
players = 3
games = 1
partners = ["random"]
seatings = [[0, 2]]
"""
SIZES: dict[str, Any] = {"num_colors": 1, "num_ranks": 5, "hand_size": 2, "max_info_tokens": 3, "max_life_tokens": 3}


class Host(NamedTuple):
    """A running server."""

    base: str  # as in AH2AC2_EVALUATION_BASE_URL
    certificate: Path
    server: Server
    log: io.StringIO

    def info(self, key: str) -> httpx.Response:
        return httpx.get(f"https://{self.base}/evaluation-info/{key}", verify=self.trust)

    @property
    def trust(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.certificate))
        # The client of these tests reads and writes in two threads; in TLS 1.3 tickets arrive while it writes its
        # first request, and on Python 3.11 one connection in 2,000 then waits for ever.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        return context


@contextmanager
def hosting(database: str, folder: Path, log: io.StringIO) -> Iterator[Host]:
    """A server behind TLS, as the client wants it."""
    made = create_app(Settings(database, requests_per_minute=100_000))
    ah2ac2_server.install(made)
    certificate, key = self_signed(folder / "tls")
    tls = {"ssl_certfile": certificate, "ssl_keyfile": key}
    with serving(made, **tls, access_log=False, log_config=None, log_level=None) as port:
        with made.state.server.database.write() as transaction:
            host.new_challenge(transaction, "small", RULES)
            host.open_challenge(transaction, "small")
        yield Host(f"localhost:{port}", certificate, made.state.server, log)


@pytest.fixture(scope="module")
def log() -> Iterator[io.StringIO]:
    """What the servers say, with the logging of `coplay serve`."""
    stream, logs = io.StringIO(), logging_settings()
    logs["handlers"]["stderr"]["stream"] = stream
    logging.config.dictConfig(logs)
    yield stream
    for name in logs["loggers"]:
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True


@pytest.fixture(scope="module")
def sqlite_app(tmp_path_factory: pytest.TempPathFactory, log: io.StringIO) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("ah2ac2")
    with hosting(f"sqlite:///{folder}/coplay.db", folder, log) as running:
        yield running


@pytest.fixture(scope="module")
def postgresql_app(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, log: io.StringIO
) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("ah2ac2")
    with hosting(new_database(request, folder, "postgresql"), folder, log) as running:
        yield running


@pytest.fixture
def app(request: pytest.FixtureRequest) -> Host:
    """On SQLite, unless a test wants both kinds of database."""
    return request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_app")


@pytest.fixture
def keys(app: Host) -> Keys:
    """Those of a new entrant."""
    with app.server.database.write() as transaction:
        _, found = host.register(transaction, "small", f"entrant {next(_numbers)}", "m", "c", "none")
    assert found is not None
    return found


class Game:
    """One game as the official client holds it."""

    def __init__(self, app: Host, address: str) -> None:
        self.socket = connect(f"wss://{app.base}{address}", ssl=app.trust, open_timeout=60, ping_timeout=PATIENCE)
        self.socket.recv()  # the handshake, thrown away unread
        self.first = self.receive()

    def receive(self) -> dict[str, Any]:
        return json.loads(self.socket.recv(PATIENCE))

    def step(self, actions: Any) -> dict[str, Any]:
        self.socket.send(json.dumps(actions))
        return self.receive()

    def close(self) -> None:
        try:
            self.socket.close()
        except RuntimeError as error:  # CPython 3.11, seldom: a thread ends while two others look whether it has
            if "unlocked lock" not in str(error):
                raise

    def play(self, choose: Callable[[list[int]], int]) -> list[dict[str, Any]]:
        """Every message, to the end of the game."""
        said = [self.first]
        while not said[-1].get("done"):
            mine = self.first["info"]["candidate_controlling"]
            said.append(self.step({name: choose(said[-1][name]["legal_moves"]) for name in mine}))
            assert set(said[-1]) == {*mine, "done", "score"}
        self.close()
        return said


def first(legal: list[int]) -> int:
    return legal.index(1)


def next_game(app: Host, key: str) -> Game:
    return Game(app, f"/play-next?submission_key={key}")


def record_of(app: Host, game: Game) -> Record:
    id = f"{game.first['info']['game_id']:016x}"
    with app.server.database.read() as transaction:
        table = transaction.get(Table, id)
        assert table is not None
        return next(one for one in records(transaction, table.attempt_id) if one.id == id)


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


# The cases of AH2AC2: 4 with two players, 18 with three

HABITS = Path(__file__).parents[1] / "own" / "habits.py"
CASES = {"2p": 4, "3p": 18}
SMALL = 'game = "hanabi-very-small"\nsettings = { life_tokens = 3 }'


def demo_in_miniature() -> str:
    """The rules of the challenge of `coplay serve` with each of its cases once."""
    games, *_ = DEMO.read_text().split("[[prediction]]")  # that client asks for none
    for name, cases in CASES.items():
        games, changed = re.subn(rf'(name = "{name}"[^[]*)games = \d+', rf"\g<1>games = {cases}", games)
        assert changed == 1
    return games


def demo_with_habits() -> str:
    """The same with a game and partners that cost nothing, and answers that come at once."""
    text = demo_in_miniature().replace('game = "hanabi"', SMALL).replace("[clock]", "answer_floor = 0\n[clock]")
    text = re.sub(r"pool:hanabi-.p-proxy-(.)", lambda one: f"file:{HABITS}:Habit?plays={one[1] == '0'}", text)
    return re.sub("rehearsal = .*", 'rehearsal = ["random"]', text)


def enter(app: Host, id: str, text: str) -> str:
    """A new challenge and somebody's key for it."""
    with app.server.database.write() as transaction:
        host.new_challenge(transaction, id, text)
        host.open_challenge(transaction, id)
        _, found = host.register(transaction, id, "entrant", "m", "c", "none")
    assert found is not None
    return found.evaluation


def played_cases(app: Host, id: str, folder: Path) -> list[dict[str, Any]]:
    """The games of the challenge's one attempt as an export has them, when every case of AH2AC2 was played to its end
    and the export has been verified."""
    assert close_and_score(app.server.database, id) == 0  # nothing was cut off
    write_export(app.server.database, id, f"{folder}/{id}.gz")
    assert any("22 games drawn and replayed again, every score" in line for line in verify_export(f"{folder}/{id}.gz"))
    (attempt,) = read_export(f"{folder}/{id}.gz")["attempts"]
    assert (attempt["status"], {one["status"] for one in attempt["tables"]}) == ("finished", {"done"})
    rules = read_rules(read_export(f"{folder}/{id}.gz")["challenge"]["rules"])
    expected = Counter(
        (one.name, ",".join(map(str, seats)), company)
        for one in rules.configurations
        for count in range(1, one.make().players)
        for seats in itertools.combinations(range(one.make().players), count)
        for company in itertools.product(one.partners, repeat=one.make().players - count)
    )
    assert Counter(name for name, *_ in expected) == CASES
    played = [(one["configuration"], one["seats"], tuple(json.loads(one["partners"]))) for one in attempt["tables"]]
    assert Counter(played) == expected
    return attempt["tables"]


def test_every_case_of_ah2ac2_is_played_with_each_partner_in_its_own_seat(app: Host, tmp_path: Path) -> None:
    key = enter(app, "habits", demo_with_habits())
    scores = []
    while not app.info(key).json()["human_ai_eval_done"]:
        scores.append(next_game(app, key).play(first)[-1]["score"])
    wait_for(lambda: all(one["score"] is not None for one in app.info(key).json()["all_envs"]))
    assert [one["score"] for one in app.info(key).json()["all_envs"]] == scores
    for game in played_cases(app, "habits", tmp_path):
        players, mine = int(game["configuration"][0]), [int(seat) for seat in game["seats"].split(",")]
        others = [seat for seat in range(players) if seat not in mine]
        for seat, partner in zip(others, json.loads(game["partners"]), strict=True):
            moves = [unpack(one)[0] for one in game["actions"][seat::players]]
            assert moves
            assert {move == 2 for move in moves} == {partner.endswith("plays=True")}  # 2: play the first card


@pytest.fixture
def official(app: Host, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the official client. It is on GitHub (FLAIROx/ah2ac2) only: where it is not installed,
    COPLAY_AH2AC2_CLIENT names the folder that holds its package `ah2ac2`."""
    if folder := os.environ.get("COPLAY_AH2AC2_CLIENT"):
        monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("AH2AC2_EVALUATION_BASE_URL", app.base)
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, str(app.certificate))
    return pytest.importorskip("ah2ac2.evaluation.evaluation_space", reason="no official client: see the docstring")


async def play_official(environment: Any, choose: Callable[[list[int]], int] = first) -> Any:
    """One game as the example scripts of the official client play it."""
    observations, legal = await environment.reset()
    mine = environment.info.candidate_controlling
    done = False
    while not done:
        assert set(observations) == set(legal) == set(mine)
        actions = {name: choose(legal[name].tolist()) for name in mine}
        observations, _, done, legal = await environment.step(actions)
    return environment


def test_the_official_client_plays_test_and_official_games(app: Host, keys: Keys, official: Any) -> None:
    test = official.EvaluationSpace(keys.test)
    for players, seats in ((2, [1]), (3, [0, 2])):
        played = asyncio.run(play_official(test.new_test_environment(players, seats)))
        assert (played.info.num_players, played.info.is_debug) == (players, True)
    space, scores = official.EvaluationSpace(keys.evaluation), []
    while not space.info.human_ai_eval_done:
        scores.append(asyncio.run(play_official(space.next_environment())).score)
    wait_for(lambda: all(one.score is not None for one in space.info.all_envs))
    assert [one.score for one in space.info.all_envs] == scores

    async def one_more() -> None:
        environment = space.next_environment()
        with pytest.raises(RuntimeError, match="spent"):
            await environment.reset()
        await environment.connection.close()  # the client leaves it open

    asyncio.run(one_more())


def careful(legal: list[int]) -> int:
    """Of the demo's games: discards or else hints, and so loses no life."""
    return next(action for action in (*range(5), *range(10, len(legal))) if legal[action])


def test_the_official_client_plays_every_case_of_the_demo(app: Host, tmp_path: Path, official: Any) -> None:
    space, seated = official.EvaluationSpace(enter(app, "miniature", demo_in_miniature())), {}
    while not space.info.human_ai_eval_done:
        played = asyncio.run(play_official(space.next_environment(), careful))
        assert not played.info.is_debug
        seated[f"{played.info.game_id:016x}"] = played.info.candidate_controlling
    wait_for(lambda: all(one.score is not None for one in space.info.all_envs))
    games = played_cases(app, "miniature", tmp_path)
    assert seated == {one["id"]: [f"agent_{seat}" for seat in one["seats"].split(",")] for one in games}
