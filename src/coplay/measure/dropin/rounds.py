"""A tournament that ends by itself: rounds of matches by lot, until everybody's teamwork is known well enough.

In a round everybody sits down once; who sits with and against whom is drawn by lot. So, for every agent, the match of a
round is any of its matches, each with the same chance, and what it ends with has the mean dropinAGD, whatever went
before. That is all that an interval asks for which may be looked at after every round (`coplay.measure.sequential`).
A match is played if anybody in it is still to be known better; nobody else learns from it. Before a round is looked at,
what the linear model of the earlier ones foresaw of each match is taken away, but for its mean over all matches, which
is known: the mean stays what it is, and what scatters is what the model does not know.

Copies play rounds of their own, in the same way, until everybody's skillAGD is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coplay.measure import MeasureError
from coplay.measure.dropin.expected import Expected, expect
from coplay.measure.dropin.games import Team
from coplay.measure.dropin.outcomes import MatchResult, match_results, of_copies
from coplay.measure.dropin.plan import SIDE_A, TournamentRun
from coplay.measure.sequential import anytime_mean
from coplay.measure.stats import Estimate
from coplay.measure.study.folder import Key
from coplay.measure.study.runner import Job

FIRST = 8  # rounds before anybody looks
PART = 4  # then a fourth of what was played before the next look: one look is one plan for many workers
SKILL_SHARE = 1 / 3  # of the width that is asked for; dropinAGD has the rest, for matches cost more
CONFIDENCE = 0.975  # of skillAGD and of dropinAGD; of both at once, 0.95


class Rounds:
    """The plan of such a tournament as far as its games tell it, and what they say."""

    def __init__(self, run: TournamentRun) -> None:
        assert run.until is not None
        assert run.most is not None
        count = len(run.agents)
        self.run, self.until, self.most = run, run.until, run.most
        self.jobs: list[Job] = []
        self.matches: list[MatchResult] = []
        self.copies = self.drawn = self.passed_over = 0  # rounds, rounds, matches
        self.skill: list[Estimate] = []
        self.model: Expected | None = None
        self._seen = [_Seen(self.most) for _ in range(count)]
        self._open = set(range(count))
        self._asked: list[Job] = []  # and not looked at yet

    def first(self) -> list[Job]:
        """What is played before anybody looks."""
        return self._ask(FIRST, FIRST)

    def more(self, teams: Mapping[Key, list[Any]]) -> list[Job]:
        """After all that was asked for has been played: what follows, nothing if all is known."""
        self._look(teams)
        skilled = all(_half(one) <= SKILL_SHARE * self.until for one in self.skill)
        copies = 0 if skilled else max(1, self.copies // PART)
        return self._ask(copies, max(1, self.drawn // PART) if self._open and self._left else 0)

    @property
    def dropin(self) -> list[Estimate]:
        """dropinAGD of every agent."""
        return [one.estimate for one in self._seen]

    @property
    def unsure(self) -> list[str]:
        """Agents that `--matches` stopped before they were known well enough."""
        return [self.run.agents[agent] for agent in sorted(self._open)]

    @property
    def _played(self) -> int:
        """Matches, with those that were asked for."""
        return sum(job.key[1] == SIDE_A for job in self.jobs)

    @property
    def _left(self) -> bool:
        return self.run.matches is None or self._played < self.run.matches

    def _ask(self, copies: int, rounds: int) -> list[Job]:
        self._asked = list(self.run.copies(range(self.copies, self.copies + copies)))
        self.copies += copies
        room = None if self.run.matches is None else self.run.matches - self._played
        for number, teams in self._draw(rounds)[:room]:
            self._asked += self.run.match(number, teams)
        self.jobs += self._asked
        return self._asked

    def _draw(self, rounds: int) -> list[tuple[int, tuple[Team, Team]]]:
        """The matches of the next rounds that tell anything, with their numbers among all that were drawn."""
        found = []
        for number in range(self.drawn, self.drawn + rounds):
            drawn = round_of(number, self.run)
            wanted = [not self._open.isdisjoint(team_a + team_b) for team_a, team_b in drawn]
            first = number * len(drawn)
            found += [(first + place, teams) for place, teams in enumerate(drawn) if wanted[place]]
            self.passed_over += len(drawn) - sum(wanted)
        self.drawn += rounds
        return found

    def _look(self, teams: Mapping[Key, list[Any]]) -> None:
        run = self.run
        copies, new = of_copies(run, self.copies, teams).skill, match_results(run, self._asked, teams)
        bound = self.most / run.per_team
        self._check([np.abs(one.differences).max() for one in new] + [np.abs(copies).max() * run.per_team])
        self.skill = [anytime_mean(line, -bound, bound, confidence=CONFIDENCE) for line in copies]
        averages, lows, highs = self._foreseen()
        for one in new:
            foreseen = 0.0 if self.model is None else self.model.difference(one.team_a, one.team_b)
            for members, sign in ((one.team_a, 1), (one.team_b, -1)):
                for agent in self._open.intersection(members):
                    away = sign * foreseen - averages[agent]
                    self._seen[agent].add(sign * one.difference - away, lows[agent], highs[agent])
        self.matches += new
        for agent in list(self._open):
            self._seen[agent].sum_up()
            if _half(self._seen[agent].estimate) <= (1 - SKILL_SHARE) * self.until:
                self._open.remove(agent)
        known = [one.as_match for one in self.matches]
        self.model = expect(known, len(run.agents), run.per_team, facing=run.sides == 2)

    def _foreseen(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of every agent: the model's mean over all its matches, and the bounds of what is left of a match."""
        count = len(self.run.agents)
        if self.model is None:
            return np.zeros(count), np.full(count, -self.most), np.full(count, self.most)
        averages, (low, high) = self.model.averages(), self.model.bounds()
        return averages, -self.most - (high - averages), self.most - (low - averages)

    def _check(self, apart: Sequence[float]) -> None:
        if max(apart) > self.most:
            raise MeasureError(
                f"two teams ended {max(apart):g} points apart on a deal, and no more than {self.most:g} were expected: "
                "the intervals would be too short. Begin again in another folder, with a larger --most."
            )


class _Seen:
    """What the rounds have said of one agent's dropinAGD."""

    def __init__(self, most: float) -> None:
        self.values: list[float] = []
        self.lows: list[float] = []
        self.highs: list[float] = []
        self.estimate = Estimate(0.0, -most, most, 0)

    def add(self, value: float, low: float, high: float) -> None:
        self.values.append(value)
        self.lows.append(low)
        self.highs.append(high)

    def sum_up(self) -> None:
        if self.values:
            self.estimate = anytime_mean(self.values, self.lows, self.highs, confidence=CONFIDENCE)


def round_of(number: int, run: TournamentRun) -> list[tuple[Team, Team]]:
    """Everybody sits down once, but for those who are left over."""
    size = run.per_team
    order = np.random.default_rng(run.number("round", number)).permutation(len(run.agents)).tolist()
    places = range(0, len(order) - 2 * size + 1, 2 * size)
    return [(tuple(sorted(order[at : at + size])), tuple(sorted(order[at + size : at + 2 * size]))) for at in places]


def _half(one: Estimate) -> float:
    return (one.high - one.low) / 2
