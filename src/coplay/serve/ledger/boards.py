"""The leaderboard of a challenge, from its results."""

from __future__ import annotations

import dataclasses

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.outcome.board import Line, ranked
from coplay.serve.store.models import FIGURES, RATING, Attempt, Entrant, Result


def board(transaction: Session, challenge: str, track: str = "") -> list[Line]:
    """The lines of a challenge, or of one of its tracks, by configuration, best first."""
    query = (
        select(Result, Attempt, Entrant)
        .join(Attempt, Result.attempt_id == Attempt.id)
        .join(Entrant, Attempt.entrant_id == Entrant.id)
        .where(Attempt.challenge_id == challenge, Attempt.kind == "eval")
    )
    if track:
        query = query.where(Entrant.track == track)
    return ranked([_line(result, attempt, entrant) for result, attempt, entrant in transaction.execute(query)])


def _line(result: Result, attempt: Attempt, entrant: Entrant) -> Line:
    """A result as the board shows it, not yet placed; one that was withdrawn has no figures."""
    same = (*FIGURES, "rules_version", "pool_hash")
    line = Line(
        rank=0,
        entrant=entrant.name,
        entrant_id=entrant.id,
        attempt_id=attempt.id,
        method=entrant.method,
        human_data=entrant.human_data,
        track=entrant.track,
        baseline=entrant.baseline,
        status="frozen" if attempt.frozen else result.status,
        date=result.created,
        **{name: getattr(result, name) for name in same},
    )
    if result.status != "withdrawn":
        return line
    hidden = ("mean", "low", "high", "median", "cross_entropy", *RATING)
    return dataclasses.replace(line, **dict.fromkeys(hidden))
