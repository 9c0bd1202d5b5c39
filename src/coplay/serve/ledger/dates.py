"""The dates of a challenge: rated games begin at one, and the server closes it at the other."""

from __future__ import annotations

import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Rules, read_rules
from coplay.serve.store.models import Challenge


def check_dates(rules: Rules, challenge: str, kind: str, now: float) -> None:
    """Refuses rated games before the challenge opens, and whatever begins after it closes."""
    moment = datetime.datetime.fromtimestamp(now, datetime.UTC)
    if rules.closes is not None and moment >= rules.closes:
        text = f"the challenge {challenge} closed at {said(rules.closes)}; it takes no new attempts."
        raise ChallengeError(text, 403, "not_open")
    if kind == "eval" and rules.opens is not None and moment < rules.opens:
        text = f"rated games of the challenge {challenge} begin at {said(rules.opens)}; rehearse with the test key."
        raise ChallengeError(text, 403, "not_yet")


def due(transaction: Session, now: float) -> list[str]:
    """The challenges that are to be closed."""
    moment = datetime.datetime.fromtimestamp(now, datetime.UTC)
    running = transaction.scalars(select(Challenge).where(Challenge.status.in_(("open", "paused"))))
    ends = [(one.id, read_rules(one.rules).closes) for one in running]
    return [id for id, closes in ends if closes is not None and closes <= moment]


def said(moment: datetime.datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
