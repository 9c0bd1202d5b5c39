"""Who takes part: joining, once per id of the recruitment platform, and being known again."""

from __future__ import annotations

import hmac
import re
from collections import Counter
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.experiment.order import Place, cell_for, condition_for, digest
from coplay.experiment.plan import Plan
from coplay.experiment.reading import read_plan
from coplay.experiment.steps import as_text, steps_of
from coplay.serve.ledger.studies.hosting import preview_token
from coplay.serve.store.models import random_id
from coplay.serve.store.study_models import Experiment, Participant, Passage

LIVING = ("active", "done")  # who counts for the quota and for balance


class Asking(NamedTuple):
    """Who comes to the page of a study."""

    outside: str = ""  # the recruitment platform's id, of the link
    token: str = ""  # of the cookie, or of a personal link
    preview: str = ""  # the host's, to try it


def find(transaction: Session, experiment: Experiment, asking: Asking) -> Participant | None:
    """Who asks, if they take part. An id of the platform counts more than the cookie: people share machines."""
    if asking.outside:
        same = Participant.outside_hash == _outside_hash(experiment, asking.outside)
        return transaction.scalar(select(Participant).where(Participant.experiment_id == experiment.id, same))
    id, _, sign = asking.token.partition(".")
    if not re.fullmatch(r"[0-9a-f]{16}", id) or not hmac.compare_digest(_sign(experiment, id).encode(), sign.encode()):
        return None
    found = transaction.get(Participant, id)
    return found if found is not None and found.experiment_id == experiment.id else None


def token_of(experiment: Experiment, participant: Participant) -> str:
    """What opens a participant's place, on any device; it can be made anew at any time."""
    return f"{participant.id}.{_sign(experiment, participant.id)}"


def check_door(experiment: Experiment, plan: Plan, asking: Asking) -> None:
    """Refuses whoever cannot join now, however they answer."""
    if asking.preview:
        if not hmac.compare_digest(asking.preview.encode(), preview_token(experiment).encode()):
            raise ChallengeError("this is not the link to try this study; ask its host for it.", 403, "wrong_key")
        return
    if experiment.status == "draft":
        raise ChallengeError("there is no such study.", 404, "unknown")
    if experiment.status == "closed":
        raise ChallengeError("this study has ended and takes nobody any more; thank you for coming.", 403, "over")
    if plan.outside_id and not asking.outside:
        text = "this link lacks your number; open the study with the link that the recruitment platform shows you."
        raise ChallengeError(text, 403, "no_id")
    if not re.fullmatch(r"[!-~]{0,128}", asking.outside):
        raise ChallengeError("the number in this link is none; open the link once more as it was sent.", 422, "bad_id")


def join(transaction: Session, experiment: Experiment, asking: Asking, version: str, now: float) -> Participant:
    """Somebody has agreed: they get a condition, an order, their first step. Whoever is in it already stays there."""
    # Whoever joins holds the study's row till the end of the transaction: others wait here, so that no more join than
    # places are left, and conditions stay even.
    transaction.execute(update(Experiment).where(Experiment.id == experiment.id).values(status=Experiment.status))
    transaction.refresh(experiment)
    plan = read_plan(experiment.plan)
    if (found := find(transaction, experiment, asking)) is not None:
        return found
    check_door(experiment, plan, asking)
    if version != plan.consent.version:
        raise ChallengeError("the text has changed since you read it; please read it again.", 409, "consent")
    mine = Participant.experiment_id == experiment.id
    there = list(transaction.scalars(select(Participant).where(mine, Participant.preview.is_(False))))
    living = [one for one in there if one.status in LIVING]
    if plan.participants is not None and len(living) >= plan.participants and not asking.preview:
        raise ChallengeError("all places of this study are taken; thank you for coming.", 403, "full")
    last = transaction.scalar(select(func.max(Participant.number)).where(mine))
    number = 0 if last is None else last + 1
    condition = condition_for(plan, Counter(one.condition for one in living), number)
    cell = cell_for(plan, condition, Counter(one.cell for one in living if one.condition == condition))
    made = Participant(
        id=random_id(),
        experiment_id=experiment.id,
        number=number,
        outside_id=asking.outside or None,
        outside_hash=_outside_hash(experiment, asking.outside) if asking.outside else None,
        preview=bool(asking.preview),
        consent_version=version,
        condition=condition,
        cell=cell,
        steps=as_text(steps_of(plan, Place(condition, cell, number), experiment.secret)),
        step=0,
        status="active",
        failures=0,
        stage="",
        joined=now,
        until=now + 60 * plan.minutes if plan.minutes else None,
    )
    transaction.add(made)
    transaction.flush()
    transaction.add(Passage(participant_id=made.id, step=0, entered=now))
    return made


def _sign(experiment: Experiment, participant: str) -> str:
    return digest(experiment.secret, "place", participant)


def _outside_hash(experiment: Experiment, outside: str) -> str:
    return digest(experiment.secret, "outside", outside)
