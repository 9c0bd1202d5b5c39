"""What open studies will need: it is compiled before anybody comes, for they may have little time for their game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.experiment.reading import read_plan
from coplay.serve.engine.game_batch import GameBatch
from coplay.serve.engine.players.preparing import Need, needs_of
from coplay.serve.store.study_models import Experiment


def needs_of_studies(transaction: Session, batch_of: Callable[[str, dict[str, Any]], GameBatch]) -> list[Need]:
    """The games of open studies, with all their partners."""
    found: list[Need] = []
    for text in transaction.scalars(select(Experiment.plan).where(Experiment.status == "open")):
        for block in read_plan(text).blocks:
            batch = batch_of(block.game, block.settings)
            found += needs_of(batch, batch.capacity, [(spec, None) for spec in sorted(block.specs)])
    return found
