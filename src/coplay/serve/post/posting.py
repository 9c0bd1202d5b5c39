"""Sends the letters that are due, one after the other."""

from __future__ import annotations

import logging
import smtplib

from sqlalchemy.orm import Session

from coplay.serve.ledger import letters
from coplay.serve.ledger.hosting.claims import code_for
from coplay.serve.ledger.keys import end_links
from coplay.serve.post import words
from coplay.serve.post.mailbox import Letter, Mailbox, send
from coplay.serve.store.database import Database
from coplay.serve.store.models import Challenge, Entrant
from coplay.serve.store.models import Letter as Waiting
from coplay.serve.timing import Timing

log = logging.getLogger("coplay.serve")


def post_due(database: Database, box: Mailbox, site: str, timing: Timing) -> tuple[int, int]:
    """How many were handed in, and how many could not be."""
    sent = failed = 0
    while True:
        with database.write() as transaction:
            waiting = letters.take_due(transaction, timing.now())
            if waiting is None:
                return sent, failed
            letter = _written(transaction, waiting, box, site)
        problem = _hand_in(box, letter) if letter is not None else ""
        with database.write() as transaction:
            letters.settle(transaction, waiting.id, timing.now(), problem)
            if problem:  # nobody has the code
                end_links(transaction, waiting.entrant_id, waiting.kind)
        sent, failed = sent + (not problem and letter is not None), failed + bool(problem)


def _hand_in(box: Mailbox, letter: Letter) -> str:
    """Why it could not be, or nothing."""
    try:
        send(box, letter)
    except (OSError, smtplib.SMTPException, ValueError) as error:
        # No address and no text of it: the log is read by others.
        log.warning("a letter could not be sent", extra={"reason": type(error).__name__})
        return f"{type(error).__name__}: {error}"
    return ""


def _written(transaction: Session, waiting: Waiting, box: Mailbox, site: str) -> Letter | None:
    """What it says at this moment; None where there is nothing to tell any more."""
    entrant = transaction.get_one(Entrant, waiting.entrant_id)
    challenge = transaction.get_one(Challenge, entrant.challenge_id)
    if waiting.kind == "waiting":
        return words.waiting(site, challenge, entrant, box.desk) if box.desk else None
    if waiting.kind == "confirm":
        if entrant.status != "unconfirmed":
            return None
        return words.confirm(site, challenge, entrant, code_for(transaction, entrant, "confirm"))
    if waiting.kind == "claim":
        if entrant.status != "approved":
            return None
        return words.claim(site, challenge, entrant, code_for(transaction, entrant, "claim"))
    return words.notice(site, challenge, entrant, waiting.kind, waiting.reason)
