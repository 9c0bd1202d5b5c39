"""Plays a suite of unit tests, in a folder that goes on where it stopped, and sums it up."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay import __version__
from coplay.agents.contents import file_hashes
from coplay.agents.spec import agent as make_agent
from coplay.compiling import quick_jit
from coplay.faces import Tests, faces_of
from coplay.game import Game
from coplay.games import make, spec_of
from coplay.measure import MeasureError
from coplay.measure.robustness.excerpt import Starts, play_from
from coplay.measure.robustness.result import (
    Outcome,
    Robustness,
    RobustnessFolder,
    RobustnessRun,
    UnitGame,
    UnitScore,
    category_scores,
)
from coplay.measure.robustness.unit_test import UnitTest
from coplay.measure.study.cast import Cast, Named, names_of
from coplay.measure.study.costs import since, spent
from coplay.measure.study.endings import endings
from coplay.measure.study.folder import Key, place_for
from coplay.measure.study.playing import Part, place_of, share_parts
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import DoneJob, Job, Say, carry_on, finished, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.episode_file import file_of
from coplay.rollouts.seeds import derive
from coplay.rollouts.team import Player, seat_team
from coplay.rollouts.where import On, Where

Array = jax.Array


class Suite(NamedTuple):
    """The tests of one game."""

    game: Game
    where: str
    tests: list[UnitTest]


def robustness(
    games: str | Game | Sequence[str | Game],
    agent: Named,
    rollouts: int = 50,
    seed: int = 0,
    room: int = 0,
    *,
    out: str | Path | None = None,
    name: str | None = None,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    say: Say = quiet,
) -> Robustness:
    """Runs the unit tests of each game: a spec, a game, or several. With `out` the same call goes on there.

    All tests of a game that share a partner are played as one batch, `rollouts` times from each start. Batches are
    filled up to `room` games: where so many are played in lock-step too, the agent is compiled once for both.
    """
    whole("rollouts", rollouts, 1)
    whole("seed", seed, 0)
    places = [games] if isinstance(games, str) or not isinstance(games, Sequence) else games
    suites = _suites([make(one) for one in places])
    called = name or names_of([agent])[0][0]
    specs = [spec_of(suite.game) for suite in suites]
    run = RobustnessRun(
        format=RobustnessFolder.format,
        coplay=__version__,
        files=file_hashes([*specs, *([agent] if isinstance(agent, str) else [])]),
        specs={called: agent} if isinstance(agent, str) and called != agent else {},
        seed=seed,
        move_seconds=move_seconds,
        agent=called,
        games=tuple(specs),
        rollouts=rollouts,
    )
    folder = RobustnessFolder(place_for(out))
    how = Played(called, rollouts, seed, room, move_seconds)
    done = carry_on(folder, run, _jobs(run, suites), _testing(suites, agent, how, on), say)
    return _sum_up(folder, folder.run(), suites, done)


def read_robustness(where: RobustnessFolder | str | Path) -> Robustness:
    """The result of a run folder."""
    folder = where if isinstance(where, RobustnessFolder) else RobustnessFolder(where)
    run = folder.run()
    suites = _suites([make(spec) for spec in run.games])
    return _sum_up(folder, run, suites, finished(folder, _jobs(run, suites)))


def _suites(games: Sequence[Game]) -> list[Suite]:
    if not games:
        raise MeasureError("no games given; name at least one, such as 'hanabi?players=2'.")
    return [Suite(game, face_of(game).where(game), suite_of(game)) for game in games]


def suite_of(game: Game) -> list[UnitTest]:
    """The unit tests for this game."""
    return face_of(game).suite(game)


def face_of(game: Game) -> Tests:
    """The unit tests of a game's world."""
    face = faces_of(game).tests
    if face is None:
        raise MeasureError(f"{game.name} has no unit tests: its world has no `tests` face.")
    return face


def _jobs(run: RobustnessRun, suites: Sequence[Suite]) -> list[Job]:
    """A job for every test."""
    return [
        Job(
            key=(where, test.name),
            says=f"{where}, {test.name}",
            members=(run.agent, test.partner),
            seed=run.seed,
            deals=range(test.num_starts * run.rollouts),
            file=f"games/{where}-{test.name}.safetensors".replace(" ", "-"),
        )
        for _, where, tests in suites
        for test in tests
    ]


def _sum_up(
    folder: RobustnessFolder, run: RobustnessRun, suites: Sequence[Suite], done: dict[Key, list[UnitGame]] | Any
) -> Robustness:
    outcomes, tests = [], []
    files = {job.key: job.file for job in _jobs(run, suites)}
    for game, where, suite in suites:
        for test in suite:
            key = (where, test.name)
            passed = np.array([bool(row.passed) for row in done[key]]).reshape(test.num_starts, run.rollouts)
            outcomes.append(Outcome(where, test, passed, folder / files[key], game))
            failures = tuple(np.flatnonzero(~passed.reshape(-1)).tolist())
            about = (where, test.category, test.name, test.partner, test.num_starts)
            tests.append(UnitScore(*about, outcomes[-1].score, test.says, files[key], failures))
    return Robustness(
        run=run,
        tests=tuple(tests),
        categories=category_scores(tuple(outcomes)),
        folder=folder.path,
        outcomes=tuple(outcomes),
        games=tuple(row for rows in done.values() for row in rows),
    )


class Played(NamedTuple):
    """What the tests of every game are played with."""

    agent: str  # what it is called
    rollouts: int
    seed: int
    room: int
    move_seconds: float


def _testing(suites: Sequence[Suite], agent: Named, how: Played, on: On) -> Any:
    """A function that does jobs, for `carry_on`; elsewhere a worker has the tests of a game that share a partner."""
    place = place_of(on, not isinstance(agent, str))
    casts = [
        Cast({how.agent: make_agent(agent, suite.game)}, {}) for suite in suites
    ]  # here too: mistakes show at once
    return partial(_test_here, suites, casts, how) if place.alone else partial(_share, place, suites, agent, how)


def _test_here(suites: Sequence[Suite], casts: Sequence[Cast], how: Played, jobs: list[Job]) -> Iterator[DoneJob]:
    for suite, everyone in zip(suites, casts, strict=True):
        yield from do_tests(how, suite.game, everyone, [job for job in jobs if job.key[0] == suite.where])


def _share(place: Where, suites: Sequence[Suite], agent: str, how: Played, jobs: list[Job]) -> Iterator[DoneJob]:
    partners = {(suite.where, test.name): test.partner for suite in suites for test in suite.tests}
    groups: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.key[0], partners[job.key]), []).append(job)
    games = {suite.where: suite.game for suite in suites}
    parts = [Part(games[where], {how.agent: agent}, mine) for (where, _), mine in groups.items()]
    yield from share_parts(place, parts, partial(do_tests, how))


def do_tests(how: Played, game: Game, everyone: Cast, jobs: list[Job]) -> Iterator[DoneJob]:
    """Jobs of one game."""
    wanted = {job.key: job for job in jobs}
    suite = _suites([game])[0]
    missing = [test for test in suite.tests if (suite.where, test.name) in wanted]
    for group in _same_partner(missing):
        yield from _play_group(suite, everyone.players[how.agent], group, how, wanted)


def _same_partner(tests: Sequence[UnitTest]) -> list[list[UnitTest]]:
    groups: dict[str, list[UnitTest]] = {}
    for test in tests:
        groups.setdefault(test.partner, []).append(test)
    return list(groups.values())


def _play_group(
    suite: Suite,
    tested: Player,
    group: list[UnitTest],
    how: Played,
    wanted: dict[Key, Job],
) -> Iterator[DoneJob]:
    """All tests of a game with one partner, in one batch; all batches have one size, so that little compiles."""
    begun, before_all = time.monotonic(), spent({how.agent: tested})
    game, where, tests = suite
    rollouts, seed = how.rollouts, how.seed
    room = max(how.room, rollouts * max(sum(test.num_starts for test in one) for one in _same_partner(tests)))
    seat, partner = group[0].seat, group[0].make_partner()
    team = seat_team(game, [tested if other == seat else partner for other in range(game.players)])
    prepared = [test.prepare(rollouts, seed) for test in group]
    starts = _join(prepared)
    keys = _keys(where, group, rollouts, seed)
    ended = play_from(game, team, starts, keys, int(starts.turns.max()), room, how.move_seconds)
    first = 0
    for test in group:
        rows = np.arange(first, first + test.num_starts * rollouts)
        first += len(rows)
        mine, before, after = (_pick(tree, rows) for tree in (starts, ended.before, ended.after))
        passed = test.passed(mine, before, after)
        episodes = ended.episodes[rows]
        passed[[forfeit.game for forfeit in episodes.forfeits if forfeit.seat == seat]] = False
        job = wanted[where, test.name]
        told = [
            UnitGame(where, test.name, number, *divmod(number, rollouts), int(one), ending.length, ending.forfeit)
            for number, (one, ending) in enumerate(zip(passed.tolist(), endings(episodes), strict=True))
        ]
        now = spent({how.agent: tested})  # of the whole batch, with its first test
        says, costs = f"{passed.mean():.2f} passed", since(before_all, now)
        yield DoneJob(job, told, time.monotonic() - begun, says, costs, file_of(episodes))
        begun, before_all = time.monotonic(), now


def _keys(where: str, tests: list[UnitTest], rollouts: int, seed: int) -> Array:
    """One key per game: adding tests, starts or rollouts changes nobody else's."""
    parts = []
    for test in tests:
        start, rollout = np.divmod(np.arange(test.num_starts * rollouts), rollouts)
        keys = _fold(derive(seed, "robustness", where, test.name), start, rollout)
        parts.append(np.asarray(jax.random.key_data(keys)))
    return jax.random.wrap_key_data(jax.device_put(np.concatenate(parts)))


@quick_jit
def _fold(key: Array, start: Array, rollout: Array) -> Array:
    def of_game(start: Array, rollout: Array) -> Array:
        return jax.random.fold_in(jax.random.fold_in(key, start), rollout)

    return jax.vmap(of_game)(start, rollout)


def _pick(tree: Any, rows: np.ndarray) -> Any:
    return jax.tree.map(lambda leaf: leaf[rows], tree)


def _join(parts: list[Starts]) -> Starts:
    """One batch of all; scripts are filled up to the longest."""
    moves = max(part.script.shape[1] for part in parts)
    script = [np.pad(part.script, ((0, 0), (0, moves - part.script.shape[1])), constant_values=-1) for part in parts]
    return Starts(
        states=jax.tree.map(lambda *leaves: np.concatenate(leaves), *(part.states for part in parts)),
        turns=np.concatenate([part.turns for part in parts]),
        script=np.concatenate(script),
        watched=np.concatenate([part.watched for part in parts]),
    )
