"""What a host does with a study: makes, opens and closes it, looks how far people are. All of it is audited."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections import Counter
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.pins import Pins, changes, made_of
from coplay.challenge.schedule import new_secret
from coplay.experiment.plan import Plan
from coplay.experiment.reading import check_agents, read_plan
from coplay.experiment.steps import from_text, stage
from coplay.serve.ledger import audit
from coplay.serve.ledger.studies.leaving import forget
from coplay.serve.store.study_models import Experiment, Participant


def new_experiment(transaction: Session, id: str, text: str, actor: str = "host") -> Experiment:
    """A study from its TOML text: a draft, which the same command writes anew. Whoever tried it is forgotten."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", id):
        raise ChallengeError(f"{id!r} cannot be the name of a study; use small letters, digits and hyphens.")
    old = transaction.get(Experiment, id)
    if old is not None and old.status != "draft":
        text = f"there is a study {id!r} already, and it was opened; give the new one its own name."
        raise ChallengeError(text, 409)
    plan = read_plan(text)
    check_agents(plan)
    if old is not None:
        forget(transaction, list(transaction.scalars(select(Participant).where(Participant.experiment_id == id))))
        transaction.delete(old)
        transaction.flush()
    made = Experiment(id=id, title=plan.title, plan=text, plan_version=plan.version, status="draft")
    made.pins, made.secret, made.created = json.dumps(_pins(plan), sort_keys=True), new_secret(), time.time()
    transaction.add(made)
    detail = {"id": id, "plan_version": plan.version, "consent_version": plan.consent.version}
    audit.note(transaction, actor, "study made", **detail, pins_hash=pins_hash(made))
    return made


def open_experiment(transaction: Session, id: str, actor: str = "host", reason: str = "") -> Experiment:
    """Lets people join; also again, after it was closed."""
    found = experiment_of(transaction, id)
    if found.status == "open":
        raise ChallengeError(f"{id} is open already.", 409)
    if problem := changed(found):
        raise ChallengeError(f"{problem} `coplay experiment accept {id}` goes on with them.", 409)
    found.status, found.opened, found.closed = "open", found.opened or time.time(), None
    audit.note(transaction, actor, "study opened", id=id, reason=reason)
    return found


def close_experiment(transaction: Session, id: str, actor: str = "host", reason: str = "") -> Experiment:
    """Lets nobody join any more; whoever is in it may go on to the end."""
    found = experiment_of(transaction, id)
    if found.status != "open":
        raise ChallengeError(f"{id} is {found.status}; only an open study can be closed.", 409)
    found.status, found.closed = "closed", time.time()
    audit.note(transaction, actor, "study closed", id=id, reason=reason)
    return found


def accept(transaction: Session, id: str, actor: str = "host", reason: str = "") -> list[str]:
    """Pins partners and package as they are now; what has changed is returned and stands in the audit."""
    found = experiment_of(transaction, id)
    now = _pins(read_plan(found.plan))
    told = changes(json.loads(found.pins), now)
    if told:
        found.pins = json.dumps(now, sort_keys=True)
        detail = {"id": id, "changes": told, "pins_hash": pins_hash(found), "reason": reason}
        audit.note(transaction, actor, "study's partners accepted", **detail)
    return told


def erase_experiment(transaction: Session, id: str, actor: str = "host", reason: str = "") -> int:
    """Erases a closed study with all of its people; returns how many those were."""
    found = experiment_of(transaction, id)
    if found.status == "open":
        raise ChallengeError(f"{id} is open; close it first (`coplay experiment close {id}`).", 409)
    people = list(transaction.scalars(select(Participant).where(Participant.experiment_id == id)))
    games = forget(transaction, people)
    transaction.delete(found)
    audit.note(transaction, actor, "study erased", id=id, participants=len(people), games=games, reason=reason)
    return len(people)


def experiment_of(transaction: Session, id: str) -> Experiment:
    found = transaction.get(Experiment, id)
    if found is None:
        names = ", ".join(transaction.scalars(select(Experiment.id).order_by(Experiment.id))) or "none"
        raise ChallengeError(f"there is no study {id[:64]!r}; there are: {names}.", 404, "unknown")
    return found


def changed(experiment: Experiment) -> str:
    """Why no game of a study begins, if its partners are not those that it was made with; else nothing."""
    try:
        found = changes(json.loads(experiment.pins), _pins(read_plan(experiment.plan)))
    except (ChallengeError, OSError, ValueError) as problem:
        return str(problem)
    return f"the partners are not those that the study was made with: {'; '.join(found)}." if found else ""


def pins_hash(experiment: Experiment) -> str:
    """Names the partners and the version of the package that a study is made with."""
    return hashlib.sha256(experiment.pins.encode()).hexdigest()


def preview_token(experiment: Experiment) -> str:
    """Whoever has it may try the study, also as a draft; what they do is not counted and not exported."""
    return hmac.new(experiment.secret.encode(), b"preview", hashlib.sha256).hexdigest()[:32]


class Progress(NamedTuple):
    """How far people are."""

    counts: Counter[str]  # by status
    conditions: Counter[str]  # of those who are in it or through
    here: Counter[str]  # by stage, of those who are in it
    lost: Counter[tuple[str, str]]  # by stage and status, of those who are neither


def progress(transaction: Session, id: str) -> Progress:
    """Of everybody but those who tried it for the host."""
    experiment_of(transaction, id)
    found = Progress(Counter(), Counter(), Counter(), Counter())
    query = select(Participant).where(Participant.experiment_id == id, Participant.preview.is_(False))
    for one in transaction.scalars(query.order_by(Participant.number)):
        found.counts[one.status] += 1
        where = one.stage or stage(from_text(one.steps), one.step)
        if one.status in ("active", "done"):
            found.conditions[one.condition] += 1
        if one.status == "active":
            found.here[where] += 1
        elif one.status != "done":
            found.lost[where, one.status] += 1
    return found


def _pins(plan: Plan) -> Pins:
    return made_of(plan.blocks, plan.specs)
