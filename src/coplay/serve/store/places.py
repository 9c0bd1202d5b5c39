"""Who sits where at tables of people, and by which customs they play."""

from __future__ import annotations

import json
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session as Transaction

from coplay.serve.store.models import Place


class Customs(NamedTuple):
    """What several people at one table have agreed to; chosen when it is laid."""

    absent: int = 120  # seconds without a sign from whom we wait for, when a substitute plays on; 0: never
    pace: int = 0  # steps a second that the server plays; 0: every turn waits for everybody
    substitute: str = ""  # the agent that plays for whoever is absent; empty: nobody does

    @classmethod
    def read(cls, text: str | None) -> Customs | None:
        return None if text is None else cls(**json.loads(text))

    def written(self) -> str:
        return json.dumps(self._asdict())


def places_at(transaction: Transaction, attempt: str) -> list[Place]:
    """The seats for people at a table, in order."""
    return list(transaction.scalars(select(Place).where(Place.attempt_id == attempt).order_by(Place.seat)))


def place_of_key(transaction: Transaction, key: str) -> Place | None:
    """The seat that a key opens, by the key's id."""
    return transaction.scalar(select(Place).where(Place.key_id == key))


def substituted(transaction: Transaction, attempt: str, seat: int, on: bool) -> None:
    """A substitute plays in this seat from now on, or no longer."""
    change = update(Place).where(Place.attempt_id == attempt, Place.seat == seat)
    transaction.execute(change.values(away=on, **({"stood_in": True} if on else {})))
