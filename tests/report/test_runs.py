"""The list of runs: what each is and how far it got, also where one was cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from coplay.cli.app import app
from coplay.report.runs import list_runs


def run(folder: Path, told: dict[str, Any], **files: Any) -> None:
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(told))
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content if isinstance(content, str) else json.dumps(content))


def training(turns: int) -> str:
    return json.dumps({"updates": 2, "turns": turns, "score": [1.0, 2.0]}) + '\n{"updates": 3, "tur'


def test_every_run_is_a_row_and_what_lies_in_it_is_none(tmp_path: Path):
    asked = {"recipe": "ippo", "game": "levers", "seeds": 2, "settings": {"total_turns": 100.0}}
    run(tmp_path / "deep/half", asked, metrics_jsonl=training(48))
    run(tmp_path / "whole", asked, metrics_jsonl=training(80))
    run(tmp_path / "whole/population", asked)
    judged = {"format": "coplay evaluation 1", "agent": "piers", "game": "hanabi", "made": {"date": "2026-01-02T03"}}
    run(tmp_path / "eval", judged, summary_json={"overall": {"mean": {"value": 7.5}}})
    run(tmp_path / "begun", {"format": "coplay ad-hoc 1", "agent": "iggi"})
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/run.json").write_text('{"format"')
    rows = {Path(row["folder"]).name: row for row in list_runs(tmp_path)}
    assert set(rows) == {"half", "whole", "eval", "begun"}
    assert [rows[name]["state"] for name in ("half", "whole", "eval", "begun")] == [
        "48%",
        "finished",
        "finished",
        "begun",
    ]
    assert (rows["half"]["kind"], rows["half"]["what"], rows["half"]["score"]) == ("training", "ippo, 2 seeds", 1.5)
    assert (rows["eval"]["kind"], rows["eval"]["score"], rows["begun"]["kind"]) == ("evaluation", 7.5, "ad-hoc")
    shown = CliRunner().invoke(app, ["runs", str(tmp_path)]).stdout.splitlines()
    assert len(shown) == 5
    assert shown[-1].split()[1:] == ["evaluation", "finished", "7.50", "2026-01-02", "piers"]


def test_a_folder_without_runs_says_so(tmp_path: Path):
    assert "holds no runs" in CliRunner().invoke(app, ["runs", str(tmp_path)]).stdout
