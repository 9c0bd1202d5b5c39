"""An entrant's page: who it is, and, once games are over, how it did and the games themselves."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any, NamedTuple

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.prediction import per_seat
from coplay.challenge.outcome.rating import company
from coplay.challenge.rules import game_of, read_rules
from coplay.game import Game
from coplay.measure.stats import bootstrap
from coplay.report.charts import Mark, histogram, score_bins, strip
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.dates import embargoed
from coplay.serve.pages.games import as_json
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.pages.replays import may_be_seen, may_show
from coplay.serve.store.models import Attempt, Challenge, Entrant, Result, Table
from coplay.sides import sides_of

router = APIRouter(route_class=PageRoute)
MANY = 50  # games on a page
Number = Annotated[int, Query(ge=0, lt=2**31)]


class Report(NamedTuple):
    """One configuration of an ended attempt."""

    name: str
    result: Result
    best: float | None
    scores: Markup  # how often each score
    groups: Markup  # by seat and, once the challenge is closed, by partner
    zero: float
    perfect: float | None


@router.get("/challenges/{name}/entrants/{entrant}")
def entrant(
    request: Request, name: str, entrant: str, number: Number = 1, configuration: str = "", begin: Number = 0
) -> HTMLResponse:
    """The page; `number` chooses the attempt, `configuration` and `begin` the games that are listed."""
    with server_of(request).database.read() as transaction:
        challenge, found = host.published(transaction, name), transaction.get(Entrant, entrant)
        if (
            found is None
            or found.challenge_id != challenge.id
            or found.status in ("unconfirmed", "pending", "rejected")
        ):
            raise ChallengeError(f"{challenge.id} has no such entrant.", 404, "unknown")
        query = select(Attempt).where(Attempt.entrant_id == found.id, Attempt.kind == "eval").order_by(Attempt.number)
        attempts = list(transaction.scalars(query))
        attempt = next((one for one in attempts if one.number == number), None)
        hidden = embargoed(read_rules(challenge.rules), time.time())
        results = _results(transaction, attempt) if attempt and not hidden else []
        shown = [one for one in results if one.status != "withdrawn"]
        reports = _reports(transaction, challenge, attempt, shown) if attempt else []
        games = _games(transaction, challenge, attempt, configuration, begin) if attempt else None
    return page(
        "entrant.html",
        challenge=challenge,
        entrant=found,
        attempts=attempts,
        attempt=attempt,
        reports=reports,
        per_seat=per_seat,
        foreseen=[one for one in shown if one.cross_entropy is not None],
        hidden=hidden,
        withdrawn=len(shown) < len(results),
        games=games,
        begin=begin,
        many=MANY,
        configuration=configuration,
    )


def _results(transaction: Session, attempt: Attempt) -> list[Result]:
    query = select(Result).where(Result.attempt_id == attempt.id).order_by(Result.configuration)
    return list(transaction.scalars(query))


def _reports(transaction: Session, challenge: Challenge, attempt: Attempt, results: list[Result]) -> list[Report]:
    """Reports of the configurations that are over."""
    reports = []
    configurations = json.loads(attempt.configurations)
    for result in results:
        if result.configuration not in configurations:
            continue  # predictions: no games were played for them
        one = configurations[result.configuration]
        game = game_of(one["game"], as_json(one["settings"]))
        query = select(Table.score, Table.seats, Table.partners).where(
            Table.attempt_id == attempt.id, Table.configuration == result.configuration, Table.score.is_not(None)
        )
        rows = [(score or 0.0, seats, partners) for score, seats, partners in transaction.execute(query)]
        scores = np.asarray([row[0] for row in rows])
        reports.append(
            Report(
                result.configuration,
                result,
                game.max_score,
                Markup(histogram(score_bins(scores.tolist(), [], game.max_score))),
                Markup(_groups(rows, game, challenge.status == "closed")),
                float(np.mean(scores == 0)),
                None if game.max_score is None else float(np.mean(scores == game.max_score)),
            )
        )
    return reports


def _groups(rows: list[tuple[float, str, str]], game: Game, named: bool) -> str:
    """Mean scores by seat, and by partners if they may be `named`."""
    groups: dict[str, list[float]] = {}
    for score, seats, _ in sorted(rows, key=lambda row: row[1]):
        groups.setdefault(f"seat {', '.join(seats.split(','))}", []).append(score)
    if named:
        for score, seats, partners in sorted(rows, key=lambda row: row[2]):
            others = json.loads(partners)
            with_whom = ", ".join(sorted(others))
            if sides_of(game) == 2:
                with_whom = company(others, [int(seat) for seat in seats.split(",")], sides_of(game))
            groups.setdefault(f"with {with_whom}", []).append(score)
    marks = [_mark(label, np.asarray(scores)) for label, scores in groups.items()]
    best = game.max_score
    top = best if best is not None else max(0.0, *(mark.high or mark.value for mark in marks)) or 1.0
    return strip(marks, 0, top, ("mean", "games"))


def _mark(label: str, scores: np.ndarray) -> Mark:
    spread = bootstrap(scores, np.mean, resamples=1000) if len(scores) > 1 else None
    low, high = (spread.low, spread.high) if spread else (None, None)
    return Mark(label, float(scores.mean()), low, high, str(len(scores)))


class Games(NamedTuple):
    """A page of the games that can be watched."""

    rows: list[Any]
    total: int


def _games(
    transaction: Session, challenge: Challenge, attempt: Attempt, configuration: str, begin: int
) -> Games | None:
    """None while games may not be seen."""
    if not may_show(challenge):
        return None
    over = Table.status.in_(("done", "forfeit"))
    query = select(Table).where(Table.attempt_id == attempt.id, over, may_be_seen(challenge))
    if configuration:
        query = query.where(Table.configuration == configuration)
    total = transaction.scalar(select(func.count()).select_from(query.subquery())) or 0
    rows = transaction.scalars(query.order_by(Table.number).offset(begin).limit(MANY))
    return Games(list(rows), total)
