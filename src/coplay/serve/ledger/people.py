"""People at tables: the same tables as everybody's, with a key for one seat and no clock."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from coplay.agents.spec import agent
from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import game_of
from coplay.challenge.schedule import Seating, schedule_hash
from coplay.game import GameError
from coplay.player import AgentError
from coplay.serve.ledger.attempts import set_tables
from coplay.serve.ledger.keys import new_key
from coplay.serve.store.models import Attempt, Consent, Person, random_id


class Seat(NamedTuple):
    """A person's place: the attempt that holds their game, and the key that opens it (as hello's `key`)."""

    attempt: str
    key: str


def new_person(transaction: Session) -> Person:
    """Someone new, under a random id."""
    person = Person(created=time.time())
    transaction.add(person)
    transaction.flush()
    return person


def answer_consent(transaction: Session, person: str, version: str, given: bool) -> None:
    """Keeps a person's answer to one version of the consent text."""
    if transaction.get(Person, person) is None:
        raise ChallengeError("this participant is not known here.", 404, "unknown")
    transaction.add(Consent(person_id=person, version=version, given=given, at=time.time()))


def new_table(
    transaction: Session,
    game: str,
    settings: dict[str, Any],
    partners: list[str],
    seat: int = 0,
    person: str | None = None,
    seed: str | None = None,
    kind: str = "person",
) -> Seat:
    """A table where a person takes `seat` and `partners` the others, in order. `seed`: 16 hex digits, to rig a deal.
    `kind`: person, or study, where nobody is told who the partners are."""
    try:
        made = game_of(game, json.dumps(settings, sort_keys=True))
        for spec in partners:
            agent(spec, made)
    except (GameError, AgentError) as error:
        raise ChallengeError(str(error), 422, "bad_table") from error
    if len(partners) != made.players - 1 or not 0 <= seat < made.players:
        text = f"{made.players} players: name {made.players - 1} partners and a seat from 0 to {made.players - 1}."
        raise ChallengeError(text, 422, "bad_table")
    seating = Seating(0, "table", 0, seed or secrets.token_hex(8), secrets.token_hex(8), (seat,), tuple(partners))
    attempt = Attempt(
        id=random_id(),
        person_id=person,
        kind=kind,
        number=1,
        status="open",
        configurations=json.dumps({"table": {"game": game, "settings": settings}}),
        schedule_hash=schedule_hash([seating]),
        created=time.time(),
    )
    transaction.add(attempt)
    transaction.flush()
    set_tables(transaction, attempt.id, [seating])
    return Seat(attempt.id, new_key(transaction, "seat", attempt=attempt.id))
