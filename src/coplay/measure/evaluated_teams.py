"""The teams of an evaluation, played one after the other or by several processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import groupby
from typing import NamedTuple

from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.measure.endings import endings
from coplay.measure.processes import processes
from coplay.measure.run_folder import GameRow, RunFolder
from coplay.measure.seatings import AGENT, Configuration
from coplay.play.ahead import compiled_ahead
from coplay.play.episode_file import save
from coplay.play.play import play
from coplay.play.team import Player, is_policy


class Question(NamedTuple):
    """What every team plays."""

    game: Game
    agent: str
    games: int
    seed: int
    folder: RunFolder


class Played(NamedTuple):
    """What a team's games came to."""

    team: Configuration
    rows: list[GameRow]
    seconds: float

    def __str__(self) -> str:
        mean = sum(row.score for row in self.rows) / len(self.rows)
        forfeits = sum(bool(row.forfeit) for row in self.rows)
        lost = f", {forfeits} forfeited" if forfeits else ""
        return f"{self.team.seating} with {self.team.partner}: mean {mean:.2f}{lost} ({self.seconds:.1f} s)"


Beside = Callable[[RunFolder], None]


def play_teams(
    asked: Question, teams: Sequence[Configuration], made: Mapping[str, Player], beside: Beside
) -> Iterator[Played]:
    """In this process. `beside` is done meanwhile, from the end of the first team on: compilers leave a core free now
    and then, and by then the rules and the agent are compiled for both."""
    seated = dict.fromkeys(name for team in teams for name in (asked.agent, team.partner))
    with (
        _meanwhile(lambda: beside(asked.folder), is_policy(made[asked.agent])) as begin,
        compiled_ahead(asked.game, [made[name] for name in seated], asked.games) as ready,
    ):
        for team in teams:
            for name in (asked.agent, team.partner):
                ready(made[name])
            yield _play(asked, team, made)
            begin()


def share_teams(asked: Question, teams: Sequence[Configuration], jobs: int, beside: Beside) -> Iterator[Played]:
    """In several processes, a partner's seatings in one of them, so that nobody is compiled twice."""
    with processes(jobs) as pool:
        aside = pool.submit(beside, asked.folder)
        parts = [list(group) for _, group in groupby(teams, lambda team: team.partner)]
        for task in [pool.submit(_play_part, asked, part) for part in parts]:
            yield from task.result()
        aside.result()


def _play_part(asked: Question, teams: Sequence[Configuration]) -> list[Played]:
    made = {name: make_agent(name, asked.game) for name in (asked.agent, teams[0].partner)}
    return [_play(asked, team, made) for team in teams]


def _play(asked: Question, team: Configuration, made: Mapping[str, Player]) -> Played:
    begun = time.monotonic()
    members = [made[asked.agent if letter == AGENT else team.partner] for letter in team.seating]
    # In lock-step a policy compiles once for all the teams and seats it plays in.
    episodes = play(asked.game, members, asked.games, asked.seed, engine="lockstep", progress=False)
    save(episodes, asked.folder / team.file)
    who = asked.agent, team.partner, team.seating, asked.seed
    rows = [GameRow(*who, *ending) for ending in endings(episodes)]
    return Played(team, rows, time.monotonic() - begun)


@contextmanager
def _meanwhile(work: Callable[[], None], threaded: bool) -> Iterator[Callable[[], None]]:
    """Gives a function that begins the work in a thread, if it has not begun. Otherwise it is done after the body: a
    plain agent has its time limit only in the main thread."""
    with ThreadPoolExecutor(1) as threads:
        tasks: list[Future[None]] = []

        def begin() -> None:
            if threaded and not tasks:
                tasks.append(threads.submit(work))

        yield begin
        if tasks:
            tasks[0].result()
        else:
            work()
