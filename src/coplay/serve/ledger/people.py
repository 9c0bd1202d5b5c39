"""People at tables: the same tables as everybody's, with a key for each person's seat and no clock of a challenge."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from coplay.agents.spec import agent
from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import game_of
from coplay.challenge.schedule import Seating, schedule_hash
from coplay.game import GameError
from coplay.player import AgentError
from coplay.rollouts.team import is_policy
from coplay.serve.ledger.attempts import set_tables
from coplay.serve.ledger.keys import find, new_key
from coplay.serve.store.models import Attempt, Consent, Person, Place, random_id
from coplay.serve.store.places import Customs


class Seat(NamedTuple):
    """A person's place: the attempt that holds their game, and the key that opens it (as hello's `key`)."""

    attempt: str
    key: str
    seat: int = 0


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
    partners: Sequence[str | None],
    seat: int = 0,
    person: str | None = None,
    seed: str | None = None,
    customs: Customs | None = None,
    kind: str = "person",
) -> Seat:
    """A table where a person takes `seat` and `partners` the others, in order; None keeps a seat for another person,
    and then there are `customs`. `seed`: 16 hex digits, to rig a deal. `kind`: person, or
    study, where nobody is told who the partners are."""
    made = _checked(game, settings, partners, seat, customs)
    others = iter(partners)
    taken = [(at, None if at == seat else next(others)) for at in range(made.players)]
    people, agents = [at for at, spec in taken if spec is None], tuple(spec for _, spec in taken if spec is not None)
    seating = Seating(0, "table", 0, seed or secrets.token_hex(8), secrets.token_hex(8), tuple(people), agents)
    attempt = Attempt(
        id=random_id(),
        person_id=person,
        customs=None if customs is None else customs.written(),
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
    text, key = draw_seat_key(transaction, attempt.id)
    for at in people:
        own = {"person_id": person, "key_id": key} if at == seat else {}
        transaction.add(Place(attempt_id=attempt.id, seat=at, away=False, stood_in=False, **own))
    transaction.flush()
    return Seat(attempt.id, text, seat)


def draw_seat_key(transaction: Session, attempt: str) -> tuple[str, str]:
    """A new key to a seat, and its id."""
    text = new_key(transaction, "seat", attempt=attempt)
    return text, find(transaction, text).key.id


def _checked(
    game: str, settings: dict[str, Any], partners: Sequence[str | None], seat: int, customs: Customs | None
) -> Any:
    """The game of a table, if everybody can sit at it."""
    try:
        made = game_of(game, json.dumps(settings, sort_keys=True))
        for spec in partners:
            if spec is not None:
                agent(spec, made)
        if customs is not None and customs.substitute and not is_policy(agent(customs.substitute, made)):
            text = f"{customs.substitute} plays in a process of its own and cannot stand in; choose a scripted agent."
            raise ChallengeError(text, 422, "bad_table")
    except (GameError, AgentError) as error:
        raise ChallengeError(str(error), 422, "bad_table") from error
    if len(partners) != made.players - 1 or not 0 <= seat < made.players:
        text = f"{made.players} players: name {made.players - 1} partners and a seat from 0 to {made.players - 1}."
        raise ChallengeError(text, 422, "bad_table")
    if (customs is None) != all(partners):
        raise ChallengeError("a table of several people has customs, and no other table has.", 422, "bad_table")
    return made
