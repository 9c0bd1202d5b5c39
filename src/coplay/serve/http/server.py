"""The server: FastAPI application, engine and database together."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from coplay import __version__
from coplay.challenge.errors import ChallengeError
from coplay.challenge.keys import bearer
from coplay.serve.engine.engine import Engine
from coplay.serve.engine.game_batch import FEW
from coplay.serve.engine.players.compiler import Compiler, useful
from coplay.serve.http.apart import ONLY, PEOPLE
from coplay.serve.http.api import router
from coplay.serve.http.connections import MOST, OTHER_FILES, Connections, Limits, place_of
from coplay.serve.http.guard import Guard, address_of
from coplay.serve.http.relay import People
from coplay.serve.http.socket import Wire, serve_socket
from coplay.serve.ledger import audit, keys, letters, results
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.claims import forget_unconfirmed
from coplay.serve.ledger.hosting.closing import close_due
from coplay.serve.ledger.hosting.erase import erase_before, erase_contacts
from coplay.serve.ledger.keys import Holder
from coplay.serve.ledger.ratings import rate_old
from coplay.serve.ledger.studies.going_on import sweep
from coplay.serve.post.mailbox import mailbox
from coplay.serve.post.posting import post_due
from coplay.serve.store.database import Database, open_database
from coplay.serve.store.models import Challenge
from coplay.serve.timing import SYSTEM, Timing

log = logging.getLogger("coplay.serve")
A_MINUTE, A_DAY = 60.0, 24 * 3600.0
POST = 5.0  # seconds between two looks for letters


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a server runs. Everything else is in the database."""

    database: str = "sqlite:///coplay.db"
    move_seconds: float = 30.0  # a plain partner's time for one move
    sign_ups_per_hour: int = 20  # from one address
    requests_per_minute: int = 600  # from one address or key
    keep_days: int = 0  # after so many days people's games are erased; 0: never by itself
    keep_contacts: int = 0  # so many days after a challenge has closed the contacts of its entrants are erased
    mail: str = ""  # where letters are handed in, see post/mailbox.py; empty: none are sent
    site: str = ""  # https://…, as links in letters begin
    connections: Limits = dataclasses.field(default_factory=Limits)
    compile_apart: bool = False  # in a process of low priority, which costs memory while it compiles
    people: str = ""  # the socket of the process that has people's tables; empty: they are here
    only_people: bool = False  # this is that process

    @classmethod
    def from_environment(cls) -> Settings:
        """As `coplay serve` hands them to its processes."""
        given = os.environ
        return cls(
            given.get("COPLAY_DATABASE", cls.database),
            keep_days=int(given.get("COPLAY_KEEP_DAYS", "0")),
            keep_contacts=int(given.get("COPLAY_KEEP_CONTACTS", "0")),
            mail=given.get("COPLAY_MAIL", ""),
            site=given.get("COPLAY_SITE", "").rstrip("/"),
            compile_apart=True,
            people=given.get(PEOPLE, ""),
            only_people=bool(given.get(ONLY)),
            connections=Limits.of(most_files()),
        )


def most_files() -> int:
    """How many files this process may open, from now on as many as the machine lets it."""
    try:
        import resource
    except ImportError:  # not on Windows
        return Limits.total
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + OTHER_FILES
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft


class Server:
    """What requests need."""

    def __init__(self, settings: Settings, timing: Timing = SYSTEM) -> None:
        self.settings, self.timing = settings, timing
        self.mailbox = mailbox(settings.mail)
        self.database: Database = open_database(settings.database)
        compiler = Compiler() if settings.compile_apart and useful() else None
        self.engine = Engine(self.database, settings.move_seconds, timing, compiler)
        tables = self.engine.tables
        tables.for_entrants, tables.for_people = not settings.only_people, not settings.people
        if settings.only_people:
            tables.capacity = FEW
        self.people = People(settings.people) if settings.people else None
        self.engine.on_finished = self._finished
        self.guard = Guard(settings.requests_per_minute, settings.sign_ups_per_hour, timing)
        self.connections = Connections(settings.connections, timing, self.engine.metrics)
        self.wires: set[Wire] = set()
        self.revocations = 0
        self.engine.metrics.gauges["sockets"] = lambda: len(self.wires)
        if not settings.only_people:
            rate_old(self.database)
            self._warn_of_changes()
        self._scorer = ThreadPoolExecutor(1, "scorer")
        self.teller = ThreadPoolExecutor(2, "teller")  # of views in words, and of past games

    @property
    def tells_host(self) -> bool:
        """Does the host get letters?"""
        return self.mailbox is not None and bool(self.mailbox.desk)

    def _warn_of_changes(self) -> None:
        """Says in the log which challenges cannot be played because their partners have changed."""
        with self.database.read() as transaction:
            for challenge in transaction.scalars(select(Challenge).where(Challenge.status.in_(("open", "paused")))):
                if problem := host.changed_partners(challenge):
                    log.error("no rated games", extra={"challenge": challenge.id, "reason": problem})

    def check_key(self, text: str | None, who: str) -> Holder:
        """Whose key this is, which was sent from the address `who`."""
        with self.guard.key_from(who), self.database.read() as transaction:
            return keys.find(transaction, text)

    async def let_in(self, connection: HTTPConnection, text: str | None) -> None:
        """Looks the key of a connection up, if it sends one. Whoever shows none must go when strangers have filled
        what there is for them."""
        place = place_of(connection)
        if text is not None and (place is None or place.key is None):
            holder = await asyncio.to_thread(self.check_key, text, address_of(connection))
            if place is not None:
                self.connections.know(place, holder.key.id)
        if place is not None and place.on_reserve:
            text = "there are too many connections; the rest is for entrants, who send their key. Try again later."
            raise ChallengeError(text, 503, "full", retry_after=5)

    def drain(self, transaction: Session, on: bool, actor: str, reason: str) -> None:
        """This process begins no games, or begins games again. Games that run go on."""
        audit.note(transaction, actor, "drain" if on else "drain ended", reason=reason)
        self.engine.draining = on

    def answerer(self, request: Request, here: Any) -> Any:
        """Who answers a request: we do, or the process that has people's tables."""
        people = self.people
        if people is None or not people.have(request.url.path):
            return here

        async def there(request: Request) -> Any:
            if self.engine.draining and request.method == "POST":
                raise ChallengeError("the server is about to stop and lays no new tables; try again later.", 503)
            return await people.answer(request)

        return there

    def look_again(self) -> None:
        """Keys have ended: every connection's is looked up before its next move."""
        self.revocations += 1

    def _finished(self, attempt: str) -> None:
        """Called in the engine's thread: scoring takes a while and must not hold up other games."""
        self._scorer.submit(self._score, attempt)

    def _score(self, attempt: str) -> None:
        try:
            scored = results.finish(self.database, attempt)
            written = results.scored_configurations(self.database, attempt)
        except Exception:
            log.exception("scoring failed", extra={"attempt": attempt})
            self.engine.metrics.add("scoring_errors")
            return
        self.engine.metrics.add("configurations_scored", len(scored))
        for session in list(self.engine.sessions.values()):
            # Also those that came while the scores were being computed.
            news = [name for name in written if name not in session.told]
            if session.attempt == attempt and news:
                session.told.update(news)
                session.deliver([{"type": "finished", "attempt": attempt, "configurations": news}])

    async def forget(self) -> None:
        """Every day, beginning now: erases what is kept no longer."""
        while True:
            try:
                told = await asyncio.to_thread(self._forget)
                log.info("old things erased", extra=told)
            except Exception:
                log.exception("erasing what is old failed")
            await asyncio.sleep(A_DAY)

    def _forget(self) -> dict[str, int]:
        kept, now = self.settings, self.timing.now()
        games = erase_before(self.database, now - kept.keep_days * A_DAY) if kept.keep_days else 0
        with self.database.write() as transaction:
            contacts = erase_contacts(transaction, now - kept.keep_contacts * A_DAY) if kept.keep_contacts else 0
            unconfirmed = forget_unconfirmed(transaction, now)
            letters.forget(transaction, now - letters.KEPT_DAYS * A_DAY)
        return {"games": games, "contacts": contacts, "entrants": unconfirmed}

    async def post(self) -> None:
        """Every few seconds: sends letters."""
        while self.mailbox is not None:
            try:
                sent, failed = await asyncio.to_thread(
                    post_due, self.database, self.mailbox, self.settings.site, self.timing
                )
                self.engine.metrics.add("letters_sent", sent)
                self.engine.metrics.add("letters_failed", failed)
            except Exception:
                log.exception("sending letters failed")
            await asyncio.sleep(POST)

    async def keep_dates(self) -> None:
        """Every minute, beginning now: closes challenges whose date has come, ends what is over in studies."""
        while True:
            try:
                for challenge in await asyncio.to_thread(close_due, self.database, self.timing.now()):
                    log.info("challenge closed", extra={"challenge": challenge})
                await asyncio.to_thread(sweep, self.database, self.timing.now())
            except Exception:
                log.exception("closing by date failed")
            await asyncio.sleep(A_MINUTE)

    def close(self) -> None:
        self.engine.stop()
        self._scorer.shutdown(wait=True)
        self.teller.shutdown(wait=False, cancel_futures=True)
        self.database.close()


def as_refusal(problem: HTTPException) -> JSONResponse:
    """What the framework refuses, in the form in which we refuse."""
    code = "unknown" if problem.status_code == 404 else "malformed"
    return JSONResponse({"code": code, "message": f"{problem.detail}."}, problem.status_code, problem.headers)


def create_app(settings: Settings | None = None, timing: Timing = SYSTEM) -> FastAPI:
    """The application; its pages and the AH2AC2 paths are added by those who import more than this."""
    settings = settings or Settings.from_environment()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        server = await asyncio.to_thread(Server, settings, timing)
        app.state.server = server
        server.engine.start()
        duties = () if settings.only_people else (server.forget(), server.keep_dates(), server.post())
        aside = [asyncio.create_task(work) for work in (*duties, server.connections.watch())]
        yield {"connections": server.connections}
        for task in aside:
            task.cancel()
        server.engine.draining = True
        if server.people is not None:
            await server.people.close()
        await asyncio.to_thread(server.close)

    app = FastAPI(title="coplay challenge", version=__version__, lifespan=lifespan)
    app.include_router(router)

    @app.exception_handler(ChallengeError)
    async def refused(request: Request, problem: ChallengeError) -> JSONResponse:
        headers = {"Retry-After": str(problem.retry_after)} if problem.status in (429, 503) else None
        return JSONResponse({"code": problem.code, "message": str(problem)}, problem.status, headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, problem: RequestValidationError) -> JSONResponse:
        told = [f"{'.'.join(map(str, one['loc'][1:])) or one['loc'][0]}: {one['msg']}" for one in problem.errors()]
        return JSONResponse({"code": "malformed", "message": f"{'; '.join(told)}."[:1000]}, 422)

    @app.exception_handler(HTTPException)
    async def no_such_thing(request: Request, problem: HTTPException) -> JSONResponse:
        return as_refusal(problem)

    @app.middleware("http")
    async def limits(request: Request, call_next: Any) -> Any:
        server, place = request.app.state.server, place_of(request)
        if place is not None and place.on_reserve:
            try:
                await server.let_in(request, bearer(request.headers.get("authorization")))
            except ChallengeError as problem:
                answer = await refused(request, problem)
                answer.headers["Connection"] = "close"
                return answer
        try:
            return await server.guard.pass_on(request, server.answerer(request, call_next))
        except ChallengeError as problem:  # of the way to people's tables
            return await refused(request, problem)

    @app.websocket("/v1/socket")
    async def socket(websocket: WebSocket) -> None:
        await serve_socket(websocket.app.state.server, websocket)

    return app
