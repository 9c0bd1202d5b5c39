"""The space of games that a key opens, for ordinary code."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

from coplay_client.batch import Batch, Configuration, History, Turn
from coplay_client.environment import Environment
from coplay_client.link import Link
from coplay_client.loop import Loop
from coplay_client.play import Play
from coplay_client.progress import Progress
from coplay_client.requests import address, request


class EvaluationSpace:
    """The games of an attempt. Iterate over it for many at once, or ask for one environment after another.

    key: the test key rehearses, the evaluation key counts.
    parallel: games at once. games: of each configuration, in a rehearsal. configurations: only these.
    want: what views come as, of "vector", "legal", "text", "view". turns: "own" or "all".
    history: also fetch what happened before in games that go on (`histories`).
    patience: seconds without a connection before giving up; if left out 10 for the first one, later 300.
    """

    def __init__(
        self,
        submission_key: str,
        url: str | None = None,
        *,
        parallel: int = 1000,
        games: int | None = None,
        configurations: Sequence[str] | None = None,
        want: Sequence[str] = ("vector", "legal"),
        turns: str = "own",
        history: bool = False,
        progress: bool | None = None,
        patience: float | None = None,
        ssl: Any = None,
    ) -> None:
        self.url = address(url)
        self._key, self._ssl = submission_key, ssl
        chosen = None if configurations is None else list(configurations)
        self._play = Play(
            {
                "parallel": parallel,
                "games": games,
                "configurations": chosen,
                "want": list(want),
                "turns": turns,
                "history": history,
            }
        )
        self._link = Link(self.url, submission_key, self._play, Progress(progress), patience, ssl)
        self._loop = Loop()
        self._began = False

    def __enter__(self) -> EvaluationSpace:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Batch]:
        """Batches of games that wait, until all are over and scored."""
        while True:
            turns = self._play.take()
            if turns:
                yield Batch(turns, self._act)
            elif self._play.done:
                self._link.progress.end()
                return
            else:
                self._run(self._link.receive())

    def next_environment(self) -> Environment | None:
        """The next game; None when there is none left."""
        if not self._began:
            self._play.hello["parallel"] = 1
        while not self._play.done:
            waiting = next((turn for turn in self._play.ready.values() if turn.mine), None)
            if waiting is not None:
                self._play.take(game=waiting.game)
                return Environment(self, waiting)
            self._run(self._link.receive())
        return None

    @property
    def info(self) -> dict[str, Any]:
        """What the key is for, its attempts, their progress and results."""
        return request("GET", f"{self.url}/v1/me", self._key, verify=self._ssl or True)

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results of the attempt, one per configuration that is over."""
        attempt = self._play.welcome.get("attempt")
        return next((one["results"] for one in self.info["attempts"] if attempt in (None, one["id"])), [])

    @property
    def games(self) -> list[dict[str, Any]]:
        """Every game of the attempt, with scores once its configuration is over."""
        self._run(self._link.connected())
        where = f"{self.url}/v1/attempts/{self._play.welcome['attempt']}/games"
        return request("GET", where, self._key, verify=self._ssl or True)

    @property
    def welcome(self) -> dict[str, Any]:
        """What the server said at the beginning: clock, hash of the schedule, configurations."""
        self._run(self._link.connected())
        return self._play.welcome

    @property
    def configurations(self) -> dict[str, Configuration]:
        self._run(self._link.connected())
        return self._play.configurations

    @property
    def histories(self) -> dict[int, History]:
        """What happened before in games that go on, by game; with history=True."""
        return self._play.histories

    @property
    def over(self) -> dict[int, tuple[str, float | None]]:
        """The games that ended while we were connected: how, and the score of a rehearsal."""
        return self._play.over

    def close(self) -> None:
        """Ends the connection; the attempt goes on when you come again."""
        if self._began:
            self._loop.run(self._link.close())
            self._loop.stop()

    def _play_one(self, turn: Turn, action: int) -> Turn | None:
        """One action in one game; the next turn there, or None at its end."""
        self._act([turn], [action])
        while turn.game not in self._play.over:
            found = self._play.take(game=turn.game)
            if found:
                return found[-1]
            self._run(self._link.receive())
        return None

    def _act(self, turns: Sequence[Turn], actions: list[int]) -> None:
        self._run(self._link.send(self._play.act(turns, actions)))

    def _run(self, task: Coroutine[Any, Any, Any]) -> None:
        self._began = True
        self._loop.run(task)
