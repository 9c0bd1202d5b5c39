"""How people come together at a table: invitations to its seats, sitting down, agents for seats that stay empty.

An invitation is a key that gives one seat to whoever uses it first; a new one ends the one before. Whoever laid the
table invites, and nobody else.
"""

from __future__ import annotations

import json
import time
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from coplay.agents.spec import agent
from coplay.challenge.errors import ChallengeError
from coplay.challenge.keys import key_hash
from coplay.challenge.rules import game_of
from coplay.serve.ledger.keys import find, new_key
from coplay.serve.ledger.people import Seat, draw_seat_key
from coplay.serve.store.models import Attempt, Key, Place, Table
from coplay.serve.store.places import place_of_key, places_at

USED = "this invitation was used or replaced by another one; ask whoever sent it."


class Invitation(NamedTuple):
    """What a link to a table offers."""

    attempt: str
    seat: int


def laid_by(transaction: Session, key: Key, attempt: str) -> None:
    """Refuses who did not lay this table. The seat of whoever did is the one that was never invited to."""
    place = place_of_key(transaction, key.id)
    if key.kind != "seat" or place is None or place.attempt_id != attempt or place.invitation_id is not None:
        raise ChallengeError("only who laid this table can do that.", 403, "wrong_key")


def invite(transaction: Session, attempt: str, seat: int) -> str:
    """A key that gives an empty seat to the first who uses it."""
    place = _empty_place(transaction, attempt, seat)
    before = transaction.get(Key, place.invitation_id) if place.invitation_id else None
    if before is not None:
        before.revoked = time.time()
    text = new_key(transaction, "join", attempt=attempt)
    place.invitation_id = find(transaction, text).key.id
    return text


def invitation(transaction: Session, text: str) -> Invitation:
    """What an invitation offers, while it is good."""
    key = transaction.scalar(select(Key).where(Key.hash == key_hash(text), Key.kind == "join"))
    place = key and transaction.scalar(select(Place).where(Place.invitation_id == key.id))
    if key is None or place is None or key.revoked is not None or place.key_id is not None:
        raise ChallengeError(USED, 410, "used")
    return Invitation(place.attempt_id, place.seat)


def sit_down(transaction: Session, text: str, person: str | None) -> Seat:
    """Gives the seat of an invitation to a person."""
    offered = invitation(transaction, text)
    key_text, key = draw_seat_key(transaction, offered.attempt)
    free = Place.attempt_id == offered.attempt, Place.seat == offered.seat, Place.key_id.is_(None)
    change = update(Place).where(*free).values(key_id=key, person_id=person)
    if transaction.execute(change.execution_options(synchronize_session=False)).rowcount != 1:  # pyright: ignore[reportAttributeAccessIssue]
        raise ChallengeError(USED, 410, "used")
    used = update(Key).where(Key.hash == key_hash(text)).values(revoked=time.time(), last_used=time.time())
    transaction.execute(used.execution_options(synchronize_session=False))
    return Seat(offered.attempt, key_text, offered.seat)


def seat_agent(transaction: Session, attempt: str, seat: int, spec: str) -> None:
    """An agent takes a seat to which nobody has come, before the game begins."""
    place = _empty_place(transaction, attempt, seat)
    invited = transaction.get(Key, place.invitation_id) if place.invitation_id else None
    transaction.delete(place)
    transaction.flush()
    if invited is not None:
        invited.revoked = time.time()
    (row,) = transaction.scalars(select(Table).where(Table.attempt_id == attempt))
    one = json.loads(transaction.get_one(Attempt, attempt).configurations)[row.configuration]
    game = game_of(one["game"], json.dumps(one["settings"], sort_keys=True))
    agent(spec, game)
    people = list(map(int, row.seats.split(",")))
    others = iter(json.loads(row.partners))
    agents = [spec if at == seat else next(others) for at in range(game.players) if at == seat or at not in people]
    values = {"seats": ",".join(str(at) for at in people if at != seat), "partners": json.dumps(agents)}
    todo = update(Table).where(Table.id == row.id, Table.status == "todo").values(**values)
    if transaction.execute(todo.execution_options(synchronize_session=False)).rowcount != 1:  # pyright: ignore[reportAttributeAccessIssue]
        raise ChallengeError("the game has begun; its seats stay as they are.", 409, "begun")


def watching_key(transaction: Session, attempt: str) -> str:
    """A key that lets whoever has it watch."""
    return new_key(transaction, "watch", attempt=attempt)


def _empty_place(transaction: Session, attempt: str, seat: int) -> Place:
    place = next((one for one in places_at(transaction, attempt) if one.seat == seat), None)
    if place is None or place.key_id is not None:
        raise ChallengeError(f"seat {seat} is not free.", 409, "taken")
    return place
