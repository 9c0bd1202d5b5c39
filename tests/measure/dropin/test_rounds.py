"""Tournaments that end by themselves: fair rounds, nobody plays on without need, and the intervals hold."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

import coplay
from coplay.games import settings_of, spec_of
from coplay.measure import MeasureError
from coplay.measure.dropin.plan import COPIES, TeamGame, TournamentRun, seats_of
from coplay.measure.dropin.rounds import FIRST, Rounds, round_of

AGENTS = 8
GAME = coplay.make("hanabi-very-small", players=2)


def asked(**changed: Any) -> TournamentRun:
    given = {"games": 4, "matches": None, "rounds": FIRST, "until": 1.0, "most": 10.0, "seed": 0}
    return TournamentRun(
        format="coplay tournament 1",
        coplay="1",
        files={},
        game=GAME.name,
        game_spec=spec_of(GAME),
        game_version=GAME.version,
        players=2,
        game_settings=settings_of(GAME),
        max_score=10,
        agents=tuple(f"agent-{number}" for number in range(AGENTS)),
        **given | changed,
    )


class World:
    """Scores of teams of two on any deal: what the pair is worth, and the luck of the deal."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        worth = rng.uniform(1, 9, (AGENTS, AGENTS))
        self.worth = (worth + worth.T) / 2

    def rows(self, job: Any) -> list[TeamGame]:
        match, side, seats = job.key
        luck = np.random.default_rng([job.seed, *seats_of(job)]).uniform(-1, 1, len(job.deals))
        scores = self.worth[seats_of(job)] + luck
        return [TeamGame(match, side, seats, job.seed, game, float(scores[game]), 9, {}, "") for game in job.deals]

    def teamwork(self) -> np.ndarray:
        """teamworkAGD over all matches, exactly."""
        pairs = list(itertools.combinations(range(AGENTS), 2))
        values = [[] for _ in range(AGENTS)]
        for one, other in itertools.permutations(pairs, 2):
            if not set(one) & set(other):
                for agent in one:
                    values[agent].append(self.worth[one] - self.worth[other])
        own = np.diagonal(self.worth)
        skill = (AGENTS * own - own.sum()) / (2 * (AGENTS - 1))
        return np.array([np.mean(one) for one in values]) - skill


def held(run: TournamentRun, world: World) -> Rounds:
    rounds, teams = Rounds(run), {}
    jobs = rounds.first()
    while jobs:
        teams |= {job.key: world.rows(job) for job in jobs}
        jobs = rounds.more(teams)
    return rounds


def test_in_a_round_everybody_sits_down_once():
    for number in range(5):
        seated = [agent for team_a, team_b in round_of(number, asked()) for agent in team_a + team_b]
        assert sorted(seated) == list(range(AGENTS))


def test_every_match_of_an_agent_is_as_likely_as_any_other():
    run = asked()
    drawn = Counter(frozenset(teams) for number in range(4000) for teams in round_of(number, run))
    assert len(drawn) == 210  # all there are
    expected = sum(drawn.values()) / 210
    chi_square = sum((count - expected) ** 2 / expected for count in drawn.values())
    assert chi_square < 290  # 209 expected; more in one of ten thousand tries


def test_it_ends_when_everybody_is_known_and_the_intervals_hold():
    """Forty teamworks, each with 95 %."""
    wrong = 0
    for seed in range(5):
        world = World(seed)
        found = held(asked(seed=seed), world)
        assert found.unsure == []
        for agent, value in enumerate(world.teamwork()):
            dropin, skill = found.dropin[agent], found.skill[agent]
            low, high = dropin.low - skill.high, dropin.high - skill.low
            assert (high - low) / 2 <= found.until
            wrong += not low <= value <= high
    assert wrong <= 2


def test_a_match_is_played_only_if_it_tells_something():
    found = held(asked(until=0.6), World(1))
    assert found.passed_over > 0
    last = max(job.key[0] for job in found.jobs if job.key[1] != COPIES)
    assert len(found.matches) + found.passed_over == found.drawn * 2 > last


def test_what_the_model_foresees_need_not_be_played(monkeypatch: pytest.MonkeyPatch):
    """The same tournament without it takes more matches."""
    with_model = held(asked(until=0.6), World(2))
    monkeypatch.setattr("coplay.measure.dropin.rounds.expect", lambda *given, **named: None)
    without = held(asked(until=0.6), World(2))
    assert len(with_model.matches) < 0.8 * len(without.matches)


def test_the_plan_is_told_by_the_games_alone():
    """Who goes on in a folder comes to the same jobs, look by look."""
    one, other = held(asked(), World(3)), held(asked(), World(3))
    assert [job.key for job in one.jobs] == [job.key for job in other.jobs]
    assert one.dropin == other.dropin


def test_a_number_of_matches_ends_it_before_that():
    found = held(asked(matches=20), World(4))
    assert len(found.matches) == 20
    assert found.unsure


def test_scores_further_apart_than_was_said_are_refused():
    with pytest.raises(MeasureError, match=r"apart on a deal, and no more than 2 were expected.*--most"):
        held(asked(most=2.0), World(5))
