"""The server as programs and attackers meet it: over HTTP and WebSocket."""

from __future__ import annotations

import json
import random
import socket as standard_socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import coplay_client
import httpx
import pytest
from starlette.requests import HTTPConnection
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from coplay.challenge.errors import ChallengeError
from coplay.cli import app
from coplay.serve.http.guard import BAD_KEYS, MOST_BUCKETS, Guard, address_of
from coplay.serve.http.run import named_proxies, run_server
from coplay.serve.http.server import Settings, create_app
from coplay.serve.http.socket import LARGEST, PATIENCE
from coplay.serve.ledger.hosting import host
from coplay.serve.store.database import open_database
from tests.serve.harness import rules
from tests.serve.serving import serving
from tests.serve.timing import HandMoved


@pytest.fixture(scope="module")
def server(module_url: str) -> Iterator[str]:
    """A running server with the small challenge; yields its address."""
    database = open_database(module_url)
    with database.write() as transaction:
        host.new_challenge(transaction, "small", rules(games=3))
        host.open_challenge(transaction, "small")
    database.close()
    with serving(create_app(Settings(module_url, sign_ups_per_hour=400, requests_per_minute=100_000))) as port:
        yield f"http://127.0.0.1:{port}"


def _register(server: str, name: str) -> dict:
    body = {"name": name, "method": "m", "contact": "c", "human_data": "none"}
    return httpx.post(f"{server}/v1/challenges/small/register", json=body).json()


def _socket(server: str, key: str | None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return connect(server.replace("http", "ws") + "/v1/socket", additional_headers=headers)


def test_health_and_metrics(server: str) -> None:
    assert httpx.get(f"{server}/healthz").json()["status"] == "ok"
    assert "coplay_tables" in httpx.get(f"{server}/metrics").text


def test_keys_are_checked_before_anything_else(server: str) -> None:
    keys = _register(server, "keys")
    assert httpx.get(f"{server}/v1/me").status_code == 401
    for key in ("x", keys["test_key"][:-1], keys["test_key"].upper()):
        answer = httpx.get(f"{server}/v1/me", headers={"Authorization": f"Bearer {key}"})
        assert (answer.status_code, answer.json()["code"]) == (401, "bad_key")
    with pytest.raises(InvalidStatus) as refused, _socket(server, "nonsense"):
        pass
    assert refused.value.response.status_code == 401


def test_an_entrant_changes_its_key_and_the_old_one_ends_at_once(server: str) -> None:
    keys = _register(server, "rotates")
    old = keys["evaluation_key"]
    with _socket(server, old) as wire:
        wire.send(json.dumps({"type": "hello", "version": 1, "parallel": 1}))
        attempt = json.loads(wire.recv())["attempt"]
        while (turns := json.loads(wire.recv()))["type"] != "turns":
            pass
        new = coplay_client.rotate_key(old, server)
        wire.send(json.dumps({"type": "act", "game": turns["game"], "turn": turns["turn"], "action": [0]}))
        while (told := json.loads(wire.recv()))["type"] == "turns":
            pass
        assert told["code"] == "revoked"
        with pytest.raises(ConnectionClosed):
            wire.recv()
    assert httpx.get(f"{server}/v1/me", headers={"Authorization": f"Bearer {old}"}).json()["code"] == "revoked"
    with _socket(server, new) as wire:
        wire.send(json.dumps({"type": "hello", "version": 1, "take": "one"}))
        welcome = json.loads(wire.recv())
        assert (welcome["attempt"], welcome["kind"]) == (attempt, "eval")
    games = httpx.get(f"{server}/v1/attempts/{attempt}/games", headers={"Authorization": f"Bearer {new}"}).json()
    turn = next(game["turn"] for game in games if game["number"] == turns["game"][0])
    assert turn == turns["turn"][0]  # the move of the old key was not played
    with pytest.raises(coplay_client.Refused, match="was revoked"):
        coplay_client.rotate_key(old, server)
    assert httpx.get(f"{server}/v1/me", headers={"Authorization": f"Bearer {keys['test_key']}"}).status_code == 200
    done = CliRunner().invoke(app, ["keys", "rotate", "--key", keys["test_key"], "--url", server])
    assert done.stdout.startswith("coplay_test_")
    assert done.stdout.strip() != keys["test_key"]


def test_a_key_in_the_address_is_no_key(server: str) -> None:
    key = _register(server, "query")["test_key"]
    assert httpx.get(f"{server}/v1/me", params={"key": key}).status_code == 401
    with _socket(server, None) as wire:
        wire.send(json.dumps({"type": "hello", "version": 1, "key": key}))
        assert json.loads(wire.recv())["code"] == "no_key"


def test_a_name_is_taken_once_and_markup_in_it_stays_text(server: str) -> None:
    name = "<script>alert(1)</script>"
    assert _register(server, name)["status"] == "approved"
    assert _register(server, name)["code"] == "taken"


def test_a_name_that_looks_like_another_is_refused(server: str) -> None:
    assert _register(server, "Rainbow One")["status"] == "approved"
    for name in ("rainbow  one", "Rainbow-0ne", "R\u0430inbow One", "Ra\u0131nb\u03bfw One"):
        said = _register(server, name)
        assert said["code"] == "taken", name
        assert "'Rainbow One'" in said["message"]
    assert _register(server, "\u3164")["code"] == "bad_field"


def test_of_two_alike_who_register_at_once_one_is_there(server: str) -> None:
    names = ["Twin", "TWIN", "twin", "Tw1n", "Tw\u0456n", "T win"]
    with ThreadPoolExecutor(len(names)) as pool:
        said = list(pool.map(lambda name: _register(server, name), names))
    assert sorted(one.get("code", "") for one in said) == ["", *["taken"] * 5]


def test_a_draft_is_not_there_for_visitors(server: str, module_url: str) -> None:
    database = open_database(module_url)
    with database.write() as transaction:
        host.new_challenge(transaction, "secret-plan", rules(games=3))
    database.close()
    body = {"name": "n", "method": "m", "contact": "c", "human_data": "none"}
    for path in ("", "/board", "/register"):
        asked = [
            httpx.post(f"{server}/v1/challenges/{name}{path}", json=body)
            if path == "/register"
            else httpx.get(f"{server}/v1/challenges/{name}{path}")
            for name in ("secret-plan", "nowhere-at-all")
        ]
        assert [one.status_code for one in asked] == [404, 404]
        assert asked[0].text.replace("secret-plan", "nowhere-at-all") == asked[1].text
        assert "secret-plan" not in asked[1].text
    assert "secret-plan" not in httpx.get(f"{server}/v1/challenges").text


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"name": 1}', b"[" * 20_000, b'{"name": "' + b"x" * 70_000 + b'"}', b"\xff\xfe"],
    ids=lambda body: repr(body[:12]),
)
def test_bodies_that_are_no_registration_are_refused(server: str, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server}/v1/challenges/small/register", content=body, headers=headers)
    assert answer.status_code in (400, 413, 422)
    assert set(answer.json()) == {"code", "message"}


def test_a_request_that_is_no_registration_is_told_what_it_lacks(server: str) -> None:
    body = {"name": "", "method": "m", "contact": "c"}
    answer = httpx.post(f"{server}/v1/challenges/small/register", json=body).json()
    assert answer["code"] == "malformed"
    assert "name: String should have at least 1 character; human_data: Field required" in answer["message"]


def test_a_first_message_that_is_no_hello_is_refused(server: str) -> None:
    key = _register(server, "hello")["test_key"]
    wrong = ["", "x", "[]", "{}", '{"type": 5}', '{"type": "act"}', '{"type": "hello"}', '{"type":"hello","version":2}']
    hello = {"type": "hello", "version": 1}
    wrong += [json.dumps(hello | more) for more in ({"parallel": 0}, {"parallel": True}, {"games": "x"}, {"want": "x"})]
    wrong += [json.dumps(hello | more) for more in ({"turns": "x"}, {"take": 1}, {"configurations": "2p"})]
    for text in wrong:
        with _socket(server, key) as wire:
            wire.send(text)
            assert json.loads(wire.recv())["type"] == "error"
            with pytest.raises(ConnectionClosed):
                wire.recv()


@pytest.mark.parametrize("kind", ["test_key", "evaluation_key"])
def test_a_connection_that_broke_before_it_heard_of_the_end_hears_of_it(server: str, kind: str) -> None:
    from coplay_client import EvaluationSpace

    keys, hello = _register(server, f"end {kind}"), {"type": "hello", "version": 1}
    with EvaluationSpace(keys[kind], server, games=1 if kind == "test_key" else None) as space:
        for batch in space:
            batch.act(batch.legal.argmax(1))
        attempt = space.welcome["attempt"]
    with _socket(server, keys[kind]) as wire:
        wire.send(json.dumps(hello | {"attempt": attempt}))
        welcome = json.loads(wire.recv())
        assert (welcome["attempt"], welcome["status"]) == (attempt, "finished")
        wire.send(json.dumps({"type": "act", "game": [0], "turn": [0], "action": [0]}))
        assert {json.loads(wire.recv())["type"] for _ in range(2)} == {"finished", "over"}
    for key, named in ((_register(server, f"other {kind}")[kind], attempt), (keys[kind], "nonsense"), (keys[kind], 5)):
        with _socket(server, key) as wire:
            wire.send(json.dumps(hello | {"attempt": named}))
            assert json.loads(wire.recv())["status"] in (404, 422)


def test_a_flood_of_nonsense_closes_its_connection_and_harms_no_other(server: str) -> None:
    good, bad = _register(server, "good")["test_key"], _register(server, "bad")["test_key"]
    rng = random.Random(0)
    with _socket(server, good) as player:
        player.send(json.dumps({"type": "hello", "version": 1, "games": 1}))
        assert json.loads(player.recv())["type"] == "welcome"
        while (message := json.loads(player.recv(timeout=600)))["type"] == "preparing":
            pass
        assert message["type"] == "turns"
        with _socket(server, bad) as flood:
            flood.send(json.dumps({"type": "hello", "version": 1, "games": 1}))
            with pytest.raises(ConnectionClosed):
                _flood(flood, [_nonsense(rng) for _ in range(200)])
        with _socket(server, bad) as flood, pytest.raises(ConnectionClosed):
            _flood(flood, ["x" * (LARGEST + 1)] * 3)
        player.send(json.dumps({"type": "act", "game": [0], "turn": [-1], "action": [0]}))
        assert json.loads(player.recv(timeout=600))["code"] == "conflict"


def test_the_last_message_before_a_connection_is_closed_says_why(server: str) -> None:
    with _socket(server, _register(server, "why")["test_key"]) as wire:
        wire.send(json.dumps({"type": "hello", "version": 1, "games": 1}))
        for _ in range(PATIENCE):
            wire.send("nonsense")
        heard: list[dict] = []
        with pytest.raises(ConnectionClosed):
            heard.extend(map(json.loads, wire))
    assert heard[-1]["code"] == "malformed"


def _flood(wire, messages: list[str]) -> None:
    for message in messages:
        wire.send(message)
        wire.recv(timeout=600)


def _nonsense(rng: random.Random) -> str:
    values = [None, True, 1e308, -1, 10**40, "", "\0", [], {}, [[]], {"type": "act"}, "hello", float("nan")]
    message = {rng.choice(["type", "game", "turn", "action", "seat", "x"]): rng.choice(values) for _ in range(3)}
    return rng.choice(
        [json.dumps(message), "[" * rng.randrange(5000), '{"type":', "\ud83d".encode("utf-16", "surrogatepass").hex()]
    )


def test_requests_beyond_the_rate_wait_by_address_and_by_key() -> None:
    guard = Guard(requests_per_minute=60, sign_ups_per_hour=2)
    waits = [guard.wait("sign up", "a") for _ in range(3)]
    assert waits[:2] == [0, 0]
    assert 1700 < waits[2] <= 1800
    assert guard.wait("sign up", "b") == 0
    assert [guard.wait_for_both("sign up", who, "key") > 0 for who in ("c", "d", "e")] == [False, False, True]


def test_an_address_that_a_client_writes_itself_gets_no_limit_of_its_own(url: str) -> None:
    """Sixty sign-ups past a limit of twenty, each with another address in front of what the proxy adds."""
    database = open_database(url)
    with database.write() as transaction:
        host.new_challenge(transaction, "small", rules())
        host.open_challenge(transaction, "small")
    database.close()
    with serving(create_app(Settings(url)), forwarded_allow_ips=named_proxies("127.0.0.1,10.0.0.7")) as port:
        said = []
        for number in range(25):
            body = {"name": f"{number} of a flood", "method": "m", "contact": "c", "human_data": "none"}
            headers = {"X-Forwarded-For": f"6.6.6.{number}, 9.9.9.9, 10.0.0.7"}
            path = f"http://127.0.0.1:{port}/v1/challenges/small/register"
            said.append(httpx.post(path, json=body, headers=headers).status_code)
    assert said == [201] * 20 + [429] * 5


@pytest.mark.parametrize("everybody", ["*", "0.0.0.0/0", "::/0", "localhost"])
def test_a_proxy_is_named_by_its_address(everybody: str, tmp_path: Path) -> None:
    with pytest.raises(ChallengeError, match="--proxy"):
        run_server(str(tmp_path / "coplay.db"), "127.0.0.1", 8000, workers=1, tls=False, proxies=everybody)
    assert not list(tmp_path.iterdir())


def test_wrong_keys_are_limited_by_address(url: str) -> None:
    """1,500 of them came through the socket in three seconds."""
    timing = HandMoved()
    with serving(create_app(Settings(url), timing)) as port:
        address = f"http://127.0.0.1:{port}"

        def socket_says() -> int:
            with pytest.raises(InvalidStatus) as refused, _socket(address, "coplay_eval_wrong"):
                pass
            return refused.value.response.status_code

        def request_says() -> int:
            return httpx.get(f"{address}/v1/me", headers={"Authorization": "Bearer coplay_wrong"}).status_code

        assert [socket_says() for _ in range(BAD_KEYS - 1)] == [401] * (BAD_KEYS - 1)
        assert [request_says(), request_says(), socket_says()] == [401, 429, 429]
        timing.advance(61 / BAD_KEYS * 1)
        assert [socket_says(), request_says()] == [401, 429]


def test_the_addresses_of_one_line_count_as_one() -> None:
    def seen(host: str) -> str:
        return address_of(HTTPConnection({"type": "http", "client": (host, 1)}))

    assert seen("2001:db8:1:2::a") == seen("2001:db8:1:2:ffff::b") != seen("2001:db8:1:3::a")
    assert seen("::ffff:9.9.9.9") == seen("9.9.9.9") == "9.9.9.9"


def test_who_sprays_keys_gets_no_new_limit() -> None:
    guard = Guard(requests_per_minute=60, sign_ups_per_hour=2, timing=HandMoved())
    assert [guard.wait("sign up", "a") > 0 for _ in range(3)] == [False, False, True]
    for number in range(2 * MOST_BUCKETS):
        guard.wait("request", str(number))
    assert guard.wait("sign up", "a") > 0


def test_too_many_requests_and_connections_are_told_when_to_come_again(url: str) -> None:
    app = create_app(Settings(url, sign_ups_per_hour=1, requests_per_minute=1))
    with serving(app) as port:
        address = f"http://127.0.0.1:{port}"
        answers = [httpx.get(f"{address}/v1/challenges") for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 429]
        assert 1 <= int(answers[1].headers["Retry-After"]) <= 60
        with pytest.raises(InvalidStatus) as refused, _socket(address, None):
            pass
        assert refused.value.response.status_code == 429
        assert 1 <= int(refused.value.response.headers["Retry-After"]) <= 60
        assert httpx.get(f"{address}/healthz").status_code == 200


def test_nothing_that_can_be_written_is_a_score(server: str) -> None:
    """Whatever else can be sent is a move, an answer to a forecast, words about oneself, a wish for another key, or, of
    the host alone, for a pause."""
    paths = httpx.get(f"{server}/openapi.json").json()["paths"]
    writing = {(verb, path) for path, verbs in paths.items() for verb in verbs if verb != "get"}
    assert writing == {
        ("post", "/v1/challenges/{challenge}/register"),
        ("post", "/v1/prediction"),
        ("post", "/v1/keys/rotate"),
        ("post", "/v1/drain"),
    }
    assert httpx.post(f"{server}/v1/drain", json={"on": True, "reason": "because"}).status_code == 401
    for verb in ("POST", "PUT", "PATCH", "DELETE"):
        for path in ("/v1/challenges/small/board", "/v1/me", "/v1/attempts/x/games"):
            assert httpx.request(verb, f"{server}{path}", json={"mean": 25}).status_code == 405


def test_the_openapi_description_is_kept_under_random_requests(server: str) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, given, settings

    schema = schemathesis.openapi.from_url(f"{server}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) >= 8
    for operation in operations:

        @settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
        @given(case=operation.as_strategy())
        def send(case: Any) -> None:
            answer = case.call(timeout=600)
            assert answer.status_code < 500, (case.path, answer.text)

        send()


def test_a_port_that_is_taken_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with standard_socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ChallengeError, match=rf"127\.0\.0\.1, port {port} .*--port"):
            run_server(str(tmp_path / "coplay.db"), "127.0.0.1", port, workers=1, tls=False)
    assert not list(tmp_path.iterdir())
