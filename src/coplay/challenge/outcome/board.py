"""The leaderboard: lines as they were written when attempts ended, best first; ties inside intervals are ties."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from coplay.challenge.outcome.prediction import NAME, per_seat


@dataclasses.dataclass(frozen=True)
class Line:
    """One line of the board."""

    rank: int  # lines whose intervals overlap that of the best of their group share it
    entrant: str
    entrant_id: str
    attempt_id: str
    method: str
    human_data: str
    track: str  # empty where there are none
    baseline: bool
    configuration: str
    games: int
    forfeits: int
    mean: float | None
    low: float | None
    high: float | None
    median: float | None
    cross_entropy: float | None  # nats per decision
    rating: float | None  # every partner counts once, see rating.py
    rating_low: float | None
    rating_high: float | None
    rounds: int | None  # of one game with each partner
    partial: bool
    status: str  # shown, frozen, withdrawn
    rules_version: str
    pool_hash: str
    date: float
    rating_rank: int | None = None  # as rank, by the lower end of the rating; None without one
    cross_entropy_per_seat: float | None = None  # per seat and turn, as AH2AC2 prints it


def ranked(lines: Sequence[Line]) -> list[Line]:
    """The lines in order, by configuration, best first, each with its place and the cross-entropy that goes with it."""
    foreseen = {(line.attempt_id, line.configuration): line.cross_entropy for line in lines}
    placed: list[Line] = []
    for name in sorted({line.configuration for line in lines}):
        own = sorted((line for line in lines if line.configuration == name), key=_order)
        places = _places([(line.low, line.high, line.status == "shown") for line in own])
        rated = _rating_places(own)
        for line, place in zip(own, places, strict=True):
            asked = name if name.startswith(NAME) else f"{NAME}{name}"  # beside the games with as many players
            both = foreseen.get((line.attempt_id, asked))
            found = {"rank": place, "rating_rank": rated.get(line.attempt_id), "cross_entropy": both}
            found |= {"cross_entropy_per_seat": per_seat(asked, both)}
            placed.append(dataclasses.replace(line, **found))
    return placed


def by_rating(lines: Iterable[Line]) -> list[Line]:
    """Lines of one configuration with the surest first: the highest lower end of the rating; those without one last.

    The lower end, not the middle: a few lucky games lead nobody to the top, and cost nobody else a place.
    """
    return sorted(lines, key=lambda line: (line.rating_low is None, *_surest(line), line.date))


def _surest(line: Line) -> tuple[float, float]:
    return -(line.rating_low or 0.0), -(line.rating or 0.0)


def _order(line: Line) -> tuple[bool, float, float]:
    """Best first: the highest mean or, where nothing but foresight is measured, the lowest cross-entropy."""
    figure = line.cross_entropy if line.mean is None else -line.mean
    return figure is None, figure or 0.0, line.date


def _rating_places(lines: Sequence[Line]) -> dict[str, int]:
    """By attempt, of the lines of one configuration that have a rating."""
    own = [line for line in by_rating(lines) if line.rating_low is not None]
    places = _places([(line.rating_low, line.rating_high, line.status == "shown") for line in own])
    return {line.attempt_id: place for line, place in zip(own, places, strict=True)}


def _places(spans: Sequence[tuple[float | None, float | None, bool]]) -> list[int]:
    """The place of each interval (low, high, whether it counts), best first: its own, or that of the group it is tied
    with, because it reaches the interval of the group's first."""
    places: list[int] = []
    first: tuple[float | None, float | None] | None = None
    group = above = 0
    for low, high, counts in spans:
        tied = first is not None and _meet((low, high), first)
        places.append(group if tied else above + 1)
        if counts and not tied:
            first, group = (low, high), above + 1
        above += counts
    return places


def _meet(one: tuple[float | None, float | None], other: tuple[float | None, float | None]) -> bool:
    (low, high), (other_low, other_high) = one, other
    if low is None or high is None or other_low is None or other_high is None:
        return False
    return low <= other_high and other_low <= high
