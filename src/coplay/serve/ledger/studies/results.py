"""What participants have played, game by game."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.experiment.steps import Step, from_text
from coplay.serve.store.models import Table
from coplay.serve.store.study_models import Participant, Passage


class Outcome(NamedTuple):
    """One game of a participant: its last table, if it was begun."""

    number: int  # of the step
    step: Step
    passage: Passage
    table: Table


def outcomes(transaction: Session, participant: Participant) -> list[Outcome]:
    """The games that somebody began, practice included, in their order."""
    steps = from_text(participant.steps)
    query = (
        select(Passage, Table)
        .join(Table, Table.attempt_id == Passage.attempt_id)
        .where(Passage.participant_id == participant.id)
        .order_by(Passage.step, Table.number)
    )
    latest = {passage.step: (passage, table) for passage, table in transaction.execute(query)}
    return [Outcome(number, steps[number], *found) for number, found in sorted(latest.items())]
