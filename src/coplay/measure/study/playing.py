"""How jobs are played: one after the other, or by workers elsewhere, which make the agents anew from their specs."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from itertools import groupby
from typing import Any, NamedTuple

from coplay.agents.spec import agent as make_agent
from coplay.game import Game
from coplay.games import can_be_made_again, make, spec_of
from coplay.measure import MeasureError
from coplay.measure.study.cast import Cast
from coplay.measure.study.costs import since, spent
from coplay.measure.study.endings import Ending, endings
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import DoneJob, Job
from coplay.rollouts.episode_file import file_of
from coplay.rollouts.play import play
from coplay.rollouts.precompile import precompiled
from coplay.rollouts.team import Player, is_policy
from coplay.rollouts.where import On, Where, where

ToRow = Callable[[Job, Ending], Any]  # no lambda where others play: it has to travel
Work = Callable[[], None]
PartWork = Callable[[Game, Cast, list[Job]], Iterable[DoneJob]]  # no lambda either


class Venue(NamedTuple):
    """What every job is played with."""

    game: Game
    everyone: Cast
    to_row: ToRow  # a row of how a game ended
    move_seconds: float = MOVE_SECONDS


def nothing() -> None:
    """No lambda: it may have to go to another process."""


def playing(venue: Venue, on: On = 1, beside: Work = nothing, threaded: bool = True) -> Any:
    """A function that plays jobs, for `carry_on`; `beside` is done meanwhile, in a thread if it may be."""
    place = place_of(on, venue.everyone.has_objects)
    if place.alone:
        return partial(_play_here, venue, beside, threaded)
    return partial(_share, venue, beside, place)


def place_of(on: On, has_objects: bool) -> Where:
    """The place, where those who play can get there."""
    place = where(on)
    if has_objects and not place.alone:
        raise MeasureError(
            f"--on {on}: workers make the agents anew, and an object cannot be sent; name the agents by their specs."
        )
    return place


def _play_here(venue: Venue, beside: Work, threaded: bool, jobs: list[Job]) -> Iterator[DoneJob]:
    """`beside` is done from the end of the first team on: compilers leave a core free now and then, and by then the
    rules and the first agents are compiled for both."""
    if not jobs:
        beside()
        return
    players = venue.everyone.players
    seated = dict.fromkeys(name for job in jobs for name in job.members)
    with (
        _meanwhile(beside, threaded) as begin,
        precompiled(venue.game, [players[name] for name in seated], len(jobs[0].deals)) as ready,
    ):
        for job in jobs:
            for name in dict.fromkeys(job.members):
                ready(players[name])
            yield play_job(venue, job)
            begin()


def _share(venue: Venue, beside: Work, place: Where, jobs: list[Job]) -> Iterator[DoneJob]:
    """Jobs of one first key stay with one worker. Those of plain agents are sent first: they take the longest, and the
    others fill what is left in the end."""
    parts = [list(group) for _, group in groupby(jobs, lambda job: job.key[0])]
    parts.sort(key=lambda part: -sum(_plain_moves(venue, job) for job in part))
    work = partial(_play_part, venue.to_row, venue.move_seconds)
    shared = [Part(venue.game, venue.everyone.specs, part) for part in parts]
    yield from share_parts(place, shared, work, beside)


class Part(NamedTuple):
    """Jobs that one worker does, in what game and with whom."""

    game: Game
    specs: Mapping[str, str]  # of everybody
    jobs: list[Job]


def share_parts(place: Where, parts: Sequence[Part], work: PartWork, beside: Work = nothing) -> Iterator[DoneJob]:
    """Workers make games and agents anew from their specs, and `work` does what is to be done with them."""
    tasks = []
    for game, specs, jobs in parts:
        # The class of a game from somebody's file is not known elsewhere, but its spec makes it again.
        sent = pickle.dumps(spec_of(game) if can_be_made_again(game) else game)
        needed = {name: specs[name] for job in jobs for name in job.members if name in specs}
        tasks.append(partial(_do_part, sent, needed, work, jobs))
    for done in place.share(tasks, None if beside is nothing else beside):
        yield from done


def _do_part(game: bytes, specs: dict[str, str], work: PartWork, jobs: list[Job]) -> list[DoneJob]:
    """On a worker, which keeps what it made and compiled for the parts that follow: it belongs to one study."""
    everyone = Cast({name: _made(game, name, spec) for name, spec in specs.items()}, specs)
    return list(work(_game(game), everyone, jobs))


def _plain_moves(venue: Venue, job: Job) -> int:
    """How many games plain agents play in it, each counted for itself."""
    return len(job.deals) * sum(not is_policy(venue.everyone.players[name]) for name in job.members)


def _play_part(to_row: ToRow, move_seconds: float, game: Game, everyone: Cast, jobs: list[Job]) -> Iterator[DoneJob]:
    for job in jobs:
        yield play_job(Venue(game, everyone, to_row, move_seconds), job)


@cache
def _game(sent: bytes) -> Game:
    return make(pickle.loads(sent))


@cache
def _made(game: bytes, name: str, spec: str) -> Player:
    """Two names are two agents, also where they are of one spec: what each has cost is counted apart."""
    return make_agent(spec, _game(game))


def play_job(venue: Venue, job: Job) -> DoneJob:
    """In lock-step, where a policy compiles once for all the teams and seats it plays in."""
    begun = time.monotonic()
    members = {name: venue.everyone.players[name] for name in job.members}
    before = spent(members)
    episodes = play(
        venue.game,
        [members[name] for name in job.members],
        seed=job.seed,
        deals=job.deals,
        engine="lockstep",
        move_seconds=venue.move_seconds,
        progress=False,
    )
    rows = [venue.to_row(job, ending) for ending in endings(episodes)]
    games = file_of(episodes) if job.file else b""
    return DoneJob(job, rows, time.monotonic() - begun, costs=since(before, spent(members)), games=games)


@contextmanager
def _meanwhile(work: Work, threaded: bool) -> Iterator[Work]:
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
