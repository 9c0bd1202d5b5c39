"""Where a participant is, and how they get on: every step once, in order, whatever a browser sends.

Whoever changes a participant's place holds their row, and only if they are still where the change says. So of two
tabs, of a form sent twice, of a page kept open for a day, one goes on and the others find themselves where that led.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.experiment.passing import Sheet, judge, read_sheet
from coplay.experiment.plan import Plan
from coplay.experiment.reading import read_plan
from coplay.experiment.steps import Step, from_text
from coplay.serve.ledger import people
from coplay.serve.ledger.keys import new_key
from coplay.serve.ledger.people import Seat
from coplay.serve.ledger.studies.hosting import changed
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Key, Table
from coplay.serve.store.study_models import Answer, Experiment, Participant, Passage

log = logging.getLogger("coplay.serve")
RUNNING = ("todo", "active")


class Standing(NamedTuple):
    """What a participant's page is made of."""

    participant: Participant
    plan: Plan
    steps: tuple[Step, ...]
    playing: bool  # they are at a game, and it has begun
    sheets: int  # how often they have answered this page before
    left: float | None  # seconds of the game

    @property
    def step(self) -> Step | None:
        """The one they are at; None when it is over for them."""
        return self.steps[self.participant.step] if self.participant.status == "active" else None


def look(transaction: Session, participant: str, now: float) -> Standing:
    """Where somebody is now. Games that have ended and times that are over are noticed here."""
    found = transaction.get_one(Participant, participant)
    plan = read_plan(transaction.get_one(Experiment, found.experiment_id).plan)
    steps = from_text(found.steps)
    if found.status == "active" and found.until is not None and now >= found.until:
        _end(transaction, found, "late", now)
    passage = transaction.get(Passage, (found.id, found.step))
    playing = found.status == "active" and passage is not None and passage.attempt_id is not None
    if playing and passage is not None and _is_over(transaction, passage, now):
        _go_on(transaction, found, found.step, now)
        passage, playing = transaction.get(Passage, (found.id, found.step)), False
    answered = Answer.participant_id == found.id, Answer.step == found.step
    sheets = transaction.scalar(select(func.max(Answer.sheet)).where(*answered)) or 0
    left = max(0.0, passage.until - now) if playing and passage is not None and passage.until is not None else None
    return Standing(found, plan, steps, playing, sheets, left)


def submit(
    transaction: Session, participant: str, step: int, sheet: int, given: Mapping[str, str], now: float
) -> Sheet | None:
    """The answers to a page. Returns what has to be mended or, of a comprehension check that failed, what was wrong;
    None where nothing is to be said: they went on, or these answers are of a step that is over."""
    if not _hold(transaction, participant, step):
        return None
    at = look(transaction, participant, now)
    if at.step is None or at.step.kind != "page" or (at.participant.step, at.sheets + 1) != (step, sheet):
        return None
    page = at.plan.page(at.step.name)
    found = read_sheet(page, given)
    if found.problems:
        return found
    wrong = found.wrong(page)
    for one in page.questions:
        right = None if not one.right else one.name not in wrong
        row = {"participant_id": participant, "step": step, "sheet": sheet, "question": one.name}
        transaction.add(Answer(**row, value=found.answers[one.name], right=right, at=now))
    verdict = judge(page, len(wrong), sheet, at.participant.failures, at.plan.checks)
    at.participant.failures = verdict.failures
    if verdict.way == "ends":
        _end(transaction, at.participant, "failed", now)
    elif verdict.way == "on":
        _go_on(transaction, at.participant, step, now)
    else:
        return found
    return None


def sit_down(transaction: Session, participant: str, step: int, now: float) -> Seat | None:
    """The seat of the game somebody is at: the table is laid once, and whoever comes again gets a new key to it, which
    ends the older one. None where they are at another step by now."""
    if not _hold(transaction, participant, step):
        return None
    at = look(transaction, participant, now)
    if at.step is None or at.step.kind != "game" or at.participant.step != step:
        return None
    passage = transaction.get_one(Passage, (participant, step))
    if passage.attempt_id is not None:
        mine = Key.attempt_id == passage.attempt_id, Key.revoked.is_(None)
        transaction.execute(update(Key).where(*mine).values(revoked=now))
        return Seat(passage.attempt_id, new_key(transaction, "seat", attempt=passage.attempt_id))
    experiment = transaction.get_one(Experiment, at.participant.experiment_id)
    if problem := changed(experiment):
        log.error("no games of a study", extra={"study": experiment.id, "reason": problem})
        raise ChallengeError("this study pauses for a while; please come back later, your place is kept.", 503)
    block = at.plan.block(at.step.block)
    made = people.new_table(
        transaction, block.game, block.settings, list(at.step.agents), at.step.seat, seed=at.step.seed, kind="study"
    )
    passage.attempt_id = made.attempt
    passage.until = now + 60 * block.minutes if block.minutes else None
    return made


def sweep(database: Database, now: float) -> int:
    """Notices everybody whose time is over, also of those who do not come back. Returns how many."""
    with database.read() as transaction:
        late = select(Participant.id).where(Participant.status == "active", Participant.until <= now)
        cut = select(Passage.participant_id).where(Passage.left.is_(None), Passage.until <= now)
        found = set(transaction.scalars(late)) | set(transaction.scalars(cut))
    for one in sorted(found):
        with database.write() as transaction:
            look(transaction, one, now)
    return len(found)


def study_of(transaction: Session, attempt: str) -> tuple[str, float | None]:
    """The study that a game belongs to, and until when it may be played."""
    query = (
        select(Participant.experiment_id, Passage.until)
        .join(Passage, Passage.participant_id == Participant.id)
        .where(Passage.attempt_id == attempt)
    )
    row = transaction.execute(query).first()
    if row is None:
        raise ChallengeError("this game was of a study that has been left.", 404, "unknown")
    return row.experiment_id, row.until


def _is_over(transaction: Session, passage: Passage, now: float) -> bool:
    """Is nothing of a game left to be played? When its time is over it is cut off: who plays it can write no more."""
    mine = Table.attempt_id == passage.attempt_id
    running = transaction.scalar(select(Table.id).where(mine, Table.status.in_(RUNNING)).limit(1)) is not None
    if running and passage.until is not None and now >= passage.until:
        transaction.execute(update(Table).where(mine, Table.status.in_(RUNNING)).values(status="cut"))
        change = update(Attempt).where(Attempt.id == passage.attempt_id)
        transaction.execute(change.values(status="partial", finished=now))
        return True
    return not running


def _hold(transaction: Session, participant: str, step: int) -> bool:
    """Others who want to change this place wait till the end of the transaction. False where it has changed."""
    there = Participant.id == participant, Participant.step == step, Participant.status == "active"
    change = update(Participant).where(*there).values(step=step)
    return transaction.execute(change).rowcount == 1  # pyright: ignore[reportAttributeAccessIssue]


def _go_on(transaction: Session, participant: Participant, step: int, now: float) -> None:
    """To the next step, or to the end."""
    if not _hold(transaction, participant.id, step):
        transaction.refresh(participant)
        return
    if (passage := transaction.get(Passage, (participant.id, step))) is not None:
        passage.left = now
    last = step + 1 >= len(from_text(participant.steps))
    if last:
        participant.step, participant.status, participant.ended = step + 1, "done", now
    else:
        participant.step = step + 1
        transaction.add(Passage(participant_id=participant.id, step=step + 1, entered=now))
    transaction.flush()


def _end(transaction: Session, participant: Participant, status: str, now: float) -> None:
    """Their way ends before the end."""
    if not _hold(transaction, participant.id, participant.step):
        transaction.refresh(participant)
        return
    participant.status, participant.ended = status, now
    transaction.flush()
