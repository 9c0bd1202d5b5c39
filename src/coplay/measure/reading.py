"""The result of any run folder again: what `run.json` says it is decides who reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coplay.measure import MeasureError
from coplay.measure.study.result import Result
from coplay.registry import attribute

READERS = {
    "coplay evaluation 1": "coplay.measure.evaluation:read_evaluation",
    "coplay evaluations 1": "coplay.measure.evaluated.several:read_several",
    "coplay crossplay 1": "coplay.measure.team_play:read_teams",
    "coplay tournament 1": "coplay.measure.tournament:read_tournament",
    "coplay ad-hoc 1": "coplay.measure.adhoc:read_adhoc",
    "coplay ah2ac2 1": "coplay.measure.ah2ac2:read_ah2ac2",
    "coplay robustness 1": "coplay.measure.robustness:read_robustness",
}


def read_result(folder: str | Path) -> Result:
    """What a finished run folder says."""
    told = about(folder)
    kind = told.get("format", "coplay training")
    if kind not in READERS:
        raise MeasureError(
            f"{folder} is a folder of {kind!r}, which is not read again; those that are: {', '.join(READERS)}. "
            "Repeat its command for its page and its tables."
        )
    return attribute(READERS[kind], MeasureError)(folder)


def about(folder: str | Path) -> dict[str, Any]:
    """The run.json of a folder."""
    file = Path(folder) / "run.json"
    if not file.is_file():
        raise MeasureError(f"{folder} is no run folder: it has no run.json. `coplay runs` lists those that are there.")
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise MeasureError(f"{file} is damaged ({error}).") from error
    if not isinstance(told, dict):
        raise MeasureError(f"{file} is damaged: it holds no settings.")
    return told
