"""The dates of a challenge: rated games begin at one, and the server closes it at the other."""

from __future__ import annotations

import datetime
import json

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Phase, Rules, ended, read_rules
from coplay.serve.store.models import Attempt, Challenge


def check_dates(rules: Rules, challenge: str, kind: str, now: float) -> None:
    """Refuses rated games before the challenge opens, and whatever begins after it closes."""
    moment = datetime.datetime.fromtimestamp(now, datetime.UTC)
    if rules.closes is not None and moment >= rules.closes:
        text = f"the challenge {challenge} closed at {said(rules.closes)}; it takes no new attempts."
        raise ChallengeError(text, 403, "not_open")
    if kind == "eval" and rules.opens is not None and moment < rules.opens:
        text = f"rated games of the challenge {challenge} begin at {said(rules.opens)}; rehearse with the test key."
        raise ChallengeError(text, 403, "not_yet")
    if kind == "eval" and rules.phases and rules.phase_at(moment) is None:  # between two of them
        coming = next(one for one in rules.phases if one.opens is not None and one.opens > moment)
        assert coming.opens is not None
        text = f"the phase {coming.name} of {challenge} begins at {said(coming.opens)}; rehearse with the test key."
        raise ChallengeError(text, 403, "not_yet")


def waits(rules: Rules, challenge: str, now: float) -> str:
    """Why no rated attempt can begin now, by the dates; empty when one can."""
    try:
        check_dates(rules, challenge, "eval", now)
    except ChallengeError as problem:
        return str(problem)
    return ""


def phase_now(rules: Rules, now: float) -> Phase | None:
    """The phase whose configurations a rated attempt plays that begins now; None where there are no phases."""
    return rules.phase_at(datetime.datetime.fromtimestamp(now, datetime.UTC))


def is_over(rules: Rules, configurations: str, now: float) -> bool:
    """Has the phase of an attempt ended? `configurations` as the attempt has them."""
    phase = rules.phase_of(json.loads(configurations)) if rules.phases else None
    return phase is not None and ended(phase, datetime.datetime.fromtimestamp(now, datetime.UTC))


def cut_off(transaction: Session, now: float) -> list[str]:
    """Rated attempts that run though their phase has ended."""
    running = select(Attempt, Challenge.rules).join(Challenge, Attempt.challenge_id == Challenge.id)
    query = running.where(Attempt.kind == "eval", Attempt.status == "open")
    return [one.id for one, rules in transaction.execute(query) if is_over(read_rules(rules), one.configurations, now)]


def due(transaction: Session, now: float) -> list[str]:
    """The challenges that are to be closed."""
    moment = datetime.datetime.fromtimestamp(now, datetime.UTC)
    running = transaction.scalars(select(Challenge).where(Challenge.status.in_(("open", "paused"))))
    ends = [(one.id, read_rules(one.rules).closes) for one in running]
    return [id for id, closes in ends if closes is not None and closes <= moment]


def embargoed(rules: Rules, now: float) -> bool:
    """Are results still shown to nobody but their entrants and the host?"""
    return rules.embargo is not None and datetime.datetime.fromtimestamp(now, datetime.UTC) < rules.embargo


def said(moment: datetime.datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
