"""How an agent compares with the pool's agents: what they score with the same partners, from tables we ship.

The tables in `reference/` are cross-play of the default pool: a row per ordered pair, the first agent in seat 0, the
second in all other seats (1,000 games of Hanabi, 50 of Overcooked, seed 0). An evaluation is held against them seating
by seating: two players in both seats, more in seat 0.
"""

from __future__ import annotations

import csv
import math
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from coplay.games.game import Game
from coplay.games.registry import make
from coplay.measure.seatings import AGENT, PARTNER
from coplay.play.episode_file import settings_of
from coplay.report.charts import Mark, strip
from coplay.report.html import folded, paragraph, section, table

Reference = dict[tuple[str, str], tuple[float, float]]  # (seat 0, other seats) -> mean, standard error


class Rival(NamedTuple):
    """One agent of the pool beside the one that was evaluated, both with the same partners."""

    name: str
    partners: int
    mean: float
    this: float  # mean of the agent that was evaluated
    error: float  # standard error of the difference

    @property
    def difference(self) -> float:
        return self.this - self.mean


def comparison_section(summary: dict[str, Any]) -> str:
    """Nothing where there is no table for this game, or no partner of this run is in it."""
    run = summary["run"]
    known = reference_of(run)
    found = [] if known is None else rivals(summary, known)
    if known is None or not found:
        return ""
    better = [one for one in found if one.difference < 0]
    words = (
        f"{len(better)} of {len(found)} agents of the pool score more than {run['agent']} with the same partners"
        f"{': ' + ', '.join(one.name for one in better) if 0 < len(better) < 6 else ''}."
    )
    marks = [_mark(one) for one in found]
    ends = [end for mark in marks for end in (mark.low, mark.high) if end is not None]
    legend = (
        "Dot: how much more this agent scores than the named one, with the partners both met; band: 95 % interval for "
        "these partners. pool: the named agent's own mean. Blue: this agent scores more; red: less; grey: not certain."
    )
    return section(
        "Compared with the pool's agents",
        paragraph(words),
        strip(marks, min(0.0, *ends), max(0.0, *ends), ("diff.", "pool"), "+.1f"),
        paragraph(legend, "soft small"),
        folded("Partner by partner", _partners(summary, known)),
    )


def reference_of(run: dict[str, Any]) -> Reference | None:
    """The shipped table of the run's game; None for a game with other settings, or of another version."""
    settings = run["game_settings"]
    layout = settings.get("layout")
    name = f"{run['game']}-{layout}" if layout else f"{run['game']}-{run['players']}p"
    file = resources.files("coplay.report").joinpath("reference", f"{name}.csv")
    if not file.is_file():
        return None
    game: Game = make(run["game"], layout=layout) if layout else make(run["game"], players=run["players"])
    usual = settings_of(game)
    if any(settings.get(name) != value for name, value in _json(usual).items()) or run["game_version"] != game.version:
        return None
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return {(row["seat 0"], row["other seats"]): (float(row["mean"]), float(row["standard error"])) for row in rows}


def _json(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def rivals(summary: dict[str, Any], known: Reference) -> list[Rival]:
    """Every agent of the table with the partners of this run, itself left out; the best first."""
    run = summary["run"]
    mine = _own(summary)
    found = []
    for name in dict.fromkeys(first for first, _ in known):
        shared = [partner for partner in mine if partner != name and _met(known, name, partner)]
        if name == run["agent"] or not shared:
            continue
        theirs = [_theirs(known, name, partner, run["players"]) for partner in shared]
        pairs = [*theirs, *(mine[partner] for partner in shared)]
        error = math.sqrt(sum(one[1] ** 2 for one in pairs)) / len(shared)
        mean, this = (float(np.mean([one[0] for one in part])) for part in (theirs, [mine[p] for p in shared]))
        found.append(Rival(name, len(shared), mean, this, error))
    return sorted(found, key=lambda one: -one.mean)


def _met(known: Reference, name: str, partner: str) -> bool:
    """Has the table both orders? Slow agents did not meet everybody."""
    return (name, partner) in known and (partner, name) in known


def _theirs(known: Reference, name: str, partner: str, players: int) -> tuple[float, float]:
    """Mean and standard error of a pool agent with a partner, over the seatings the table has."""
    cells = [known[name, partner]] + ([known[partner, name]] if players == 2 else [])
    return float(np.mean([mean for mean, _ in cells])), math.sqrt(sum(error**2 for _, error in cells)) / len(cells)


def _own(summary: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """The same of the agent that was evaluated, in the same seatings."""
    players = summary["run"]["players"]
    wanted = {AGENT + PARTNER * (players - 1), *([PARTNER + AGENT] if players == 2 else [])}
    found = {}
    for one in summary["partners"]:
        ways = [way for way in one["seatings"] if way["seating"] in wanted]
        errors = [way["standard_error"] or 0.0 for way in ways]
        mean = float(np.mean([way["mean"]["value"] for way in ways]))
        found[one["partner"]] = (mean, math.sqrt(sum(error**2 for error in errors)) / len(ways))
    return found


def _mark(one: Rival) -> Mark:
    reach = 1.96 * one.error
    low, high = one.difference - reach, one.difference + reach
    kind = "bad" if high < 0 else "" if low > 0 else "unsure"
    return Mark(one.name, one.difference, low, high, f"{one.mean:.1f}", kind)


def _partners(summary: dict[str, Any], known: Reference) -> str:
    run = summary["run"]
    names = dict.fromkeys(first for first, _ in known)
    rows = []
    for partner, (mean, _) in _own(summary).items():
        others = {
            name: _theirs(known, name, partner, run["players"])[0]
            for name in names
            if name not in (partner, run["agent"]) and _met(known, name, partner)
        }
        if others:
            best = max(others, key=lambda name: others[name])
            place = 1 + sum(value > mean for value in others.values())
            rows.append([partner, f"{mean:.2f}", f"{place} of {len(others) + 1}", f"{best} {others[best]:.2f}"])
    return table(["partner", "this agent", "place", "best of the pool with this partner"], rows)
