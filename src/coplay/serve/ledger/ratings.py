"""The rating of a result: computed once, when the result is written, and again only to check it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.outcome.rating import rating_of
from coplay.challenge.rules import read_rules
from coplay.challenge.schedule import draw
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Challenge, Result, Table

NONE: dict[str, Any] = {"rating": None, "rating_low": None, "rating_high": None, "rounds": 0}


def rated(
    transaction: Session, attempt: Attempt, configuration: str, scores: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The columns of a result that tell its rating; `scores` by table, else as stored. Rehearsals have none."""
    challenge = transaction.get(Challenge, attempt.challenge_id) if attempt.kind == "eval" else None
    if challenge is None:
        return NONE
    rules = read_rules(challenge.rules)
    query = select(Table.id, Table.deal, Table.status, Table.score)
    rows = transaction.execute(query.where(Table.attempt_id == attempt.id, Table.configuration == configuration)).all()
    counts = {deal for _, deal, status, _ in rows if status != "void"}
    known = {deal: score if scores is None else scores.get(id) for id, deal, status, score in rows if status != "void"}
    drawn = draw(rules, challenge.secret, attempt.id, only=[configuration])
    found = rating_of(
        drawn,
        {deal: score for deal, score in known.items() if score is not None},
        {one.deal for one in drawn} - counts,
        rules.configuration(configuration).make().max_score,
    )
    if found is None:
        return NONE
    return {"rating": found.value, "rating_low": found.low, "rating_high": found.high, "rounds": found.n}


def rate_old(database: Database) -> int:
    """Rates what was scored before there were ratings; returns how many results that were."""
    missing = select(Result.id, Result.attempt_id, Result.configuration)
    with database.read() as transaction:
        found = transaction.execute(missing.where(Result.rounds.is_(None), Result.mean.is_not(None))).all()
    for id, attempt, configuration in found:
        with database.write() as transaction:
            result = transaction.get_one(Result, id)
            for name, value in rated(transaction, transaction.get_one(Attempt, attempt), configuration).items():
                setattr(result, name, value)
    return len(found)
