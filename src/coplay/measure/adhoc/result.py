"""Ad-hoc trials as rows and as a result: per team and number of observed games, and over all teams."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.measure import stats
from coplay.measure.stats import Estimate
from coplay.measure.study.folder import Folder, Key
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import GameRun
from coplay.measure.study.runner import Job

METHOD = (
    "95 % percentile bootstrap, 4,000 resamples. Per team: sets of games are drawn, all trials of a set together. Over "
    "all teams: teams and sets are drawn independently. The difference is the trial's score minus the team's own score "
    "on the same deal."
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class AdHocRun(GameRun):
    """What was asked."""

    agent: str
    partners: tuple[str, ...]
    trials: int  # with every team
    sets: int
    observe: tuple[int, ...]  # how many games of the team the agent is given

    @property
    def jobs(self) -> list[Job]:
        """The plan: a job is a team and a number of games that the agent is given."""
        return [
            Job(
                key=(partner, amount),
                says=f"with {partner}, given {amount} games",
                members=(self.agent, partner),
                seed=self.seed,
                deals=range(self.trials),
            )
            for partner in self.partners
            for amount in self.observe
        ]


class Trial(NamedTuple):
    """A line of games.csv."""

    agent: str
    partner: str  # the hold-out team: copies of this one
    observed: int  # games of the team that the agent was given
    trial: int  # same seed and number, same deal, seat and set
    set: int  # which set of games
    seat: int  # where the agent sat
    score: float
    team_score: float  # of the team by itself on this deal
    length: int
    forfeit: str


class AdHocFolder(Folder[Trial, AdHocRun]):
    """The folder of ad-hoc trials."""

    format, what, command = "coplay ad-hoc 1", "ad-hoc evaluation", "coplay adhoc AGENT"
    row, asked, key, number = Trial, AdHocRun, ("partner", "observed"), "trial"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrialScores:
    """What some trials came to, beside what the teams score by themselves."""

    observed: int  # games of the team that the agent was given
    n: int
    mean: Estimate
    sd: float  # of single trials; NaN for one
    zero: float  # share that ends with nothing
    team_mean: Estimate
    team_sd: float
    difference: Estimate  # to the team by itself, on the same deals
    forfeits: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class TeamTrialScores(TrialScores):
    """Of one hold-out team."""

    partner: str


@dataclasses.dataclass(frozen=True, repr=False)
class AdHoc(Result):
    """How well an agent fits into teams it has never met."""

    run: AdHocRun
    method: str
    overall: tuple[TrialScores, ...]  # by number of observed games
    teams: tuple[TeamTrialScores, ...]
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        last, count = self.overall[-1], len(self.run.partners)
        whom = f"{count} team{'s'[: count != 1]} given {last.observed} games"
        return f"{self.run.agent} in {whom}: {last.mean.short()}, the teams alone {last.team_mean.value:.2f}"

    def rows(self) -> Rows:
        """A row per team and number of observed games, then all teams."""
        lines = [*((one.partner, one) for one in self.teams), *(("all teams", one) for one in self.overall)]
        return [
            {
                "team": name,
                "given": one.observed,
                "trials": one.n,
                "mean": one.mean.value,
                "low": one.mean.low,
                "high": one.mean.high,
                "zero": one.zero,
                "alone": one.team_mean.value,
                "difference": one.difference.value,
                "forfeits": one.forfeits,
            }
            for name, one in lines
        ]


def sum_up(folder: AdHocFolder, run: AdHocRun, done: Mapping[Key, list[Trial]]) -> AdHoc:
    teams = []
    for amount in run.observe:
        for partner in run.partners:
            rows = done[partner, amount]
            teams.append(TeamTrialScores(partner=partner, **vars(_describe(amount, rows, [row.set for row in rows]))))
    overall = []
    for amount in run.observe:
        rows = [row for partner in run.partners for row in done[partner, amount]]
        overall.append(_describe(amount, rows, ([row.partner for row in rows], [row.set for row in rows])))
    return AdHoc(run, METHOD, tuple(overall), tuple(teams), folder.path)


def _describe(amount: int, rows: Sequence[Trial], clusters: Any) -> TrialScores:
    scores = np.array([row.score for row in rows])
    own = np.array([row.team_score for row in rows])
    return TrialScores(
        observed=amount,
        n=len(rows),
        mean=stats.bootstrap(scores, np.mean, clusters),
        sd=_sd(scores),
        zero=float((scores == 0).mean()),
        team_mean=stats.bootstrap(own, np.mean, clusters),
        team_sd=_sd(own),
        difference=stats.bootstrap(scores - own, np.mean, clusters),
        forfeits=sum(bool(row.forfeit) for row in rows),
    )


def _sd(scores: np.ndarray) -> float:
    return float(scores.std(ddof=1)) if len(scores) > 1 else math.nan
