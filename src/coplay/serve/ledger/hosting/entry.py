"""What a sign-up has to be: fields with limits, a name of its own, a track, the terms, an address for letters."""

from __future__ import annotations

import re

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from coplay.challenge.audit import entry_hash
from coplay.challenge.errors import ChallengeError
from coplay.challenge.names import alike, is_address
from coplay.challenge.rules import Rules, read_rules
from coplay.serve.ledger import letters
from coplay.serve.store.models import Challenge, Entrant

LIMITS = {"name": 80, "method": 2000, "contact": 200, "human_data": 500}
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # all but tab and the ends of lines


def checked_fields(given: dict[str, str]) -> dict[str, str]:
    """What an entrant says of itself, without the spaces around it."""
    for field, value in given.items():
        if (
            not isinstance(value, str)
            or not value.strip()
            or len(value) > LIMITS[field]
            or (not value.isprintable() and field == "name")
            or CONTROL.search(value)  # PostgreSQL takes no NUL, and nobody means the others
        ):
            text = f"{field} should be a text of 1 to {LIMITS[field]} characters, without control characters."
            raise ChallengeError(text, 422, "bad_field")
    return {field: value.strip() for field, value in given.items()}


def check_contact(transaction: Session, contact: str, now: float) -> None:
    """Where contacts are confirmed they are addresses, and nobody's mailbox is filled."""
    if not is_address(contact):
        text = f"contact = {contact!r}: give an address of e-mail, such as you@example.org; it will be confirmed."
        raise ChallengeError(text, 422, "bad_field")
    letters.check_not_flooded(transaction, contact, now)


def track_of(challenge: Challenge, name: str) -> None:
    """Refuses a track that a challenge does not have; empty stands for all."""
    if name:
        track_in(read_rules(challenge.rules), name)


def track_in(rules: Rules, given: str) -> str:
    """The track an entrant is in; where there is only one, that."""
    names = [one.name for one in rules.tracks]
    if not given and len(names) == 1:
        return names[0]
    if not names and given:
        raise ChallengeError(f"track {given[:64]!r}: this challenge has no tracks; leave it out.", 422, "bad_track")
    if names and given not in names:
        raise ChallengeError(f"track {given[:64]!r}: choose {' or '.join(names)}.", 422, "bad_track")
    return given


def accepted_in(rules: Rules, challenge: str, given: str) -> str:
    """The version of the terms that an entrant accepts, which is that of the rules."""
    version = rules.terms_version
    if given == version:
        return version
    if not version:
        raise ChallengeError(f"terms {given[:16]!r}: this challenge has no terms; leave it out.", 422, "bad_terms")
    text = f"read the terms (/challenges/{challenge}/register, or `terms` in the rules) and accept them: "
    raise ChallengeError(f"{text}terms is {version!r}, not {given[:16]!r}.", 422, "bad_terms")


def refuse_taken(transaction: Session, challenge: str, name: str) -> None:
    """A board has no two names that people take for each other. Others who register wait here for the end of the
    transaction, so that none is written meanwhile."""
    transaction.execute(update(Challenge).where(Challenge.id == challenge).values(status=Challenge.status))
    taken = {
        alike(one): one for one in transaction.scalars(select(Entrant.name).where(Entrant.challenge_id == challenge))
    }
    if not alike(name):
        raise ChallengeError(f"name = {name!r}: nothing of it can be seen; choose another.", 422, "bad_field")
    if (other := taken.get(alike(name))) is not None:
        text = f"{name!r} cannot be told from {other!r}, who has entered already; choose another name."
        raise ChallengeError(text, 409, "taken")


def entry_of(entrant: Entrant) -> str:
    """The hash of what the boards say of an entrant."""
    return entry_hash(entrant.name, entrant.method, entrant.human_data, entrant.track, entrant.terms)
