"""Who sits at a table of people, by name, for whoever asks."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import game_of
from coplay.faces import faces_of
from coplay.serve.pages.games import as_json
from coplay.serve.store.models import Attempt, Table


def table_of(transaction: Session, attempt: str) -> tuple[Attempt, Table]:
    """A table of people: the one that is played, or was played last."""
    found = transaction.get(Attempt, attempt)
    if found is None or found.kind not in ("person", "study"):
        raise ChallengeError("there is no such table; lay a new one at /play.", 404, "unknown")
    query = select(Table).where(Table.attempt_id == attempt).order_by(Table.number.desc()).limit(1)
    row = transaction.scalar(query)
    assert row is not None  # every attempt has one from the start
    return found, row


def game_at(attempt: Attempt, table: Table) -> Any:
    one = json.loads(attempt.configurations)[table.configuration]
    return game_of(one["game"], as_json(one["settings"]))


def check_watchable(game: Any) -> None:
    """Only a world can say what of its game everybody may know."""
    face = faces_of(game).people
    if face is None or not face.watchable(game):
        raise ChallengeError("this game cannot be watched before it is over.", 422, "hidden")


def people_at(table: Table) -> list[int]:
    """The seats of people."""
    return list(map(int, table.seats.split(",")))


def agents_at(attempt: Attempt, table: Table) -> list[str]:
    """The agents at a table, as people are told; who they are in a study is told after it, or never."""
    specs = json.loads(table.partners)
    return ["partner"] * len(specs) if attempt.kind == "study" else specs


def names_for(game: Any, attempt: Attempt, table: Table, seat: int | None) -> list[str]:
    """Who sits where, for the person in `seat`, or for spectators: other people are called by their seats."""
    people, agents = people_at(table), iter(agents_at(attempt, table))
    named = ["you" if at == seat else f"person {at}" if at in people else next(agents) for at in range(game.players)]
    return told_apart(named, [at for at in people if at != seat])


def seated(
    attempt: Attempt, table: Table, own: str = "you", partners: list[str] | None = None
) -> tuple[Any, list[str]]:
    """The game of a table and who sits where: `own` in the seats of the entrant or the person, partners in the rest."""
    game, mine = game_at(attempt, table), people_at(table)
    others = iter(agents_at(attempt, table) if partners is None else partners)
    return game, told_apart([own if seat in mine else next(others) for seat in range(game.players)])


def told_apart(names: list[str], apart: Collection[int] = ()) -> list[str]:
    """Those of the same name are numbered: you, piers 1, piers 2. Those in seats `apart` are told apart already."""
    same = [name if at not in apart else "" for at, name in enumerate(names)]
    return [
        f"{name} {same[:at].count(name) + 1}" if at not in apart and same.count(name) > 1 else name
        for at, name in enumerate(names)
    ]
