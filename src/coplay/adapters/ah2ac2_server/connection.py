"""One connection of the AH2AC2 client: one game, one message each way per turn of the table, others' turns too.

Our engine lets partners move at once; what they did is handed out turn by turn, because that is how the client asks.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from coplay.adapters.ah2ac2_server.frames import Frame, frames
from coplay.adapters.ah2ac2_server.games import Chosen, agent
from coplay.challenge.errors import ChallengeError
from coplay.serve.engine.live_game import LiveGame
from coplay.serve.engine.session import Session
from coplay.serve.store import seats

if TYPE_CHECKING:
    from coplay.serve.http.server import Server

LARGEST = 64 * 1024  # characters of a message
PATIENCE = 10  # malformed messages before the connection is closed
BEGIN_SECONDS = 300.0  # to begin a game; it takes long only where the challenge has just been paused
GONE = ("superseded", "closing")  # kinds of messages after which the game is somebody else's
FREE_TRIES, FREE_SECONDS = 30, 2.0  # how long to wait for a game that another connection may leave


class Play:
    """One game over one connection."""

    def __init__(self, server: Server, websocket: WebSocket, chosen: Chosen) -> None:
        self.server, self.websocket, self.chosen = server, websocket, chosen
        self.loop = asyncio.get_running_loop()
        self.inbox: asyncio.Queue[list[dict[str, Any]]] = asyncio.Queue()
        self.live: LiveGame | None = None
        self.frames: dict[int, Frame] = {}  # turns that the client has not asked for yet
        self.over: dict[str, Any] | None = None
        self.problem: dict[str, Any] | None = None
        self.malformed = 0
        self.session = self._new_session()

    async def run(self) -> None:
        """Plays until the game is over or the client leaves."""
        self.server.wires.add(self)  # pyright: ignore[reportArgumentType]
        try:
            await self._sit_down()
            assert self.live is not None
            frame = await self._frame(min(self.frames))
            await self._send({"info": self._info()} | frame.seats)
            while not await self._step(frame):
                frame = self.shown
        finally:
            self.server.wires.discard(self)  # pyright: ignore[reportArgumentType]
            self.server.engine.close(self.session)

    def deliver(self, messages: list[dict[str, Any]]) -> None:
        """Called in the threads of the engine and of whoever scores."""
        if self.live is None:
            self.live = next(iter(self.session.tables.values()), None)
        if self.live is not None:
            self.session.drained = True  # this connection has its game and wants no other
        else:  # ours has not begun; other news, such as scores, are of games that were played before
            messages = [message for message in messages if message["type"] in GONE]
        if messages:
            self.loop.call_soon_threadsafe(self.inbox.put_nowait, messages)

    @property
    def is_over(self) -> bool:
        return self.over is not None

    def _new_session(self) -> Session:
        return Session(
            self.chosen.attempt,
            self.deliver,
            kind=self.chosen.kind,
            parallel=1,
            take="one",
            single=True,
            all_turns=True,
            final=True,
            want=frozenset({"legal", "words"}),
            configurations=self.chosen.configurations,
        )

    async def _sit_down(self) -> None:
        """Waits for a game: one that was left, a new one, or one that another connection leaves soon."""
        for _ in range(FREE_TRIES):
            if self.server.engine.draining:
                raise ChallengeError("the server is about to stop and begins no games; try again later.", 503)
            self.server.engine.open(self.session)
            end = time.monotonic() + BEGIN_SECONDS
            while self.inbox.empty() and not self.session.drained and time.monotonic() < end:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0)  # what `deliver` sent may be on its way
            if not self.inbox.empty() or self.live is not None:
                break
            self.server.engine.close(self.session)
            if not (await asyncio.to_thread(self._games_left))[1]:
                break
            await asyncio.sleep(FREE_SECONDS)
            self.session = self._new_session()
        else:
            raise ChallengeError("every game that is left is being played over another connection.", 409, "no_game")
        while not self.frames and not (self.live is None and self.inbox.empty()):
            await self._take(await self.inbox.get())
        if self.live is None:
            stuck, _ = await asyncio.to_thread(self._games_left)
            text = f"{stuck} games wait for the host, because a partner fails in them; come back later."
            raise ChallengeError(text if stuck else "every game of this attempt is over.", 403, "no_game")

    def _games_left(self) -> tuple[int, int]:
        """How many wait for the host, and how many can be played."""
        with self.server.database.read() as transaction:
            return seats.left(transaction, self.chosen.attempt, self.chosen.configurations)

    def _info(self) -> dict[str, Any]:
        """Exactly the fields that the client knows; it breaks on any other."""
        assert self.live is not None
        return {
            "num_players": self.live.dealt.batch.game.players,
            "candidate_controlling": [agent(seat) for seat in self.live.dealt.seats],
            "is_debug": self.chosen.kind != "eval",
            "game_id": int(self.live.dealt.id, 16),
        }

    async def _step(self, frame: Frame) -> bool:
        """Reads the actions of one turn and answers; True when there is nothing more to say."""
        self.shown, live = frame, self.live
        assert live is not None
        actions = await self._receive()
        if actions is None:
            return self.malformed >= PATIENCE
        timing = self.server.timing
        received = timing.monotonic()
        if frame.mover is not None and not self.is_over:
            name = agent(frame.mover)
            if name not in actions:
                await self._refuse(f"{name} is on turn and has no action; send one for each of your agents.")
                return False
            columns = {"game": live.dealt.number, "turn": frame.turn, "seat": frame.mover, "action": actions[name]}
            self.server.engine.act(self.session, {"type": "act"} | {key: [one] for key, one in columns.items()})
        answer = await self._frame(frame.turn + 1)
        if self.problem is not None:
            problem, self.problem = self.problem, None
            await self._refuse(str(problem.get("message", "the server could not play this move; connect again.")))
            return problem["code"] != "illegal"
        if frame.mover is not None and self.chosen.kind == "eval":
            await timing.sleep(max(0.0, received + live.dealt.terms.answer_floor - timing.monotonic()))
        return await self._show(answer)

    async def _show(self, frame: Frame) -> bool:
        """Sends a turn; True if it is the last."""
        assert self.live is not None
        how = self.over["how"][0] if self.over else ""
        if how == "void":
            await self._refuse("the server failed in this game; it does not count and is played again.")
            return True
        done = how == "forfeit" or (how == "done" and frame.turn >= self.live.course.turn)
        await self._send(frame.seats | {"done": done, "score": 0 if how == "forfeit" else frame.score})
        self.shown = frame
        return done

    async def _frame(self, turn: int) -> Frame:
        """The frame of a turn, once it is known; the latest there is if the game ended without it, or nothing new
        because the move was refused."""
        while turn not in self.frames and not self.is_over and self.problem is None:
            await self._take(await self.inbox.get())
        return self.frames.pop(turn) if turn in self.frames else self.shown

    async def _take(self, messages: list[dict[str, Any]]) -> None:
        """Sorts what the engine said."""
        for message in messages:
            if message["type"] in GONE:
                reason = message.get("reason", "another connection took this game over")
                raise ChallengeError(f"{reason}; connect again.", 503, message["type"])
            await self._note(message)

    async def _note(self, message: dict[str, Any]) -> None:
        """Keeps what a message says of the game."""
        assert self.live is not None
        game: Any = self.live.dealt.batch.game  # Hanabi: no other gets here
        kind = message["type"]
        if kind == "turns":
            found = await asyncio.to_thread(frames, game, message, self.live.dealt.number)
            self.frames |= {frame.turn: frame for frame in found}
        elif kind == "over" and self.live.dealt.number in message["game"]:
            place = message["game"].index(self.live.dealt.number)
            self.over = {"how": [message["how"][place]]}
        elif kind == "error":
            self.problem = message

    async def _receive(self) -> dict[str, Any] | None:
        """The client's actions, or None where they are none."""
        frame = await self.websocket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame.get("code", 1005))
        text = frame.get("text") or ""  # bytes are no message
        try:
            actions = json.loads(text) if len(text) <= LARGEST else None
        except (ValueError, RecursionError):
            actions = None
        if isinstance(actions, dict):
            return actions
        self.malformed += 1
        await self._refuse('send the actions as a JSON object such as {"agent_0": 5}.')
        return None

    async def _refuse(self, text: str) -> None:
        await self._send({"error_details": text})

    async def _send(self, message: dict[str, Any]) -> None:
        await self.websocket.send_text(json.dumps(message, separators=(",", ":")))
