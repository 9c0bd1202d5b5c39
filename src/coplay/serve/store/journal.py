"""What a round of the engine writes, in one transaction: moves, where tables stand, games that are played again."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from coplay.serve.store.database import Database
from coplay.serve.store.models import Action, Attempt, Table, random_id


class Lost(Exception):
    """Someone else moved or took these tables; nothing was written."""

    def __init__(self, tables: set[str]) -> None:
        super().__init__(f"{len(tables)} tables are held by another session")
        self.tables = tables


@dataclasses.dataclass
class Entry:
    """How a table changes."""

    id: str
    holder: str
    saved_turn: int  # the turn the database must show, or the change is refused
    turn: int
    status: str
    bank: float | None
    asked: float | None
    offences: int
    reason: str
    moves: list[tuple[int, str]]  # turn, actions


_UPDATE = (
    update(Table)
    .where(Table.id == bindparam("b_id"), Table.holder == bindparam("b_holder"), Table.turn == bindparam("b_turn"))
    .where(Table.status == "active")
    .values(
        turn=bindparam("turn"),
        status=bindparam("status"),
        bank=bindparam("bank"),
        asked=bindparam("asked"),
        offences=bindparam("offences"),
        reason=bindparam("reason"),
    )
    .execution_options(synchronize_session=False)
)


def commit(database: Database, entries: list[Entry], spent: set[str]) -> set[str]:
    """Writes all of it or nothing. `spent`: attempts whose first move may be among these. Returns the voided tables
    whose deal is not tried again."""
    stuck: set[str] = set()
    if not entries:
        return stuck
    now = time.time()
    with database.write() as session:
        rows = [
            {"b_id": e.id, "b_holder": e.holder, "b_turn": e.saved_turn}
            | {name: getattr(e, name) for name in ("turn", "status", "bank", "asked", "offences", "reason")}
            for e in entries
        ]
        done = session.connection().execute(_UPDATE, rows)
        if done.rowcount != len(rows):
            raise Lost(_changed(session, entries))
        moves = [
            {"table_id": e.id, "turn": turn, "actions": actions, "at": now}
            for e in entries
            for turn, actions in e.moves
        ]
        if moves:
            session.connection().execute(insert(Action), moves)
        for attempt in spent:
            session.execute(update(Attempt).where(Attempt.id == attempt, Attempt.spent.is_(None)).values(spent=now))
        for entry in entries:
            if entry.status == "void" and _play_again(session, entry.id) == "stuck":
                stuck.add(entry.id)
    return stuck


def _changed(session: Any, entries: list[Entry]) -> set[str]:
    """Which of the tables the update has missed; it is undone afterwards."""
    wanted = {entry.id: (entry.holder, entry.turn, entry.status) for entry in entries}
    found: dict[str, tuple[str, int, str]] = {}
    ids = list(wanted)
    for begin in range(0, len(ids), 500):
        query = select(Table.id, Table.holder, Table.turn, Table.status).where(Table.id.in_(ids[begin : begin + 500]))
        found |= {row.id: (row.holder, row.turn, row.status) for row in session.execute(query)}
    return {id for id, want in wanted.items() if found.get(id) != want}


VOIDS = 3  # so many failures of one deal, and it waits for the host


def _play_again(session: Any, table: str) -> str:
    """The same deal once more, as a new table, whose status is returned; a deal that keeps failing is stuck until the
    host looks."""
    old = session.get(Table, table)
    session.refresh(old)
    numbers = session.execute(select(Table.number).where(Table.attempt_id == old.attempt_id)).scalars()
    again = Table(
        id=random_id(),
        number=max(numbers) + 1,
        status="todo" if old.voids + 1 < VOIDS else "stuck",
        voids=old.voids + 1,
        turn=0,
        holder="",
        offences=0,
        reason="",
        **{
            name: getattr(old, name)
            for name in ("attempt_id", "configuration", "deal", "seed", "key", "seats", "partners")
        },
    )
    session.add(again)
    session.flush()
    return again.status
