"""The numbers of an evaluation, made from its rows: per partner, per seating, over all partners."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from coplay.measure import MeasureError, stats
from coplay.measure.evaluated_proximity import evaluated_proximity
from coplay.measure.plain import plain, plain_number
from coplay.measure.run_folder import GameRow, RunFolder
from coplay.measure.seatings import configurations

METHOD = (
    "95 % percentile bootstrap, 4,000 resamples. Per partner: deals are drawn, all seatings of a deal together. "
    "Overall: partners and deals are drawn independently, so that it speaks of partners and deals like these; "
    "every team (partner and seating) counts the same."
)


def finished(folder: RunFolder) -> tuple[dict[str, Any], dict[tuple[str, str], list[GameRow]]]:
    """The settings and the rows by (partner, seating) in the order they were asked for; all must be there."""
    run = folder.settings()
    done = folder.complete(run["games"])
    teams = configurations(run["agent"], tuple(run["partners"]), run["players"], run["seatings"])
    missing = [team for team in teams if (team.partner, team.seating) not in done]
    if missing:
        raise MeasureError(
            f"{folder.path} is not finished: {len(missing)} of {len(teams)} teams are missing. "
            "Repeat its coplay evaluate command; it goes on where it stopped."
        )
    return run, {(team.partner, team.seating): done[team.partner, team.seating] for team in teams}


def summarise(folder: RunFolder) -> dict[str, Any]:
    """What summary.json holds."""
    run, teams = finished(folder)
    selfplay, *others = teams.items()
    best = run["max_score"]
    partners = []
    for partner in run["partners"]:
        mine = {seating: rows for (name, seating), rows in others if name == partner}
        rows = [row for team in mine.values() for row in team]
        entry = {"partner": partner, **_describe(rows, best, [row.game for row in rows])}
        entry["seatings"] = [
            {"seating": seating, **_describe(team, best, [row.game for row in team])} for seating, team in mine.items()
        ]
        partners.append(entry)
    rows = [row for _, team in others for row in team]
    clusters = ([row.game for row in rows], [row.partner for row in rows])
    scores = np.array([row.score for row in rows])
    overall = {"partners": len(partners), "teams": len(others), **_describe(rows, best, clusters)}
    overall["iqm"] = plain(stats.bootstrap(scores, stats.iqm, clusters, resamples=1000))
    self_rows = selfplay[1]
    return {
        "run": run,
        "method": METHOD,
        "self_play": _describe(self_rows, best, [row.game for row in self_rows]),
        "overall": overall,
        "partners": partners,
        "proximity": evaluated_proximity(run, dict(others)),
    }


def _describe(rows: Sequence[GameRow], best: float | None, clusters: Any) -> dict[str, Any]:
    scores = np.array([row.score for row in rows])
    count = len(scores)
    sd = float(scores.std(ddof=1)) if count > 1 else math.nan
    lives = [row.strikes for row in rows if row.strikes is not None]
    return {
        "n": count,
        "mean": plain(stats.bootstrap(scores, np.mean, clusters)),
        "sd": plain_number(sd),
        "standard_error": plain_number(sd / math.sqrt(count)),
        "median": plain(stats.bootstrap(scores, np.median, clusters, resamples=1000)),
        "zero": float((scores == 0).mean()),
        "perfect": None if best is None else float((scores >= best).mean()),
        "length": float(np.mean([row.length for row in rows])),
        "strikes": float(np.mean(lives)) if lives else None,
        "forfeits": sum(bool(row.forfeit) for row in rows),
    }
