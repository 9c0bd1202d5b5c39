"""Evaluations side by side: games on the same deal, with the same partner, in the same seating, in pairs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coplay.measure import MeasureError, stats
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun, GameRow
from coplay.measure.evaluated.play import played
from coplay.measure.stats import Estimate
from coplay.measure.study.result import Result, Rows

SELF_PLAY, ALL = "its own copies", "all partners"
ALIKE = ("game", "game_version", "players", "game_settings", "seed", "coplay")


@dataclasses.dataclass(frozen=True)
class PartnerDifference:
    """One partner: the mean of every run, and how far each run after the first is above the first."""

    partner: str
    means: tuple[float, ...]  # [runs]
    differences: tuple[Estimate, ...]  # [runs - 1]
    pairs: int  # games of each run that were compared


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Evaluations held against the first of them."""

    names: tuple[str, ...]  # of the runs
    runs: tuple[EvaluationRun, ...]
    lines: tuple[PartnerDifference, ...]  # all shared partners first, then self-play, then partner by partner
    left_out: tuple[str, ...]  # partners that not every run met

    @property
    def title(self) -> str:
        apart = [
            f"{name} {one.short('+.2f')}" for name, one in zip(self.names[1:], self.lines[0].differences, strict=True)
        ]
        return f"compared with {self.names[0]}: {', '.join(apart)}"

    def rows(self) -> Rows:
        """A row per partner and run after the first."""
        return [
            {"partner": line.partner, "run": name, "difference": one.value, "low": one.low, "high": one.high}
            for line in self.lines
            for name, one in zip(self.names[1:], line.differences, strict=True)
        ]


def compare(folders: Sequence[EvaluationFolder]) -> Comparison:
    """Paired differences of two or more evaluations, each against the first."""
    if len(folders) < 2:
        raise MeasureError(f"a comparison needs two run folders or more; got {len(folders)}.")
    found = [played(folder) for folder in folders]
    runs = [one.run for one in found]
    for folder, run in zip(folders[1:], runs[1:], strict=True):
        check_alike(folders[0].path, runs[0], folder.path, run)
    games = min(run.games for run in runs)
    shared = [name for name in runs[0].partners if all(name in run.partners for run in runs)]
    if not shared:
        raise MeasureError(
            f"{' and '.join(str(folder.path) for folder in folders)} share no partner. "
            "Evaluate them with the same --partners."
        )
    ways = [way for name, way in found[0].teams if name == shared[0]]
    ways = [way for way in ways if all((shared[0], way) in one.teams for one in found)]

    def line(name: str, teams: Sequence[Sequence[tuple[str, str]]]) -> PartnerDifference:
        """`teams`: per run, the teams to compare, in the same order."""
        rows = [[row for key in mine for row in one.teams[key][:games]] for mine, one in zip(teams, found, strict=True)]
        return _difference(name, rows)

    everyone = [(partner, way) for partner in shared for way in ways]
    lines = [line(ALL, [everyone] * len(runs))]
    lines.append(line(SELF_PLAY, [[(run.agent, "A" * run.players)] for run in runs]))
    lines += [line(partner, [[(partner, way) for way in ways]] * len(runs)) for partner in shared]
    met = dict.fromkeys(name for run in runs for name in run.partners)
    return Comparison(
        names=_names(folders, runs),
        runs=tuple(runs),
        lines=tuple(lines),
        left_out=tuple(name for name in met if name not in shared),
    )


def _difference(name: str, rows: Sequence[Sequence[GameRow]]) -> PartnerDifference:
    """`rows`: per run, games in pairs."""
    scores = [np.array([row.score for row in run]) for run in rows]
    deals = [row.game for row in rows[0]]
    clusters: Any = (deals, [row.partner for row in rows[0]]) if name == ALL else deals
    apart = [stats.bootstrap(other - scores[0], np.mean, clusters) for other in scores[1:]]
    return PartnerDifference(name, tuple(float(run.mean()) for run in scores), tuple(apart), len(deals))


def check_alike(first: Path, reference: EvaluationRun, folder: Path, run: EvaluationRun) -> None:
    """Refuses evaluations whose games were not on the same deals."""
    for name in ALIKE:
        if getattr(run, name) != getattr(reference, name):
            raise MeasureError(
                f"{folder} has {name} {getattr(run, name)} but {first} has {getattr(reference, name)}: "
                "their games are not on the same deals. Evaluate both with the same game, version and seed."
            )


def _names(folders: Sequence[EvaluationFolder], runs: Sequence[EvaluationRun]) -> tuple[str, ...]:
    """The agents' names; where these are equal, the folders."""
    agents = [run.agent for run in runs]
    if len(set(agents)) == len(agents):
        return tuple(agents)
    return tuple(str(folder.path) for folder in folders)
