"""Plays a suite of unit tests and counts: per test, per category, with intervals, and every failure to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.games.hanabi import Hanabi
from coplay.games.overcooked import Overcooked
from coplay.games.registry import make
from coplay.measure import MeasureError
from coplay.measure.robustness import hanabi, overcooked
from coplay.measure.robustness.excerpt import Starts, play_from
from coplay.measure.robustness.unit_test import CATEGORIES, UnitTest
from coplay.measure.stats import Estimate, bootstrap
from coplay.measure.validate import whole
from coplay.play.episode import Episodes
from coplay.play.haste import hasty_jit
from coplay.play.progress import progress_bar
from coplay.play.seeds import derive
from coplay.play.team import Player, agent_name, seat_team

Array = jax.Array


class Outcome(NamedTuple):
    """How one test went."""

    where: str  # the layout, or hanabi and the number of players
    test: UnitTest
    passed: np.ndarray  # bool [starts, rollouts]
    episodes: Episodes  # the same games, start by start

    @property
    def score(self) -> Estimate:
        """The share of passed games. The starts are given, not drawn, so only the rollouts are resampled."""
        return bootstrap(self.passed.mean(0), np.mean)


class Robustness(NamedTuple):
    """All tests of one agent."""

    agent: str
    outcomes: tuple[Outcome, ...]

    def category(self, name: str, where: str | None = None) -> Estimate:
        """The mean over the tests of a category, every test counting the same; then over layouts, as in the paper."""
        rows: dict[str, list[np.ndarray]] = {}
        for outcome in self.outcomes:
            if outcome.test.category == name and where in (None, outcome.where):
                rows.setdefault(outcome.where, []).append(outcome.passed.mean(0))
        if not rows:
            known = ", ".join(name for name in CATEGORIES if any(name == o.test.category for o in self.outcomes))
            raise MeasureError(f"there are no tests of category {name!r} in {where or 'this result'}; it has {known}.")
        return bootstrap(np.mean([np.mean(tests, 0) for tests in rows.values()], 0), np.mean)

    def table(self) -> list[dict[str, Any]]:
        """One row per test."""
        return [
            {
                "agent": self.agent,
                "where": outcome.where,
                "category": outcome.test.category,
                "test": outcome.test.name,
                "partner": outcome.test.partner,
                "starts": outcome.passed.shape[0],
                "rollouts": outcome.passed.shape[1],
                **_numbers(outcome.score),
                "says": outcome.test.says,
            }
            for outcome in self.outcomes
        ]

    def games(self) -> list[dict[str, Any]]:
        """One row per game."""
        return [
            {
                "agent": self.agent,
                "where": outcome.where,
                "test": outcome.test.name,
                "start": start,
                "rollout": rollout,
                "passed": int(passed),
                "steps": int(outcome.episodes.lengths[start * outcome.passed.shape[1] + rollout]),
            }
            for outcome in self.outcomes
            for (start, rollout), passed in np.ndenumerate(outcome.passed)
        ]

    def categories(self) -> list[dict[str, Any]]:
        """One row per category and place, and where there are several places, one over all of them."""
        places = list(dict.fromkeys(outcome.where for outcome in self.outcomes))
        rows = []
        for where in [*places, *([None] if len(places) > 1 else [])]:
            for name in CATEGORIES:
                tests = {o.test.name for o in self.outcomes if o.test.category == name and where in (None, o.where)}
                if tests:
                    score = _numbers(self.category(name, where))
                    rows.append(
                        {"agent": self.agent, "where": where or "all", "category": name, "tests": len(tests)} | score
                    )
        return rows


class Failure(NamedTuple):
    """The failed games of one test, ready for `coplay.report.replay`."""

    where: str
    test: UnitTest
    starts: np.ndarray  # int [games]: from which start
    episodes: Episodes


def robustness(
    games: str | Game | Sequence[str | Game], agent: str | Player, rollouts: int = 50, seed: int = 0, room: int = 0
) -> Robustness:
    """Runs the unit tests of each game: a layout's name, a game, or several.

    All tests of a game that share a partner are played as one batch, `rollouts` times from each start. Batches are
    filled up to `room` games: where so many are played in lock-step too, the agent is compiled once for both.
    """
    whole("rollouts", rollouts, 1)
    whole("seed", seed, 0)
    places = [_game(one) for one in ([games] if isinstance(games, str) or not isinstance(games, Sequence) else games)]
    if not places:
        raise MeasureError("no games given; name a layout such as 'bottleneck', or make a game of Hanabi.")
    suites = [(game, suite_of(game)) for game in places]
    outcomes: list[Outcome] = []
    total = rollouts * sum(test.num_starts for _, tests in suites for test in tests)
    with progress_bar(agent if isinstance(agent, str) else agent_name(agent), total, None) as advance:
        for game, tests in suites:
            tested = make_agent(agent, game)
            by_name: dict[str, Outcome] = {}
            for outcome in _play_suite(game, tested, tests, rollouts, seed, room):
                by_name[outcome.test.name] = outcome
                advance(outcome.passed.size)
            outcomes += [by_name[test.name] for test in tests]
    return Robustness(agent if isinstance(agent, str) else agent_name(agent), tuple(outcomes))


def failed(result: Robustness) -> list[Failure]:
    """Every failed game, test by test; `coplay.report.replay.page(failure.episodes, 0)` shows the first of one."""
    failures = []
    for outcome in result.outcomes:
        rows = np.flatnonzero(~outcome.passed.reshape(-1))
        if len(rows):
            starts = rows // outcome.passed.shape[1]
            failures.append(Failure(outcome.where, outcome.test, starts, _rows(outcome.episodes, rows)))
    return failures


def suite_of(game: Game) -> list[UnitTest]:
    """The unit tests for this game."""
    if isinstance(game, Overcooked):
        return overcooked.suite(game)
    if isinstance(game, Hanabi):
        return hanabi.suite(game)
    raise MeasureError(f"{getattr(game, 'name', game)!r} has no unit tests; there are some for overcooked and hanabi.")


def _game(named: str | Game) -> Game:
    if not isinstance(named, str):
        return named
    return make(named) if named.startswith("hanabi") else make("overcooked", layout=named)


def where_of(game: Game) -> str:
    """How tables call the game."""
    return game.kitchen.name if isinstance(game, Overcooked) else f"{game.name} {game.players}p"


def _play_suite(
    game: Game, tested: Player, tests: list[UnitTest], rollouts: int, seed: int, room: int
) -> Iterator[Outcome]:
    """All tests of a game, those with the same partner in one batch; batches have one size, so that little compiles."""
    groups: dict[str, list[UnitTest]] = {}
    for test in tests:
        groups.setdefault(test.partner, []).append(test)
    prepared = {test.name: test.prepare(rollouts, seed) for test in tests}
    max_steps = max(int(starts.turns.max()) for starts in prepared.values())
    moves = max(starts.script.shape[1] for starts in prepared.values())
    room = max(room, rollouts * max(sum(test.num_starts for test in group) for group in groups.values()))
    for group in groups.values():
        seat, partner = group[0].seat, group[0].make_partner()
        team = seat_team(game, [tested if other == seat else partner for other in range(game.players)])
        starts = _join([prepared[test.name] for test in group], moves)
        keys = _keys(where_of(game), group, rollouts, seed)
        ended = play_from(game, team, starts, keys, max_steps, room)
        first = 0
        for test in group:
            rows = np.arange(first, first + test.num_starts * rollouts)
            first += len(rows)
            mine, before, after = (_pick(tree, rows) for tree in (starts, ended.before, ended.after))
            passed = test.passed(mine, before, after)
            episodes = _rows(ended.episodes, rows)
            passed[[forfeit.game for forfeit in episodes.forfeits if forfeit.seat == seat]] = False
            yield Outcome(where_of(game), test, passed.reshape(test.num_starts, rollouts), episodes)


def _keys(where: str, tests: list[UnitTest], rollouts: int, seed: int) -> Array:
    """One key per game: adding tests, starts or rollouts changes nobody else's."""
    parts = []
    for test in tests:
        start, rollout = np.divmod(np.arange(test.num_starts * rollouts), rollouts)
        keys = _fold(derive(seed, "robustness", where, test.name), start, rollout)
        parts.append(np.asarray(jax.random.key_data(keys)))
    return jax.random.wrap_key_data(jax.device_put(np.concatenate(parts)))


@hasty_jit
def _fold(key: Array, start: Array, rollout: Array) -> Array:
    def one(start: Array, rollout: Array) -> Array:
        return jax.random.fold_in(jax.random.fold_in(key, start), rollout)

    return jax.vmap(one)(start, rollout)


def _pick(tree: Any, rows: np.ndarray) -> Any:
    return jax.tree.map(lambda leaf: leaf[rows], tree)


def _join(parts: list[Starts], moves: int) -> Starts:
    """One batch of all; scripts are filled up to so many moves."""
    script = [np.pad(part.script, ((0, 0), (0, moves - part.script.shape[1])), constant_values=-1) for part in parts]
    return Starts(
        states=jax.tree.map(lambda *leaves: np.concatenate(leaves), *(part.states for part in parts)),
        turns=np.concatenate([part.turns for part in parts]),
        script=np.concatenate(script),
        watched=np.concatenate([part.watched for part in parts]),
    )


def _rows(episodes: Episodes, rows: np.ndarray) -> Episodes:
    """Some of the games, renumbered."""
    number = {int(row): index for index, row in enumerate(rows)}
    turns = max(int(episodes.lengths[rows].max(initial=1)), 1)
    return Episodes(
        game=episodes.game,
        names=episodes.names,
        starts=_pick(episodes.starts, rows),
        actions=episodes.actions[rows, :turns],
        lengths=episodes.lengths[rows],
        scores=episodes.scores[rows],
        forfeits=tuple(
            type(forfeit)(number[forfeit.game], forfeit.turn, forfeit.seat, forfeit.agent, forfeit.reason)
            for forfeit in episodes.forfeits
            if forfeit.game in number
        ),
    )


def _numbers(estimate: Estimate) -> dict[str, float]:
    return {"score": estimate.value, "low": estimate.low, "high": estimate.high}
