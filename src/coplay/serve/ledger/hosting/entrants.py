"""Entrants as the host looks them up: by a word, a challenge, a status; each with how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import case, func, or_, select
from sqlalchemy.orm import Session

from coplay.serve.store.models import Attempt, Entrant, Key, Table

OVER = ("done", "forfeit")
SEARCHED = (Entrant.name, Entrant.method, Entrant.contact, Entrant.human_data, Entrant.track)


class Progress(NamedTuple):
    """How far the latest rated attempt is in one configuration."""

    attempt: int
    status: str
    configuration: str
    over: int
    forfeits: int
    total: int

    def __str__(self) -> str:
        forfeits = f", {self.forfeits} forfeited" if self.forfeits else ""
        return f"{self.configuration} {self.over}/{self.total}{forfeits}"


class Known(NamedTuple):
    """An entrant with what the host wants to know beside what it says of itself."""

    entrant: Entrant
    progress: list[Progress]
    keys: list[Key]  # that open something


class Found(NamedTuple):
    """A page of entrants, the newest first, and how many there are in all."""

    rows: list[Known]
    total: int


def look_up(
    transaction: Session, word: str = "", challenge: str = "", status: str = "", begin: int = 0, many: int = 50
) -> Found:
    """The entrants whose id it is, or who have the word in their name, method, contact, data used or track."""
    query = select(Entrant)
    if word := word.strip().replace("\0", ""):
        has = [column.icontains(word, autoescape=True) for column in SEARCHED]
        query = query.where(or_(Entrant.id == word, *has))
    if challenge:
        query = query.where(Entrant.challenge_id == challenge)
    if status:
        query = query.where(Entrant.status == status)
    total = transaction.scalar(select(func.count()).select_from(query.subquery())) or 0
    newest = query.order_by(Entrant.created.desc(), Entrant.id).offset(begin).limit(many)
    entrants = list(transaction.scalars(newest))
    ids = [one.id for one in entrants]
    progress, keys = _progress(transaction, ids), _keys(transaction, ids)
    return Found([Known(one, progress.get(one.id, []), keys.get(one.id, [])) for one in entrants], total)


def _progress(transaction: Session, entrants: Sequence[str]) -> dict[str, list[Progress]]:
    """Of the latest rated attempt of each; deals that do not count are left out."""
    rated = Attempt.entrant_id.in_(entrants), Attempt.kind == "eval"
    latest = select(Attempt.entrant_id, func.max(Attempt.number).label("number")).where(*rated)
    last = latest.group_by(Attempt.entrant_id).subquery()
    over = func.sum(case((Table.status.in_(OVER), 1), else_=0))
    forfeits = func.sum(case((Table.status == "forfeit", 1), else_=0))
    query = (
        select(Attempt.entrant_id, Attempt.number, Attempt.status, Table.configuration, over, forfeits, func.count())
        .join(last, (Attempt.entrant_id == last.c.entrant_id) & (Attempt.number == last.c.number))
        .join(Table, Table.attempt_id == Attempt.id)
        .where(*rated, Table.status != "void")
        .group_by(Attempt.id, Attempt.entrant_id, Attempt.number, Attempt.status, Table.configuration)
        .order_by(Table.configuration)
    )
    found: dict[str, list[Progress]] = {}
    for entrant, number, status, name, ended, lost, total in transaction.execute(query):
        found.setdefault(str(entrant), []).append(Progress(number, status, name, int(ended), int(lost), total))
    return found


def _keys(transaction: Session, entrants: Sequence[str]) -> dict[str, list[Key]]:
    query = select(Key).where(Key.entrant_id.in_(entrants), Key.kind.in_(("test", "eval")), Key.revoked.is_(None))
    found: dict[str, list[Key]] = {}
    for key in transaction.scalars(query.order_by(Key.created.desc())):
        found.setdefault(str(key.entrant_id), []).append(key)
    return found
