"""What participants have played, game by game."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.experiment.steps import Step, from_text
from coplay.serve.store.models import Action, Attempt, Table
from coplay.serve.store.study_models import Participant, Passage


class Outcome(NamedTuple):
    """One game of a participant: its last table, if it was begun."""

    number: int  # of the step
    step: Step
    passage: Passage
    attempt: Attempt
    table: Table


def outcomes(transaction: Session, participant: Participant) -> list[Outcome]:
    """The games that somebody began, practice included, in their order."""
    steps = from_text(participant.steps)
    query = (
        select(Passage, Attempt, Table)
        .join(Attempt, Attempt.id == Passage.attempt_id)
        .join(Table, Table.attempt_id == Attempt.id)
        .where(Passage.participant_id == participant.id)
        .order_by(Passage.step, Table.number)
    )
    latest = {passage.step: (passage, attempt, table) for passage, attempt, table in transaction.execute(query)}
    return [Outcome(number, steps[number], *found) for number, found in sorted(latest.items())]


class Move(NamedTuple):
    """One turn of a game, as it was committed."""

    turn: int
    actions: str
    at: float


def moves(transaction: Session, table: str) -> list[Move]:
    """All turns of a game, partners' included."""
    query = select(Action.turn, Action.actions, Action.at).where(Action.table_id == table).order_by(Action.turn)
    return [Move(*row) for row in transaction.execute(query)]
