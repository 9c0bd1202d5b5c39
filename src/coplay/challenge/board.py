"""The leaderboard: lines as they were written when attempts ended, best first; ties inside intervals are ties."""

from __future__ import annotations

import dataclasses

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.store.models import FIGURES, Attempt, Entrant, Result


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


def board(transaction: Session, challenge: str) -> list[Line]:
    """The lines of a challenge, by configuration, best first."""
    query = (
        select(Result, Attempt, Entrant)
        .join(Attempt, Result.attempt_id == Attempt.id)
        .join(Entrant, Attempt.entrant_id == Entrant.id)
        .where(Attempt.challenge_id == challenge, Attempt.kind == "eval")
    )
    rows = [(result, attempt, entrant) for result, attempt, entrant in transaction.execute(query)]
    foreseen = {(a.id, r.configuration): r.cross_entropy for r, a, _ in rows if r.status != "withdrawn"}
    rows.sort(key=lambda row: (row[0].configuration, *_order(row[0])))
    lines: list[Line] = []
    for result, attempt, entrant in rows:
        line = _line(result, attempt, entrant, _rank(result, lines))
        asked = f"prediction {result.configuration}"  # beside the games with as many players, by the name of both
        lines.append(dataclasses.replace(line, cross_entropy=foreseen.get((attempt.id, asked), line.cross_entropy)))
    return lines


def _order(result: Result) -> tuple[bool, float, float]:
    """Best first: the highest mean or, where nothing but foresight is measured, the lowest cross-entropy."""
    figure = result.cross_entropy if result.mean is None else -result.mean
    return figure is None, figure or 0.0, result.created


def _rank(result: Result, above: list[Line]) -> int:
    """Its place, or that of the group it is tied with: its interval reaches that of the group's first."""
    same = [line for line in above if line.configuration == result.configuration and line.status == "shown"]
    if not same:
        return 1
    first = next(line for line in same if line.rank == same[-1].rank)
    known = None not in (result.low, result.high, first.low, first.high)
    tied = known and result.low <= first.high and first.low <= result.high  # pyright: ignore[reportOperatorIssue]
    return first.rank if tied else len(same) + 1


def _line(result: Result, attempt: Attempt, entrant: Entrant, rank: int) -> Line:
    """A result as the board shows it; one that was withdrawn has no figures."""
    same = (*FIGURES, "rules_version", "pool_hash")
    line = Line(
        rank=rank,
        entrant=entrant.name,
        entrant_id=entrant.id,
        attempt_id=attempt.id,
        method=entrant.method,
        human_data=entrant.human_data,
        baseline=entrant.baseline,
        status="frozen" if attempt.frozen else result.status,
        date=result.created,
        **{name: getattr(result, name) for name in same},
    )
    if result.status != "withdrawn":
        return line
    return dataclasses.replace(line, mean=None, low=None, high=None, median=None, cross_entropy=None)
