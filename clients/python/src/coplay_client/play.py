"""What a client knows, without a wire: messages in, messages out. The sync and the async space both use it."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from coplay_client.batch import Configuration, History, Turn, unpack_bits
from coplay_client.errors import IllegalAction, Refused, Stuck, Superseded

VERSION = 1
MOST = 1000  # actions in one message


class Play:
    """The games of one attempt, as far as this client knows them."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self.hello = {"type": "hello", "version": VERSION} | {k: v for k, v in hello.items() if v is not None}
        self.welcome: dict[str, Any] = {}
        self.configurations: dict[str, Configuration] = {}
        self.ready: dict[tuple[int, int, int], Turn] = {}  # game, seat, turn: to be answered by the user
        self.sent: dict[tuple[int, int], tuple[int, int, Turn]] = {}  # game, seat -> turn, action: not answered yet
        self.over: dict[int, tuple[str, float | None]] = {}  # game -> how, score
        self.histories: dict[int, History] = {}
        self.finished: set[str] = set()
        self.retry_after: float | None = None  # the server said that it restarts
        self.taken: dict[tuple[int, int], int] = {}  # game, seat -> latest turn given to the user, on this connection
        self._over_before = 0  # games that ended before this client came

    @property
    def hello_text(self) -> str:
        """After a break it names the attempt, whose last game may have ended unheard."""
        before = {"attempt": self.welcome["attempt"]} if self.welcome else {}
        return json.dumps(self.hello | before)

    @property
    def total(self) -> int:
        return self.welcome.get("progress", {}).get("total", 0)

    @property
    def played(self) -> int:
        return self._over_before + sum(how != "void" for how, _ in self.over.values())

    def greeted(self, text: str | bytes) -> None:
        """The answer to hello."""
        message = json.loads(text)
        if message["type"] != "welcome":
            raise Refused(message.get("message", text), message.get("status", 0), message.get("code", ""))
        known = len([how for how, _ in self.over.values() if how != "void"])
        self.welcome = message
        self._over_before = message["progress"]["over"] - known
        self.configurations = {name: Configuration.of(name, said) for name, said in message["configurations"].items()}
        self.ready.clear()  # the server sends every running game again
        self.taken.clear()

    def wanted(self) -> set[str]:
        """The configurations this client plays."""
        chosen = self.hello.get("configurations")
        return set(self.configurations) if chosen is None else set(chosen)

    @property
    def done(self) -> bool:
        """Is everything scored that this client plays?"""
        scored = self.finished | ({*self.configurations} if self.welcome.get("status") != "open" else set())
        return bool(self.configurations) and self.wanted() <= scored

    def receive(self, text: str | bytes) -> None:
        """Takes a message in."""
        message = json.loads(text)
        handler = getattr(self, f"_on_{message['type']}", None)
        if handler is not None:  # a newer server may say more than we know
            handler(message)

    def take(self, configuration: str | None = None, game: int | None = None) -> list[Turn]:
        """The turns that wait, of one configuration (by default the one that waits longest) or one game."""
        turns = [turn for turn in self.ready.values() if game is None or turn.game == game]
        if turns and game is None:
            name = configuration or turns[0].configuration.name
            turns = [turn for turn in turns if turn.configuration.name == name]
        for turn in turns:
            del self.ready[turn.game, turn.seat, turn.turn]
            self.taken[turn.game, turn.seat] = turn.turn
        return turns

    def act(self, turns: Sequence[Turn], actions: Sequence[int]) -> list[str]:
        """The messages that play these actions."""
        for turn, action in zip(turns, actions, strict=True):
            self.sent[turn.game, turn.seat] = (turn.turn, action, turn)
            self.ready.pop((turn.game, turn.seat, turn.turn), None)
        return [
            json.dumps(
                {
                    "type": "act",
                    "game": [turn.game for turn in turns[begin : begin + MOST]],
                    "turn": [turn.turn for turn in turns[begin : begin + MOST]],
                    "seat": [turn.seat for turn in turns[begin : begin + MOST]],
                    "action": list(actions[begin : begin + MOST]),
                },
                separators=(",", ":"),
            )
            for begin in range(0, len(turns), MOST)
        ]

    def again(self) -> list[str]:
        """Actions that were sent and not answered, for a new connection; one that did arrive is not played twice."""
        waiting = list(self.sent.values())
        return self.act([turn for *_, turn in waiting], [action for _, action, _ in waiting])

    def _on_turns(self, message: dict[str, Any]) -> None:
        configuration = self.configurations[message["configuration"]]
        rows = len(message["game"])
        vectors = configuration.vectors(message["vector"], rows) if "vector" in message else [None] * rows
        legal: Any = [None] * rows
        if "legal" in message:
            legal = unpack_bits(message["legal"], rows, configuration.actions).astype(bool)
        left = message.get("seconds_left") or [None] * rows
        texts, views = message.get("text", [None] * rows), message.get("view", [None] * rows)
        words: Any = [None] * rows
        if "words" in message:
            words = np.frombuffer(base64.b64decode(message["words"]), "<u4").reshape(rows, -1)
        who = (message["game"], message["seat"], message["turn"], message["mine"])
        for game, seat, turn, mine, *what in zip(*who, left, vectors, legal, texts, views, words, strict=True):
            entry = Turn(configuration, game, seat, turn, bool(mine), *what)
            before = self.sent.get((game, seat))
            if before is not None and before[0] < turn:
                del self.sent[game, seat]
            elif before is not None and mine:
                continue  # its action is under way
            if self.taken.get((game, seat), -1) < turn:
                self.ready[game, seat, turn] = entry

    def _on_over(self, message: dict[str, Any]) -> None:
        scores = message.get("score", [None] * len(message["game"]))
        for game, how, score in zip(message["game"], message["how"], scores, strict=True):
            self.over[game] = (how, score)
            for key in [key for key in self.ready if key[0] == game]:
                del self.ready[key]
            for key in [key for key in self.sent if key[0] == game]:
                del self.sent[key]

    def _on_finished(self, message: dict[str, Any]) -> None:
        self.finished |= set(message["configurations"])

    def _on_history(self, message: dict[str, Any]) -> None:
        configuration = self.configurations[message["configuration"]]
        self.histories[message["game"]] = History(
            configuration,
            message["game"],
            message["actions"],
            message["movers"],
            np.asarray(message["turn"]),
            np.asarray(message["seat"]),
            configuration.vectors(message["vector"], len(message["turn"])),
        )

    def _on_superseded(self, message: dict[str, Any]) -> None:
        raise Superseded(f"another connection with this key has taken over games {message['game'][:5]}.")

    def _on_stuck(self, message: dict[str, Any]) -> None:
        """Some games wait for the host; whoever has nothing else to do would wait for ever."""
        if message["left"] == 0:
            raise Stuck(
                f"{message['deals']} games cannot go on, because a partner fails in them; the host was told. "
                "Nothing is lost: run again later and the attempt goes on."
            )

    def _on_closing(self, message: dict[str, Any]) -> None:
        self.retry_after = float(message.get("retry_after", 1))

    def _on_error(self, message: dict[str, Any]) -> None:
        """An illegal action leaves its game waiting, a conflict brings the state again; the rest is for the user."""
        if message["code"] == "illegal":
            game = message["game"]
            for key, (turn, _, entry) in list(self.sent.items()):
                if key[0] == game:
                    del self.sent[key]
                    self.ready[game, key[1], turn] = entry
            raise IllegalAction(message["message"], game, message["legal"], message["offences_left"])
        if message["code"] == "conflict":
            for key in [key for key in self.sent if key[0] == message["game"]]:
                del self.sent[key]
                self.taken.pop(key, None)
        elif message["code"] != "unknown_game" or not self.over.keys() >= {
            *message.get("games", [message.get("game")])
        }:
            raise Refused(message["message"], message["status"], message["code"])
