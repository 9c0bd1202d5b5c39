"""The lines of a study's tables; `coplay/experiment/codebook.py` says what is in them."""

from __future__ import annotations

import datetime
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from coplay.experiment.codebook import column, once
from coplay.experiment.plan import Plan
from coplay.experiment.steps import Step, stage
from coplay.serve.ledger.studies.results import Move, Outcome
from coplay.serve.store.study_models import Answer, Participant, Passage

Row = dict[str, Any]


class Placed(NamedTuple):
    """Where a finished game is."""

    file: str
    row: int
    score: float


def participant_row(
    plan: Plan,
    participant: Participant,
    steps: Sequence[Step],
    answers: Sequence[Answer],
    games: Sequence[Outcome],
    placed: Mapping[str, Placed],
) -> Row:
    counted = [one for one in games if not one.step.practice and one.table.id in placed]
    met = [(one.block, one.position, one.partner) for one in steps if one.kind == "game"]
    order = [partner for _, position, partner in dict.fromkeys(met) if position >= 0]
    scores = [placed[one.table.id].score for one in counted]
    latest = {(steps[one.step].name, one.question): one.value for one in answers}  # the last try of each
    own = {column(page, one): latest.get((page.name, one.name), "") for page, one in once(plan)}
    return {
        "participant": participant.id,
        "number": participant.number,
        "condition": participant.condition,
        "cell": participant.cell,
        "consent_version": participant.consent_version,
        "status": participant.status,
        "stage": stage(tuple(steps), participant.step),
        "joined": moment(participant.joined),
        "ended": moment(participant.ended),
        "seconds": seconds(participant.joined, participant.ended),
        "failed_checks": participant.failures,
        "partners": "|".join(order),
        "games": len(counted),
        "mean_score": f"{statistics.fmean(scores):.6g}" if scores else "",
        **{name: plain(value) for name, value in own.items()},
    }


def answer_rows(
    participant: Participant, steps: Sequence[Step], answers: Sequence[Answer], passages: Mapping[int, Passage]
) -> list[Row]:
    rows = []
    for one in answers:
        step, passage = steps[one.step], passages.get(one.step)
        rows.append(
            {
                "participant": participant.id,
                "step": one.step,
                "page": step.name,
                "block": step.block,
                "game": step.game if step.game >= 0 else "",
                "partner": step.partner,
                "position": step.position if step.position >= 0 else "",
                "try": one.sheet,
                "question": one.question,
                "value": plain(one.value),
                "right": "" if one.right is None else int(one.right),
                "at": moment(one.at),
                "seconds": seconds(passage.entered if passage else None, one.at),
            }
        )
    return rows


def game_row(participant: Participant, game: Outcome, log: Sequence[Move], placed: Mapping[str, Placed]) -> Row:
    step, table, there = game.step, game.table, placed.get(game.table.id)
    last = log[-1].at if log else None
    score = table.score if there is None else there.score
    return {
        "participant": participant.id,
        "step": game.number,
        "block": step.block,
        "game": step.game,
        "practice": int(step.practice),
        "partner": step.partner,
        "position": step.position,
        "seat": step.seat,
        "status": table.status,
        "score": "" if score is None else f"{score:g}",
        "turns": table.turn,
        "begun": moment(game.attempt.created),
        "first_move": moment(log[0].at if log else None),
        "last_move": moment(last),
        "left": moment(game.passage.left),
        "seconds": seconds(game.attempt.created, last),
        "file": there.file if there else "",
        "row": there.row if there else "",
        "table": table.id,
    }


def move_rows(participant: Participant, game: Outcome, log: Sequence[Move]) -> list[Row]:
    same = {"participant": participant.id, "table": game.table.id}
    return [same | {"turn": one.turn, "actions": one.actions, "at": moment(one.at)} for one in log]


def plain(value: str) -> str:
    """An answer as a cell: no spreadsheet takes it for a formula."""
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t")) and not _is_number(value) else value


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def moment(at: float | None) -> str:
    if at is None:
        return ""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(begin: float | None, end: float | None) -> str:
    return "" if begin is None or end is None else f"{end - begin:.3f}"
