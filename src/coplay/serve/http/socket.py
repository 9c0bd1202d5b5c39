"""Protocol v1 over a WebSocket: one connection carries many games. Documented in docs/protocol.md."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from coplay.challenge.errors import ChallengeError
from coplay.challenge.keys import bearer
from coplay.serve.engine.frames import LATER, whole
from coplay.serve.engine.moves import error
from coplay.serve.engine.session import Session
from coplay.serve.http.guard import address_of
from coplay.serve.http.hello import check_known, describe, options_of, place_options
from coplay.serve.ledger import keys
from coplay.serve.ledger.attempts import open_attempt, progress, same_attempt
from coplay.serve.store.models import Attempt

if TYPE_CHECKING:
    from coplay.serve.http.server import Server

log = logging.getLogger("coplay.serve")
VERSION = 1
LARGEST = 64 * 1024  # bytes of a message
HELLO = 30.0  # seconds to say hello
AGAIN = 10.0  # seconds after which a key is looked up again: it may have been revoked by another process
PATIENCE = 10  # malformed messages before a connection is closed
UNREAD, UNPLAYED = 50, 2000  # messages not read by a client, moves not played by us, when we stop listening to it
CLOSE_SUPERSEDED, CLOSE_MALFORMED, CLOSE_REFUSED = 4409, 4400, 4403
SEATS = ("coplay_seat_", "coplay_watch_")  # how keys to people's tables begin
CLOSE_AGAIN = 1012  # "service restart"; uvicorn says the same when the server stops


class Wire:
    """One connection: messages of the engine's thread out, messages of the client in."""

    def __init__(self, server: Server, websocket: WebSocket) -> None:
        self.server, self.websocket = server, websocket
        self.loop = asyncio.get_running_loop()
        self.outbox: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.sender: asyncio.Task[None] | None = None
        self.received = server.timing.monotonic()
        self.floor = 0.0

    def deliver(self, messages: list[dict[str, Any]]) -> None:
        """Called by the engine. What waits here is bounded: see `has_room`."""
        self.loop.call_soon_threadsafe(self._put, messages)

    def _put(self, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            self.outbox.put_nowait(message)

    async def send_all(self) -> None:
        """Sends what the outbox holds until it is told to stop; a slow reader holds up only itself."""
        while (message := await self.outbox.get()) is not None:
            if LATER in message:
                message = await self.loop.run_in_executor(self.server.teller, whole, message)
            if message["type"] == "turns" and self.floor:
                timing = self.server.timing
                await timing.sleep(max(0.0, self.received + self.floor - timing.monotonic()))
            await self.websocket.send_text(json.dumps(message, separators=(",", ":")))
            await asyncio.sleep(0)  # others have their turn, however much is waiting here
            if message["type"] == "superseded" and message.get("all"):
                await self.websocket.close(CLOSE_SUPERSEDED, "another connection has taken these games over")
                return
            if message["type"] == "closing":
                await self.websocket.close(CLOSE_AGAIN, "come again")
                return

    async def refuse(self, code: int, why: str, message: dict[str, Any]) -> None:
        """Says why, and closes."""
        with contextlib.suppress(RuntimeError):  # it is closed already
            await self.websocket.send_text(json.dumps(message))
            await self.websocket.close(code, why)

    async def has_room(self, session: Session) -> None:
        """Waits: who does not read our answers, or sends more than we can play, is not listened to meanwhile."""
        while self.outbox.qsize() > UNREAD or session.unplayed > UNPLAYED:
            if self.sender is None or self.sender.done():
                return  # the client has gone; reading says so
            await asyncio.sleep(0.005)

    async def receive(self) -> dict[str, Any] | None:
        """The next message, or None where it is not one."""
        frame = await self.websocket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame.get("code", 1005))
        text = frame.get("text")  # None: bytes, which nobody should send
        self.received = self.server.timing.monotonic()
        if text is None or len(text) > LARGEST:
            return None
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return message if isinstance(message, dict) and isinstance(message.get("type"), str) else None


async def serve_socket(server: Server, websocket: WebSocket) -> None:
    """A connection from its first message to its last."""
    key = bearer(websocket.headers.get("authorization"))
    with contextlib.ExitStack() as seat:
        try:
            await _admit(server, websocket, key)
            if key is None:
                seat.enter_context(server.connections.seat(address_of(websocket)))
        except ChallengeError as problem:
            await _deny(websocket, problem)
            return
        await websocket.accept()
        await _talk(server, websocket, key)


async def _talk(server: Server, websocket: WebSocket, key: str | None) -> None:
    """From hello to the end."""
    wire = Wire(server, websocket)
    session: Session | None = None
    sender: asyncio.Task[None] | None = None
    try:
        session = await _greet(server, wire, key)
        if session is None:
            return
        sender = wire.sender = asyncio.create_task(wire.send_all())
        server.engine.open(session)
        await _listen(server, wire, session, key)
    except (WebSocketDisconnect, RuntimeError):
        pass  # the client has gone; its tables wait for it
    finally:
        if session is not None:
            server.engine.close(session)
            server.wires.discard(wire)
        if sender is not None:
            wire.outbox.put_nowait(None)
            sender.cancel()


async def _admit(server: Server, websocket: WebSocket, key: str | None) -> None:
    """Limits come first: looking a key up costs more than refusing who asks too often."""
    who = address_of(websocket)
    if wait := server.guard.wait_for_both("request", who, websocket.headers.get("authorization")):
        text = f"too many connections; try again in {math.ceil(wait)} seconds."
        raise ChallengeError(text, 429, "too_many", retry_after=math.ceil(wait))
    await server.let_in(websocket, key)


async def _deny(websocket: WebSocket, problem: ChallengeError) -> None:
    from starlette.responses import JSONResponse

    headers = {"Retry-After": str(problem.retry_after)} if problem.status in (429, 503) else None
    body = {"code": problem.code, "message": str(problem)}
    await websocket.send_denial_response(JSONResponse(body, problem.status, headers))


async def _hello(server: Server, wire: Wire) -> dict[str, Any] | None:
    """The first message."""
    try:
        hello = await server.timing.wait_for(wire.receive(), HELLO)
    except TimeoutError:
        await wire.websocket.close(CLOSE_REFUSED, "no hello")
        return None
    if hello is None or hello["type"] != "hello":
        raise ChallengeError('the first message is {"type": "hello", "version": 1}.', 400, "malformed")
    if hello.get("version") != VERSION:
        text = f"version {hello.get('version')!r} is not spoken here; this server speaks version {VERSION}."
        raise ChallengeError(text, 400, "version")
    return hello


async def _greet(server: Server, wire: Wire, key: str | None) -> Session | None:
    """Reads hello, answers welcome. A person's seat key may come in hello, because browsers send no headers; whoever
    has one is passed on where people's tables are not here."""
    try:
        hello = await _hello(server, wire)
        if hello is None:
            return None
        if key is None and str(hello.get("key", "")).startswith(SEATS):
            key = str(hello["key"])
        if server.people is not None and key is not None and key.startswith(SEATS):
            await server.people.talk(wire.websocket, hello, key)
            return None
        session, welcome = await asyncio.to_thread(_begin, server, wire, key, hello)
    except ChallengeError as problem:
        await wire.refuse(CLOSE_REFUSED, problem.code, error(problem.status, problem.code, str(problem)))
        return None
    await wire.websocket.send_text(json.dumps(welcome))
    server.wires.add(wire)
    return session


def _begin(server: Server, wire: Wire, key: str | None, hello: dict[str, Any]) -> tuple[Session, dict[str, Any]]:
    """Finds or starts the attempt of a key."""
    options = options_of(hello)
    games, named = options.pop("games"), options.pop("attempt")
    with server.database.write() as transaction:
        with server.guard.key_from(address_of(wire.websocket)):
            holder = keys.find(transaction, key)
        keys.used(transaction, holder.key.id)
        if holder.key.kind in ("seat", "watch"):
            attempt = transaction.get(Attempt, holder.key.attempt_id)
        elif holder.entrant is not None:
            if server.engine.draining:
                raise ChallengeError(
                    "the server is about to stop and begins no games; try again later.", 503, "draining"
                )
            if named is None:
                attempt = open_attempt(transaction, holder.entrant, holder.key.kind, games)
            else:
                attempt = same_attempt(transaction, holder.entrant, holder.key.kind, named)
        else:
            raise ChallengeError(f"the key {holder.key.prefix}... is not for playing.", 403, "wrong_key")
        assert attempt is not None
        at = place_options(transaction, attempt, holder.key)
        check_known(options["configurations"], json.loads(attempt.configurations))
        done = progress(transaction, attempt.id)
    terms = server.engine.tables.terms(attempt.id, anew=True)
    session = Session(attempt.id, wire.deliver, kind=attempt.kind, **options | at)
    wire.floor = terms.answer_floor if attempt.kind == "eval" else 0.0
    welcome = {
        "type": "welcome",
        "version": VERSION,
        "attempt": attempt.id,
        "kind": attempt.kind,
        "status": attempt.status,
        "challenge": attempt.challenge_id,
        "schedule_hash": attempt.schedule_hash,
        "configurations": {name: describe(batch) for name, batch in terms.batches.items()},
        "clock": None if terms.clock is None else {"move": terms.clock.move, "bank": terms.clock.bank},
        "offences": terms.offences,
        "parallel": min(session.parallel, terms.parallel),
        "progress": done,
        "people": None if terms.customs is None else terms.customs._asdict(),
    }
    return session, welcome


async def _listen(server: Server, wire: Wire, session: Session, key: str | None) -> None:
    """Passes moves to the engine until the client leaves, sends too much nonsense, or loses its key."""
    malformed, looked, revocations = 0, server.timing.monotonic(), server.revocations
    while True:
        await wire.has_room(session)
        message = await wire.receive()
        due = server.timing.monotonic() - looked > AGAIN or server.revocations != revocations
        if key is not None and due:
            looked, revocations = server.timing.monotonic(), server.revocations
            try:
                await asyncio.to_thread(server.check_key, key, address_of(wire.websocket))
            except ChallengeError as problem:
                await wire.refuse(CLOSE_REFUSED, problem.code, error(problem.status, problem.code, str(problem)))
                return
        if message is not None and message["type"] == "act":
            server.engine.act(session, message)
        elif message is not None and message["type"] == "press":
            server.engine.press(session, message)
        elif message is not None and message["type"] == "back":
            server.engine.back(session)
        elif message is not None and message["type"] == "bye":
            await wire.websocket.close(1000)
            return
        else:
            malformed += 1
            text = 'expected {"type": "act", ...} or {"type": "bye"} as JSON of at most 64 KiB.'
            if malformed >= PATIENCE:
                await wire.refuse(CLOSE_MALFORMED, "too many malformed messages", error(400, "malformed", text))
                return
            wire._put([error(400, "malformed", text)])
