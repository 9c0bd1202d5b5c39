"""Everything docs/results.md needs, played by several processes or machines; what they keep, the tables then read."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from coplay.agents.spec import agent as make_agent
from coplay.game import Game
from coplay.rollouts.team import is_policy
from coplay.rollouts.where import On, where
from coplay.rollouts.where.folders import write_folders
from studies.results import runs
from studies.results.work import Work

LONGEST = "robustness"


class Job(NamedTuple):
    """One agent's part of one table: `run` keeps what it finds."""

    section: str
    name: str
    agent: str
    game: Game
    run: Callable[[Work], Any]


def jobs_of(work: Work, section: str, people: Sequence[Any] = ()) -> Iterator[Job]:
    """What a section's tables ask of every agent."""
    if section == "adhoc":
        for game in runs.hanabi(work):
            for agent, team in runs.strangers(work, game):
                yield _job(section, agent, game, partial(runs.trials, game=game, agent=agent, team=team), team)
    elif section == "ah2ac2":
        for game in runs.hanabi(work):
            for agent, proxies in runs.candidates(work, game).items():
                yield _job(section, agent, game, partial(runs.with_proxies, game=game, agent=agent, proxies=proxies))
    elif section == "prediction":
        for recorded in runs.recordings(work, people):
            game = recorded.games(1).game
            for agent in runs.predictors(work, game):
                yield _job(section, agent, game, partial(runs.foresight, recorded=recorded, agent=agent))
    elif section == "proximity":
        for game in runs.proximity_games(work):
            for agent, one in runs.meetings(work, game):
                yield _job(section, agent, game, partial(runs.returns, game=game, agent=agent, partner=one), one)
    elif section == "robustness":
        for games in runs.test_places(work):
            for agent in runs.tested(work, games):
                yield _job(section, agent, games[0], partial(runs.passed_tests, games=games, agent=agent))


def _job(section: str, agent: str, game: Game, run: Callable[[Work], Any], other: str = "") -> Job:
    where = getattr(game, "layout", "") or f"{game.players} players"
    return Job(section, f"{where}: {agent}{' with ' + other if other else ''}", agent, game, run)


def share_out(work: Work, jobs: Sequence[Job], on: On) -> None:
    """Runs the jobs where they are wanted: the longest first; the others shuffled, so that different agents are
    compiled at a time.

    What one has compiled, the others then find on the disk.
    """
    slow = {job.agent: not is_policy(make_agent(job.agent, job.game)) for job in jobs}
    ordered = random.Random(0).sample(jobs, len(jobs))
    ordered.sort(key=lambda job: not (slow[job.agent] or job.section == LONGEST))
    begun = time.monotonic()
    tasks = [(".", partial(_timed, place, job.run, work)) for place, job in enumerate(ordered)]
    done_ones = write_folders(where(on), work.cache, tasks)
    for done, (_, (place, seconds)) in enumerate(done_ones, 1):
        passed, job = time.monotonic() - begun, ordered[place]
        work.say(f"[{done}/{len(jobs)}, {passed:.0f} s] {job.section}, {job.name} ({seconds:.1f} s of processor)")


def _timed(place: int, run: Callable[[Work], Any], work: Work, cache: Path) -> tuple[int, float]:
    begun = time.process_time()
    run(dataclasses.replace(work, cache=cache))
    return place, time.process_time() - begun
