"""The requests of protocol v1 that are not games; the OpenAPI description is made from these."""

from __future__ import annotations

import base64
import dataclasses
import json
import time
from datetime import datetime
from typing import Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import PlainTextResponse
from fastapi.security import HTTPBearer
from sqlalchemy import select, text
from sqlalchemy.exc import SQLAlchemyError

from coplay import __version__
from coplay.challenge.errors import ChallengeError
from coplay.challenge.keys import bearer
from coplay.challenge.outcome import prediction
from coplay.challenge.outcome.board import Line
from coplay.challenge.rules import Prediction, read_rules
from coplay.serve.engine.metrics import exposition
from coplay.serve.http.bodies import (
    Decisions,
    Drain,
    Draining,
    Guesses,
    Health,
    Left,
    Me,
    OneGame,
    Past,
    Refusal,
    Registered,
    Registration,
    Rotated,
    Summary,
    WithRules,
)
from coplay.serve.http.guard import address_of
from coplay.serve.ledger import predictions
from coplay.serve.ledger.attempts import open_attempt, progress
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.dates import embargoed, phase_now, waits
from coplay.serve.ledger.hosting.entry import track_of
from coplay.serve.ledger.hosting.rescue import count_stuck
from coplay.serve.ledger.keys import Holder, find
from coplay.serve.ledger.predictions import MOST
from coplay.serve.store import uptime
from coplay.serve.store.models import FIGURES, Attempt, Challenge, Result, Table

router = APIRouter()


REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Refusal} for code in (400, 401, 403, 404, 409, 413, 422, 429, 503)
}
# The key is read by `holder_of`; this only describes where it is sent.
WITH_KEY = [Depends(HTTPBearer(auto_error=False, description="A test, evaluation or admin key: `coplay_eval_...`"))]


def server_of(request: Request) -> Any:
    return request.app.state.server


def holder_of(request: Request) -> Holder:
    """Whose key the Authorization header holds."""
    return server_of(request).check_key(bearer(request.headers.get("authorization")), address_of(request))


@router.get("/healthz", responses={503: {"model": Refusal}})
def healthz(request: Request) -> Health:
    """Is the engine alive, and can it read and write the database?"""
    server = server_of(request)
    if not server.engine.alive:
        raise ChallengeError("the engine has stopped.", 503, "engine")
    if trouble := server.engine.trouble:
        raise ChallengeError(f"{trouble}.", 503, "database")
    try:
        with server.database.read() as transaction:
            transaction.execute(text("SELECT 1"))
    except SQLAlchemyError as problem:
        raise ChallengeError("the database does not answer.", 503, "database") from problem
    return Health(status="draining" if server.engine.draining else "ok", version=__version__)


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(request: Request) -> str:
    """Counters of every process for Prometheus; of the others as they stood a second ago."""
    engine = server_of(request).engine
    with engine.database.read() as transaction:
        stuck = count_stuck(transaction)
        written = uptime.counted(transaction, engine.clock.shared())
    processes = {id: json.loads(told) for id, told in written.items()} | {engine.process: engine.metrics.counted()}
    return exposition(processes, {"stuck": stuck})


@router.get("/v1/challenges", responses=REFUSALS, response_model=list[Summary])
def challenges(request: Request) -> list[dict[str, Any]]:
    """The challenges of this server."""
    with server_of(request).database.read() as transaction:
        found = transaction.scalars(select(Challenge).where(Challenge.status != "draft").order_by(Challenge.created))
        return [summary_of(one) for one in found]


@router.get("/v1/challenges/{challenge}", responses=REFUSALS, response_model=WithRules)
def challenge(request: Request, challenge: str) -> dict[str, Any]:
    """A challenge and its rules; partners are named once it is closed."""
    with server_of(request).database.read() as transaction:
        found = host.published(transaction, challenge)
        return summary_of(found) | {"rules": public_rules(found)}


@router.get("/v1/challenges/{challenge}/board", responses=REFUSALS)
def leaderboard(request: Request, challenge: str, track: str = "") -> list[Line]:
    """The leaderboard, or that of one track, best first."""
    with server_of(request).database.read() as transaction:
        found = host.published(transaction, challenge)
        track_of(found, track)
        return [] if embargoed(read_rules(found.rules), time.time()) else board(transaction, challenge, track)


@router.post("/v1/challenges/{challenge}/register", responses=REFUSALS, status_code=201)
def register(request: Request, challenge: str, registration: Registration) -> Registered:
    """Enters a challenge."""
    with server_of(request).database.write() as transaction:
        told = server_of(request).tells_host
        entrant, keys = host.register(transaction, challenge, **registration.model_dump(), tell_host=told)
        return Registered(
            entrant=entrant.id,
            status=entrant.status,
            test_key=keys and keys.test,
            evaluation_key=keys and keys.evaluation,
        )


@router.post("/v1/keys/rotate", responses=REFUSALS, status_code=201, dependencies=WITH_KEY)
def rotate(request: Request) -> Rotated:
    """Ends the key in the Authorization header and gives another of its kind; its attempt goes on."""
    text = bearer(request.headers.get("authorization"))
    with server_of(request).guard.key_from(address_of(request)), server_of(request).database.write() as transaction:
        _, key = host.rotate_key(transaction, text)
    server_of(request).look_again()
    return Rotated.model_validate({"kind": key.split("_")[1], "key": key})


@router.post("/v1/drain", responses=REFUSALS, dependencies=WITH_KEY)
def drain(request: Request, wanted: Drain) -> Draining:
    """For the host, with the admin token: begin no games, or begin games again. Games that run go on."""
    if holder_of(request).key.kind != "admin":
        raise ChallengeError("this key is not an admin token; `coplay keys admin` makes one.", 403, "wrong_key")
    server = server_of(request)
    with server.database.write() as transaction:
        server.drain(transaction, wanted.on, "admin", wanted.reason)
    return Draining(draining=server.engine.draining)


@router.get("/v1/me", responses=REFUSALS, response_model=Me, dependencies=WITH_KEY)
def me(request: Request) -> dict[str, Any]:
    """What the key in the Authorization header may do, and the attempts made with its kind."""
    holder = holder_of(request)
    with server_of(request).database.read() as transaction:
        attempts: list[dict[str, Any]] = []
        if holder.entrant is not None:
            query = select(Attempt).where(Attempt.entrant_id == holder.entrant.id, Attempt.kind == holder.key.kind)
            attempts = [attempt_of(transaction, one) for one in transaction.scalars(query.order_by(Attempt.created))]
        return {
            "kind": holder.key.kind,
            "prefix": holder.key.prefix,
            "entrant": holder.entrant and holder.entrant.name,
            "challenge": holder.entrant and holder.entrant.challenge_id,
            "attempts": attempts,
        }


@router.get("/v1/attempts/{attempt}/games", responses=REFUSALS, response_model=list[OneGame], dependencies=WITH_KEY)
def games(request: Request, attempt: str) -> list[dict[str, Any]]:
    """The games of one's own attempt; scores are there once every game of the configuration is over."""
    holder = holder_of(request)
    with server_of(request).database.read() as transaction:
        found = transaction.get(Attempt, attempt)
        mine = found is not None and holder.entrant is not None and found.entrant_id == holder.entrant.id
        if found is None or not mine:
            raise ChallengeError(f"this key has no attempt {attempt!r}.", 404, "unknown")
        tables = transaction.scalars(select(Table).where(Table.attempt_id == attempt).order_by(Table.number))
        return [
            {
                name: getattr(table, name)
                for name in ("id", "number", "configuration", "status", "turn", "score", "reason")
            }
            | {"seats": [int(seat) for seat in table.seats.split(",")]}
            for table in tables
        ]


@router.get(
    "/v1/prediction",
    responses=REFUSALS,
    response_model=Decisions,
    response_model_exclude_unset=True,
    dependencies=WITH_KEY,
)
def next_decisions(
    request: Request, limit: int = Query(MOST, ge=1, le=MOST), seats: Literal["acting", "all"] = "acting"
) -> dict[str, Any]:
    """The next decision of every recorded game that is not through."""
    attempt, sets, done = _asked(request)
    _replay(sets[predictions.now_asked(sets, done)[0]], seats == "all")
    with server_of(request).database.read() as transaction:
        return predictions.next_batch(transaction, attempt, sets, limit, seats)


@router.get(
    "/v1/prediction/past",
    responses=REFUSALS,
    response_model=Past,
    response_model_exclude_unset=True,
    dependencies=WITH_KEY,
)
def past_views(request: Request, turn: int = Query(ge=0), first: int = Query(0, ge=0)) -> dict[str, Any]:
    """What every seat saw before a move that is answered, of up to 200 games from number `first` on."""
    attempt, sets, done = _asked(request)
    number, games = predictions.past_games(done, turn, first)
    if games:
        _replay(sets[number], True)
    with server_of(request).database.read() as transaction:
        return predictions.past_views(transaction, attempt, sets, turn, first)


@router.post("/v1/prediction", responses=REFUSALS, dependencies=WITH_KEY)
def foresee(request: Request, guesses: Guesses) -> Left:
    """Answers decisions; each is answered once."""
    try:
        flat = np.frombuffer(base64.b64decode(guesses.probabilities, validate=True), "<f4")
        rows = flat.reshape(len(guesses.game), -1)
    except ValueError as error:
        text = "probabilities is base64 of float32 numbers, as many for each decision."
        raise ChallengeError(text, 422, "malformed") from error
    number, sets, _ = _asked(request)
    _replay(sets[predictions.set_of(sets, guesses.game)])
    with server_of(request).database.write() as transaction:
        attempt = transaction.get_one(Attempt, number)
        return Left(left=predictions.take(transaction, attempt, sets, guesses.game, guesses.turn, rows))


def _asked(request: Request) -> tuple[str, tuple[Prediction, ...], dict[int, int]]:
    """The attempt of a key, what it is asked about, and how far it is."""
    with server_of(request).database.write() as transaction:
        attempt, sets = _prediction(transaction, request)
        return attempt.id, sets, predictions.answered(transaction, attempt.id)


def _replay(one: Prediction, by_all: bool = False) -> None:
    """Before anything waits for the database: it takes seconds the first time, in which nobody else could write."""
    prediction.recorded(one)
    if by_all:
        prediction.seen_by_all(one)


def _prediction(transaction: Any, request: Request) -> tuple[Attempt, tuple[Prediction, ...]]:
    """The attempt of a key, begun if need be, and the recorded games it is asked about."""
    with server_of(request).guard.key_from(address_of(request)):
        holder = find(transaction, bearer(request.headers.get("authorization")))
    if holder.entrant is None or holder.key.kind not in ("test", "eval"):
        raise ChallengeError("this key is not for playing.", 403, "wrong_key")
    rules = read_rules(host.challenge_of(transaction, holder.entrant.challenge_id).rules)
    sets = prediction.sets_of(rules, rehearsal=holder.key.kind == "test")
    query = select(Attempt).where(Attempt.entrant_id == holder.entrant.id, Attempt.kind == holder.key.kind)
    latest = transaction.scalar(query.order_by(Attempt.number.desc()).limit(1))
    return latest or open_attempt(transaction, holder.entrant, holder.key.kind), sets


def attempt_of(transaction: Any, attempt: Attempt) -> dict[str, Any]:
    """An attempt as its owner sees it; results appear when it has ended."""
    results = transaction.scalars(select(Result).where(Result.attempt_id == attempt.id))
    return {
        name: getattr(attempt, name)
        for name in ("id", "kind", "number", "status", "schedule_hash", "created", "finished")
    } | {
        "configurations": list(json.loads(attempt.configurations)),
        "progress": progress(transaction, attempt.id),
        "results": [result_of(one) for one in results],
    }


def result_of(result: Result) -> dict[str, Any]:
    """Its figures; a cross-entropy also in the unit of AH2AC2."""
    figures = {name: getattr(result, name) for name in FIGURES}
    return figures | {"cross_entropy_per_seat": prediction.per_seat(result.configuration, result.cross_entropy)}


def summary_of(challenge: Challenge) -> dict[str, Any]:
    shown = ("id", "title", "status", "opened", "closed", "rules_version", "pool_hash", "secret_hash")
    return {name: getattr(challenge, name) for name in shown} | {
        "secret": challenge.secret if challenge.status == "closed" else None
    }


def public_rules(challenge: Challenge) -> dict[str, Any]:
    """The rules without what entrants must not know before the end."""
    rules = dataclasses.asdict(read_rules(challenge.rules))
    rules.pop("text")
    if challenge.status != "closed":
        for one in rules["configurations"]:
            one["partners"] = len(one["partners"])
    for one in rules["predictions"]:
        one.pop("data")
        one["rehearsal"] = bool(one["rehearsal"])
    read, now = read_rules(challenge.rules), time.time()
    phase = phase_now(read, now)
    rules |= {"terms_version": read.terms_version, "phase_now": phase and phase.name}
    rules["waits"] = waits(read, challenge.id, now)
    return json.loads(json.dumps(rules, default=datetime.isoformat))
