"""Which session may move at which tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import case, func, select, update
from sqlalchemy.orm import Session as Transaction

from coplay.serve.store.models import Action, Attempt, Challenge, Table

PROCESS = 8  # a session's id begins with so many letters of its process's, so that both are known to die together
MANY = 500  # ids in one statement


def claim_running(transaction: Transaction, attempt: str, holder: str, only_free: bool, limit: int) -> list[Table]:
    """Takes running games of an attempt over: all of them, or only those that nobody holds."""
    query = select(Table).where(Table.attempt_id == attempt, Table.status == "active").order_by(Table.number)
    if only_free:
        query = query.where(Table.holder == "").limit(limit)
    found = list(transaction.scalars(query))
    _hold(transaction, found, holder, {})
    return found


def claim_new(
    transaction: Transaction,
    attempt: str,
    holder: str,
    configurations: Collection[str] | None,
    limit: int,
    bank: float | None,
) -> list[Table]:
    """Begins games that have not been begun, of some configurations or of all."""
    todo = Table.attempt_id == attempt, Table.status == "todo"
    query = select(Table).where(*todo).order_by(Table.number).limit(limit)
    if configurations is not None:
        query = query.where(Table.configuration.in_(list(configurations)))
    found = list(transaction.scalars(query.with_for_update(skip_locked=True)))
    _hold(transaction, found, holder, {"status": "active", "bank": bank})
    return found


class Ahead(NamedTuple):
    """Of one configuration of an attempt, what is not over."""

    partners: list[str]  # JSON lists, each once
    running: int  # games


def ahead(transaction: Transaction, attempt: str, configurations: Collection[str] | None) -> dict[str, Ahead]:
    """The games of an attempt that run or are to come, by configuration."""
    query = (
        select(Table.configuration, Table.partners, func.sum(case((Table.status == "active", 1), else_=0)))
        .where(Table.attempt_id == attempt, Table.status.in_(("todo", "active")))
        .group_by(Table.configuration, Table.partners)
        .order_by(Table.configuration, Table.partners)
    )
    if configurations is not None:
        query = query.where(Table.configuration.in_(list(configurations)))
    found: dict[str, Ahead] = {}
    for name, partners, running in transaction.execute(query):
        before = found.get(name, Ahead([], 0))
        found[name] = Ahead([*before.partners, partners], before.running + int(running))
    return found


def left(transaction: Transaction, attempt: str, configurations: Collection[str] | None) -> tuple[int, int]:
    """How many games of an attempt, of some configurations or of all, wait for the host, and how many are to be played
    or run."""
    query = select(Table.status, func.count()).where(Table.attempt_id == attempt).group_by(Table.status)
    if configurations is not None:
        query = query.where(Table.configuration.in_(list(configurations)))
    counts = {row[0]: row[1] for row in transaction.execute(query)}
    return counts.get("stuck", 0), counts.get("todo", 0) + counts.get("active", 0)


def is_paused(transaction: Transaction, attempt: str) -> bool:
    """The host lets no games begin for now."""
    query = select(Challenge.status).join(Attempt, Attempt.challenge_id == Challenge.id).where(Attempt.id == attempt)
    return transaction.scalar(query) == "paused"


def _hold(transaction: Transaction, tables: list[Table], holder: str, values: dict[str, object]) -> None:
    for begin in range(0, len(tables), MANY):
        ids = [table.id for table in tables[begin : begin + MANY]]
        change = update(Table).where(Table.id.in_(ids)).values(holder=holder, **values)
        transaction.execute(change.execution_options(synchronize_session=False))


def release(transaction: Transaction, attempt: str, holder: str) -> None:
    """The session has gone; anyone with the key may take its tables."""
    transaction.execute(
        update(Table)
        .where(Table.attempt_id == attempt, Table.holder == holder, Table.status == "active")
        .values(holder="")
        .execution_options(synchronize_session=False)
    )


def free_orphans(transaction: Transaction, living: Iterable[str]) -> None:
    """The sessions of processes that have died hold nothing any more."""
    held = select(Table.holder).where(Table.status == "active", Table.holder != "").distinct()
    alive = {process[:PROCESS] for process in living}
    orphans = [holder for holder in transaction.scalars(held) if holder[:PROCESS] not in alive]
    for begin in range(0, len(orphans), MANY):
        change = update(Table).where(Table.status == "active", Table.holder.in_(orphans[begin : begin + MANY]))
        transaction.execute(change.values(holder="").execution_options(synchronize_session=False))


def logs(transaction: Transaction, tables: Iterable[str]) -> dict[str, list[str]]:
    """The actions of tables, turn by turn."""
    ids = list(tables)
    found: dict[str, list[str]] = {id: [] for id in ids}
    for begin in range(0, len(ids), MANY):
        query = (
            select(Action.table_id, Action.turn, Action.actions)
            .where(Action.table_id.in_(ids[begin : begin + MANY]))
            .order_by(Action.table_id, Action.turn)
        )
        for id, turn, actions in transaction.execute(query):
            if turn != len(found[id]):
                raise ValueError(f"the log of table {id} lacks turn {len(found[id])}")
            found[id].append(actions)
    return found
