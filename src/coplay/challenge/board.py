"""The leaderboard: lines as they were written when attempts ended, best first; ties inside intervals are ties."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Line:
    """One line of the board."""

    rank: int  # lines whose intervals overlap that of the best of their group share it
    entrant: str
    entrant_id: str
    attempt_id: str
    method: str
    human_data: str
    baseline: bool
    configuration: str
    games: int
    forfeits: int
    mean: float | None
    low: float | None
    high: float | None
    median: float | None
    cross_entropy: float | None
    partial: bool
    status: str  # shown, frozen, withdrawn
    rules_version: str
    pool_hash: str
    date: float


def ranked(lines: Sequence[Line]) -> list[Line]:
    """The lines in order, by configuration, best first, each with its place and the cross-entropy that goes with it."""
    foreseen = {(line.attempt_id, line.configuration): line.cross_entropy for line in lines}
    placed: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.configuration, *_order(line))):
        asked = line.attempt_id, f"prediction {line.configuration}"  # beside the games with as many players
        both = foreseen.get(asked, line.cross_entropy)
        placed.append(dataclasses.replace(line, rank=_rank(line, placed), cross_entropy=both))
    return placed


def _order(line: Line) -> tuple[bool, float, float]:
    """Best first: the highest mean or, where nothing but foresight is measured, the lowest cross-entropy."""
    figure = line.cross_entropy if line.mean is None else -line.mean
    return figure is None, figure or 0.0, line.date


def _rank(line: Line, above: Sequence[Line]) -> int:
    """Its place, or that of the group it is tied with: its interval reaches that of the group's first."""
    same = [one for one in above if one.configuration == line.configuration and one.status == "shown"]
    if not same:
        return 1
    first = next(one for one in same if one.rank == same[-1].rank)
    known = None not in (line.low, line.high, first.low, first.high)
    tied = known and line.low <= first.high and first.low <= line.high  # pyright: ignore[reportOperatorIssue]
    return first.rank if tied else len(same) + 1
