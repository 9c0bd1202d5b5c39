"""The numbers of an evaluation, made from its rows: per partner, per seating, over all partners."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from coplay.measure import stats
from coplay.measure.evaluated.folder import EvaluationRun, GameRow, Teams
from coplay.measure.stats import Estimate

METHOD = (
    "95 % percentile bootstrap, 4,000 resamples. Per partner: deals are drawn, all seatings of a deal together. "
    "Overall: partners and deals are drawn independently, so that it speaks of partners and deals like these; "
    "every team (partner and seating) counts the same."
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Scores:
    """What some games came to."""

    n: int
    mean: Estimate
    sd: float  # of single games; NaN for one
    standard_error: float
    median: Estimate
    zero: float  # share of games that end with nothing
    perfect: float | None  # share with the highest score; None where nobody knows it
    length: float  # turns
    facts: Mapping[str, float]  # means of what else the world of the game tells
    forfeits: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class SeatingScores(Scores):
    """With one partner in one seating (A the agent, P the partner)."""

    seating: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class PartnerScores(Scores):
    """With one partner, over all seatings and in each."""

    partner: str
    seatings: tuple[SeatingScores, ...]


@dataclasses.dataclass(frozen=True, kw_only=True)
class OverallScores(Scores):
    """With all partners."""

    partners: int
    teams: int
    iqm: Estimate  # of the middle half of the games


def own_scores(run: EvaluationRun, teams: Teams) -> Scores:
    """With its own copies."""
    rows = next(iter(teams.values()))
    return _describe(rows, run.max_score, _deals(rows))


def partner_scores(run: EvaluationRun, teams: Teams) -> tuple[PartnerScores, ...]:
    """Partner by partner, in the order they were asked for."""
    return tuple(_with_partner(run, teams, partner) for partner in run.partners)


def overall_scores(run: EvaluationRun, teams: Teams, twins: Collection[str] = ()) -> OverallScores:
    """With all partners together, but for those who play like another."""
    _, *every = teams.items()
    others = [team for (partner, _), team in every if partner not in twins]
    rows = [row for team in others for row in team]
    clusters = (_deals(rows), [row.partner for row in rows])
    scores = np.array([row.score for row in rows])
    return OverallScores(
        **vars(_describe(rows, run.max_score, clusters)),
        partners=len(run.partners) - len(twins),
        teams=len(others),
        iqm=stats.bootstrap(scores, stats.iqm, clusters, resamples=1000),
    )


def _with_partner(run: EvaluationRun, teams: Teams, partner: str) -> PartnerScores:
    _, *others = teams.items()
    mine = {seating: rows for (name, seating), rows in others if name == partner}
    rows = [row for team in mine.values() for row in team]
    seatings = tuple(
        SeatingScores(**vars(_describe(team, run.max_score, _deals(team))), seating=seating)
        for seating, team in mine.items()
    )
    return PartnerScores(**vars(_describe(rows, run.max_score, _deals(rows))), partner=partner, seatings=seatings)


def _deals(rows: Sequence[GameRow]) -> list[int]:
    return [row.game for row in rows]


def _describe(rows: Sequence[GameRow], best: float | None, clusters: Any) -> Scores:
    scores = np.array([row.score for row in rows])
    sd = float(scores.std(ddof=1)) if len(rows) > 1 else math.nan
    return Scores(
        n=len(rows),
        mean=stats.bootstrap(scores, np.mean, clusters),
        sd=sd,
        standard_error=sd / math.sqrt(len(rows)),
        median=stats.bootstrap(scores, np.median, clusters, resamples=1000),
        zero=float((scores == 0).mean()),
        perfect=None if best is None else float((scores >= best).mean()),
        length=float(np.mean([row.length for row in rows])),
        facts={name: float(np.mean([row.facts[name] for row in rows])) for name in rows[0].facts},
        forfeits=sum(bool(row.forfeit) for row in rows),
    )
