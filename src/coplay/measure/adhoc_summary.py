"""The numbers of ad-hoc trials: per team and number of observed games, and over all teams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coplay.measure import MeasureError, stats
from coplay.measure.adhoc import AdHocFolder, Trial
from coplay.measure.plain import plain

METHOD = (
    "95 % percentile bootstrap, 4,000 resamples. Per team: sets of games are drawn, all trials of a set together. Over "
    "all teams: teams and sets are drawn independently. The difference is the trial's score minus the team's own score "
    "on the same deal."
)


def summarise_adhoc(folder: AdHocFolder) -> dict[str, Any]:
    """What summary.json holds."""
    run = folder.settings()
    done = folder.complete(run["trials"])
    wanted = [(partner, amount) for amount in run["observe"] for partner in run["partners"]]
    missing = [team for team in wanted if team not in done]
    if missing:
        raise MeasureError(
            f"{folder.path} is not finished: {len(missing)} of {len(wanted)} teams are missing. "
            "Repeat its coplay adhoc command; it goes on where it stopped."
        )
    teams = []
    for partner, amount in wanted:
        rows = done[partner, amount]
        sets = [row.set for row in rows]
        teams.append({"partner": partner, "observed": amount, **_describe(rows, sets)})
    overall = []
    for amount in run["observe"]:
        rows = [row for partner in run["partners"] for row in done[partner, amount]]
        clusters = ([row.partner for row in rows], [row.set for row in rows])
        overall.append({"observed": amount, **_describe(rows, clusters)})
    return {"run": run, "method": METHOD, "overall": overall, "teams": teams}


def _describe(rows: Sequence[Trial], clusters: Any) -> dict[str, Any]:
    scores = np.array([row.score for row in rows])
    own = np.array([row.team_score for row in rows])
    return {
        "n": len(rows),
        "mean": plain(stats.bootstrap(scores, np.mean, clusters)),
        "sd": _sd(scores),
        "zero": float((scores == 0).mean()),
        "team_mean": plain(stats.bootstrap(own, np.mean, clusters)),
        "team_sd": _sd(own),
        "difference": plain(stats.bootstrap(scores - own, np.mean, clusters)),
        "forfeits": sum(bool(row.forfeit) for row in rows),
    }


def _sd(scores: np.ndarray) -> float | None:
    return float(scores.std(ddof=1)) if len(scores) > 1 else None
