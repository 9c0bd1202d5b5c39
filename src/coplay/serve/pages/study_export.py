"""A study as files: games in the usual formats, answers, a line for each participant, and what the columns mean."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from coplay import __version__
from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.scoring import Record, own_sign
from coplay.experiment.codebook import ANSWERS, GAMES, MOVES, OUTSIDE, codebook, wide
from coplay.experiment.plan import Plan
from coplay.experiment.reading import read_plan
from coplay.experiment.steps import Step, from_text
from coplay.serve.ledger import audit
from coplay.serve.ledger.studies.hosting import changed, experiment_of, pins_hash
from coplay.serve.ledger.studies.results import Move, Outcome, moves, outcomes
from coplay.serve.pages.export import episodes_of, write_games
from coplay.serve.pages.study_rows import Placed, answer_rows, game_row, move_rows, participant_row
from coplay.serve.store.database import Database
from coplay.serve.store.study_models import Answer, Experiment, Participant, Passage


class Whole(NamedTuple):
    """Everything of one participant."""

    participant: Participant
    steps: tuple[Step, ...]
    answers: list[Answer]
    games: list[Outcome]
    passages: dict[int, Passage]


def export_study(database: Database, id: str, folder: str | Path, outside: bool = False) -> list[str]:
    """Writes a study into a folder, without who people are elsewhere unless `outside` says so. Returns a line about
    each file. Of people who tried the study for its host, or withdrew, nothing is in it."""
    with database.read() as transaction:
        experiment = experiment_of(transaction, id)
        plan, people = read_plan(experiment.plan), _people(transaction, experiment)
        if not people:
            raise ChallengeError(f"nobody has taken part in {id}; there is nothing to export.")
        logs = {game.table.id: moves(transaction, game.table.id) for one in people for game in one.games}
        counts = _counts(transaction, experiment)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    lines, placed = _write_games(out, plan, people, logs)
    (out / "plan.toml").write_text(experiment.plan, encoding="utf-8")
    (out / "study.json").write_text(json.dumps(_about(experiment, plan, counts), indent=2) + "\n", encoding="utf-8")
    played = [(one.participant, game) for one in people for game in one.games]
    rows = {
        "participants.csv": (wide(plan), [participant_row(plan, *one[:4], placed) for one in people]),
        "answers.csv": (ANSWERS, [row for one in people for row in answer_rows(*one[:3], one.passages)]),
        "games.csv": (GAMES, [game_row(who, game, logs[game.table.id], placed) for who, game in played]),
        "moves.csv": (MOVES, [row for who, game in played for row in move_rows(who, game, logs[game.table.id])]),
        "codebook.csv": (("file", "column", "meaning"), codebook(plan)),
    }
    lines += [_write_table(out / name, columns, table) for name, (columns, table) in rows.items()]
    if outside:
        who = [{"participant": one.participant.id, "outside_id": one.participant.outside_id} for one in people]
        lines.append(_write_table(out / "outside-ids.csv", OUTSIDE, who, private=True))
    with database.write() as transaction:
        detail = {"id": id, "participants": len(people), "games": len(played), "outside_ids": outside}
        audit.note(transaction, "host", "study exported", **detail, pins_hash=pins_hash(experiment))
    return lines


def _people(transaction: Session, experiment: Experiment) -> list[Whole]:
    """Everybody who counts, in the order of joining."""
    mine = Participant.experiment_id == experiment.id, Participant.preview.is_(False), Participant.status != "withdrawn"
    found = []
    for one in transaction.scalars(select(Participant).where(*mine).order_by(Participant.number)):
        asked = select(Answer).where(Answer.participant_id == one.id).order_by(Answer.step, Answer.sheet)
        gone = transaction.scalars(select(Passage).where(Passage.participant_id == one.id))
        answers, passages = list(transaction.scalars(asked)), {passage.step: passage for passage in gone}
        found.append(Whole(one, from_text(one.steps), answers, outcomes(transaction, one), passages))
    return found


def _counts(transaction: Session, experiment: Experiment) -> dict[str, int]:
    mine = Participant.experiment_id == experiment.id, Participant.preview.is_(False)
    query = select(Participant.status, func.count()).where(*mine).group_by(Participant.status)
    return dict(sorted(Counter({row[0]: row[1] for row in transaction.execute(query)}).items()))


def _write_games(
    out: Path, plan: Plan, people: Sequence[Whole], logs: Mapping[str, list[Move]]
) -> tuple[list[str], dict[str, Placed]]:
    """A file for each [[game]], and one for practice; lines about them, and where each table is."""
    lines: list[str] = []
    placed: dict[str, Placed] = {}
    for block in plan.blocks:
        for practice in (False, True):
            found = [
                (one.participant.id, game)
                for one in people
                for game in one.games
                if (game.step.block, game.step.practice, game.table.status) == (block.name, practice, "done")
            ]
            if not found:
                continue
            records = [_record(game, logs[game.table.id]) for _, game in found]
            labels = [*block.labels, *({block.practice.partner} - set(block.labels) if block.practice else ())]
            about = {
                "game": np.asarray([game.step.game for _, game in found], np.int32),
                "partner": np.asarray([labels.index(game.step.partner) for _, game in found], np.int32),
            }
            episodes = dataclasses.replace(episodes_of(block.make(), records), extra=about)
            path = out / f"{block.name}{'-practice' if practice else ''}.safetensors"
            kind = write_games(path, episodes, [{int(game.table.seats): person} for person, game in found])
            signs = [own_sign(block.make(), one.seats) for one in records]
            for row, (_, game) in enumerate(found):
                placed[game.table.id] = Placed(path.name, row, float(episodes.scores[row]) * signs[row])
            lines.append(f"wrote {path}: {len(found)} games ({kind})")
    return lines, placed


def _record(game: Outcome, log: list[Move]) -> Record:
    row, actions = game.table, tuple(one.actions for one in log)
    return Record(row.id, row.configuration, row.deal, row.seed, row.seats, row.partners, row.status, actions)


def _about(experiment: Experiment, plan: Plan, counts: dict[str, int]) -> dict[str, Any]:
    """What the games and answers were made with."""
    return {
        "format": "coplay study 1",
        "study": experiment.id,
        "title": plan.title,
        "plan_version": experiment.plan_version,
        "consent": dataclasses.asdict(plan.consent),
        "coplay": __version__,
        "partners": json.loads(experiment.pins),
        "partners_hash": pins_hash(experiment),
        "changed_since": changed(experiment),
        "games": {
            one.name: {"game": one.game, "settings": one.settings, "partners": one.labels} for one in plan.blocks
        },
        "conditions": list(plan.condition_names) if plan.conditions else [],
        "participants": counts,
        "exported": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _write_table(path: Path, columns: Iterable[str], rows: Sequence[Mapping[str, Any]], private: bool = False) -> str:
    """A CSV file; a private one is its owner's alone."""
    if private:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        path.chmod(0o600)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return f"wrote {path}: {len(rows)} lines"
