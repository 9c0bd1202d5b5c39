"""Evaluations side by side: games on the same deal, with the same partner, in the same seating, in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from coplay.measure import MeasureError, stats
from coplay.measure.run_folder import RunFolder
from coplay.measure.stats import Estimate
from coplay.measure.summary import finished

SELF_PLAY, ALL = "its own copies", "all partners"
ALIKE = ("game", "game_version", "players", "game_settings", "seed", "coplay")


class Line(NamedTuple):
    """One partner: the mean of every run, and how far each run after the first is above the first."""

    partner: str
    means: tuple[float, ...]  # [runs]
    differences: tuple[Estimate, ...]  # [runs - 1]
    pairs: int  # games of each run that were compared


class Comparison(NamedTuple):
    names: tuple[str, ...]  # of the runs
    runs: tuple[dict[str, Any], ...]  # their settings
    lines: tuple[Line, ...]  # all shared partners first, then self-play, then partner by partner
    left_out: tuple[str, ...]  # partners that not every run met


def compare(folders: Sequence[RunFolder]) -> Comparison:
    """Paired differences of two or more evaluations, each against the first."""
    if len(folders) < 2:
        raise MeasureError(f"a comparison needs two run folders or more; got {len(folders)}.")
    found = [finished(folder) for folder in folders]
    runs = [run for run, _ in found]
    for folder, run in zip(folders[1:], runs[1:], strict=True):
        _check(folders[0], runs[0], folder, run)
    games = min(run["games"] for run in runs)
    shared = [name for name in runs[0]["partners"] if all(name in run["partners"] for run in runs)]
    if not shared:
        raise MeasureError(
            f"{' and '.join(str(folder.path) for folder in folders)} share no partner. "
            "Evaluate them with the same --partners."
        )
    ways = [way for name, way in found[0][1] if name == shared[0]]
    ways = [way for way in ways if all((shared[0], way) in teams for _, teams in found)]

    def line(name: str, teams: Sequence[Sequence[tuple[str, str]]]) -> Line:
        """`teams`: per run, the teams to compare, in the same order."""
        rows = [
            [row for key in mine for row in all_[key][:games]] for mine, (_, all_) in zip(teams, found, strict=True)
        ]
        scores = [np.array([row.score for row in run]) for run in rows]
        deals = [row.game for row in rows[0]]
        clusters: Any = (deals, [row.partner for row in rows[0]]) if name == ALL else deals
        apart = [stats.bootstrap(other - scores[0], np.mean, clusters) for other in scores[1:]]
        return Line(name, tuple(float(run.mean()) for run in scores), tuple(apart), len(deals))

    everyone = [(partner, way) for partner in shared for way in ways]
    lines = [line(ALL, [everyone] * len(runs))]
    lines.append(line(SELF_PLAY, [[(run["agent"], "A" * run["players"])] for run in runs]))
    lines += [line(partner, [[(partner, way) for way in ways]] * len(runs)) for partner in shared]
    met = dict.fromkeys(name for run in runs for name in run["partners"])
    return Comparison(
        names=_names(folders, runs),
        runs=tuple(runs),
        lines=tuple(lines),
        left_out=tuple(name for name in met if name not in shared),
    )


def _check(first: RunFolder, reference: dict[str, Any], folder: RunFolder, run: dict[str, Any]) -> None:
    for name in ALIKE:
        if run[name] != reference[name]:
            raise MeasureError(
                f"{folder.path} has {name} {run[name]} but {first.path} has {reference[name]}: their games are not "
                "on the same deals. Evaluate both with the same game, version and seed."
            )


def _names(folders: Sequence[RunFolder], runs: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The agents' specs; where these are equal, the folders."""
    agents = [run["agent"] for run in runs]
    if len(set(agents)) == len(agents):
        return tuple(agents)
    return tuple(str(folder.path) for folder in folders)
