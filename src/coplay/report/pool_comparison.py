"""How an agent compares with the pool's agents: what they score with the same partners, from tables we ship.

The tables (`coplay.pool.reference`) hold what an agent scores among copies of a partner. An evaluation is held against
them in the same seats: all of them, or seat 0 alone where the table knows no others.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from coplay.games.game import Game
from coplay.games.registry import make
from coplay.measure.seatings import AGENT
from coplay.play.episode_file import settings_of
from coplay.pool.reference import ALL, Reference, reference
from coplay.report.charts import Mark, strip
from coplay.report.html import folded, paragraph, section, table


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
        strip(marks, min(0.0, *ends), max(0.0, *ends), ("diff.", "pool"), "+.1f" if max(ends) < 100 else "+.0f"),
        paragraph(legend, "soft small"),
        folded("Partner by partner", _partners(summary, known)),
    )


def reference_of(run: dict[str, Any]) -> Reference | None:
    """The shipped table of the run's game; None for a game with other settings, or of another version."""
    settings = run["game_settings"]
    layout = settings.get("layout")
    game: Game = make(run["game"], layout=layout) if layout else make(run["game"], players=run["players"])
    usual = settings_of(game)
    if any(settings.get(name) != value for name, value in _json(usual).items()) or run["game_version"] != game.version:
        return None
    return reference(game) or None


def _json(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def rivals(summary: dict[str, Any], known: Reference) -> list[Rival]:
    """Every agent of the table with the partners of this run, itself left out; the best first."""
    run, found = summary["run"], []
    for name in dict.fromkeys(agent for agent, _ in known):
        partners = [one for one in summary["partners"] if one["partner"] != name and (name, one["partner"]) in known]
        if name == run["agent"] or not partners:
            continue
        theirs = [known[name, one["partner"]] for one in partners]
        mine = [_own(one, met.seats) for one, met in zip(partners, theirs, strict=True)]
        errors = [met.standard_error for met in theirs] + [error for _, error in mine]
        error = math.sqrt(sum(one**2 for one in errors)) / len(partners)
        mean, this = float(np.mean([met.mean for met in theirs])), float(np.mean([one for one, _ in mine]))
        found.append(Rival(name, len(partners), mean, this, error))
    return sorted(found, key=lambda one: -one.mean)


def _own(partner: dict[str, Any], seats: str) -> tuple[float, float]:
    """Mean and standard error of the agent that was evaluated, alone among copies of a partner, in these seats."""
    alone = [way for way in partner["seatings"] if way["seating"].count(AGENT) == 1]
    ways = alone if seats == ALL else [way for way in alone if way["seating"].startswith(AGENT)]
    errors = [way["standard_error"] or 0.0 for way in ways]
    mean = float(np.mean([way["mean"]["value"] for way in ways]))
    return mean, math.sqrt(sum(error**2 for error in errors)) / len(ways)


def _mark(one: Rival) -> Mark:
    reach = 1.96 * one.error
    low, high = one.difference - reach, one.difference + reach
    kind = "bad" if high < 0 else "" if low > 0 else "unsure"
    return Mark(one.name, one.difference, low, high, f"{one.mean:.1f}" if one.mean < 100 else f"{one.mean:.0f}", kind)


def _partners(summary: dict[str, Any], known: Reference) -> str:
    run = summary["run"]
    rows = []
    for one in summary["partners"]:
        partner = one["partner"]
        met = {name: met for (name, other), met in known.items() if other == partner}
        others = {name: met[name].mean for name in met if name not in (partner, run["agent"])}
        if others:
            mean, _ = _own(one, met[next(iter(others))].seats)
            best = max(others, key=lambda name: others[name])
            place = 1 + sum(value > mean for value in others.values())
            rows.append([partner, f"{mean:.2f}", f"{place} of {len(others) + 1}", f"{best} {others[best]:.2f}"])
    return table(["partner", "this agent", "place", "best of the pool with this partner"], rows)
