"""What `/openapi.json` says of requests and answers is what is sent."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

pytest.importorskip("coplay_client")

from coplay_client import EvaluationSpace, predict, register

from coplay.games import make
from coplay.rollouts.episode_file import save
from coplay.rollouts.play import play
from coplay.serve.http.run import new_admin_token
from coplay.serve.http.server import Settings, create_app
from coplay.serve.ledger.hosting import host
from coplay.serve.store.database import open_database
from tests.databases import ready_sqlite
from tests.serve.harness import rules
from tests.serve.serving import serving

FREE = {"settings", "progress"}  # objects whose names are the game's or the games'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("described")


@pytest.fixture(scope="module")
def database_url(folder: Path) -> str:
    ready_sqlite(folder / "a.db")
    return f"sqlite:///{folder}/a.db"


@pytest.fixture(scope="module")
def challenge(folder: Path, database_url: str) -> Iterator[str]:
    """A server with a challenge of games and of recorded games."""
    save(play(make("hanabi-very-small?life_tokens=9"), "random", 2, progress=False), folder / "games.npz")
    database = open_database(database_url)
    with database.write() as transaction:
        host.new_challenge(transaction, "foreseen", f'{rules(games=1)}\n[prediction]\ndata = "{folder}/games.npz"\n')
        host.open_challenge(transaction, "foreseen")
    database.close()
    with serving(create_app(Settings(database_url))) as port:
        yield f"http://127.0.0.1:{port}"


def _answers(api: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The description of the good answer to each request, as JSON."""
    found = {}
    for path, verbs in api["paths"].items():
        for verb, operation in verbs.items():
            good = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
            if path != "/metrics":
                found[verb, path] = good["content"]["application/json"]["schema"]
    return found


def test_every_request_and_answer_has_a_type() -> None:
    api = create_app().openapi()
    bodies = api["components"]["schemas"]
    for operation, schema in _answers(api).items():
        (name,) = {part["$ref"].split("/")[-1] for part in (schema, schema.get("items", {})) if "$ref" in part}
        assert bodies[name]["type"] == "object", operation
    for name, body in bodies.items():
        for field, said in body.get("properties", {}).items():
            bare = said.get("type") == "object" or (said.get("type") == "array" and not said.get("items"))
            assert field in FREE or name.endswith("ValidationError") or not bare, (name, field)
    with_key = {path for path, verbs in api["paths"].items() for one in verbs.values() if "security" in one}
    assert with_key == {
        "/v1/me",
        "/v1/attempts/{attempt}/games",
        "/v1/keys/rotate",
        "/v1/drain",
        "/v1/prediction",
        "/v1/prediction/past",
    }


class Described:
    """Requests whose answers are held against the description."""

    def __init__(self, server: str) -> None:
        self.server, self.seen = server, set()
        self.api = httpx.get(f"{server}/openapi.json").json()
        self.answers = _answers(self.api)

    def ask(self, verb: str, path: str, key: str = "", body: Any = None, **names: str) -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        address = path.partition("?")[0]
        place = f"{self.server}{path.format(**names)}"
        answer = httpx.request(verb, place, headers=headers, json=body, timeout=600)
        assert answer.is_success, answer.text
        self.check(self.answers[verb, address], answer.text)
        self.seen.add((verb, address))
        return answer.json()

    def check(self, schema: dict[str, Any], text: str) -> None:
        jsonschema = pytest.importorskip("jsonschema_rs")
        whole = schema | {"components": self.api["components"]}
        jsonschema.validate(whole, json.loads(text))


def test_every_answer_is_as_the_description_says(challenge: str, database_url: str) -> None:
    keys = register(challenge, "foreseen", name="described", method="m", contact="c", human_data="none")
    key, test = keys.evaluation, keys.test
    with EvaluationSpace(key, challenge, progress=False) as space:
        for batch in space:
            batch.act(np.where(batch.legal, 1, -1).argmax(1))
    asked = Described(challenge)
    asked.ask("get", "/v1/prediction?seats=all", key)
    predict(key, lambda decisions: decisions.legal / decisions.legal.sum(1, keepdims=True), challenge)
    asked.ask("get", "/v1/prediction", key)
    asked.ask("get", "/v1/prediction/past?turn=1", key)
    me = asked.ask("get", "/v1/me", key)
    assert {one["configuration"] for one in me["attempts"][0]["results"]} == {"small", "prediction 2p"}
    asked.ask("get", "/v1/attempts/{attempt}/games", key, attempt=me["attempts"][0]["id"])
    body = {"name": "more", "method": "m", "contact": "c", "human_data": "none"}
    entered = asked.ask("post", "/v1/challenges/{challenge}/register", body=body, challenge="foreseen")
    first = asked.ask("get", "/v1/prediction?limit=1", entered["evaluation_key"])
    answer = {"game": first["game"], "turn": first["turn"], "probabilities": _ones(first["actions"])}
    asked.ask("post", "/v1/prediction", entered["evaluation_key"], answer)
    asked.ask("post", "/v1/keys/rotate", test)
    for path in ("/healthz", "/v1/challenges", "/v1/challenges/{challenge}", "/v1/challenges/{challenge}/board"):
        asked.ask("get", path, challenge="foreseen")
    database = open_database(database_url)
    admin = new_admin_token(database)
    with database.write() as transaction:
        host.pause_challenge(transaction, "foreseen")
        host.close_challenge(transaction, "foreseen")
    database.close()
    asked.ask("post", "/v1/drain", admin, {"on": False, "reason": "nothing runs"})
    closed = asked.ask("get", "/v1/challenges/{challenge}", challenge="foreseen")
    assert closed["rules"]["configurations"][0]["partners"] == ["random"]
    asked.ask("get", "/v1/challenges/{challenge}/board", challenge="foreseen")
    assert asked.seen == set(asked.answers)
    refused = httpx.get(f"{challenge}/v1/me", headers={"Authorization": f"Bearer {test}"})
    said = asked.api["paths"]["/v1/me"]["get"]["responses"]["401"]["content"]["application/json"]["schema"]
    asked.check(said, refused.text)


def _ones(actions: int) -> str:
    return base64.b64encode(np.ones(actions, "<f4").tobytes()).decode()
