"""What lies in a folder of runs: of every run what it is, how far it got, and its headline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from coplay.measure.study.result import Rows

DEEPEST = 4  # folders below the one that is listed
TRAINING = "training"


def list_runs(root: str | Path) -> Rows:
    """A row per run folder, the latest last; folders inside a run are parts of it and are not listed."""
    rows = [row for folder in _folders(Path(root), DEEPEST) if (row := _row(folder)) is not None]
    return sorted(rows, key=lambda row: (row["made"], row["folder"]))


def _folders(place: Path, depth: int) -> Iterator[Path]:
    if (place / "run.json").is_file():
        yield place
    elif depth and place.is_dir():
        for inner in sorted(one for one in place.iterdir() if one.is_dir() and not one.is_symlink()):
            yield from _folders(inner, depth - 1)


def _row(folder: Path) -> dict[str, Any] | None:
    told = _json(folder / "run.json")
    if not told:
        return None
    made = told.get("made") or {}
    kind = " ".join(str(told["format"]).split()[1:-1]) if "format" in told else TRAINING
    state, score = _trained(folder, told) if kind == TRAINING else _measured(folder)
    return {
        "folder": str(folder),
        "kind": kind,
        "what": _what(told),
        "game": told.get("game_spec") or told.get("game") or "",
        "state": state,
        "score": score,
        "made": made.get("date", ""),
    }


def _what(told: Mapping[str, Any]) -> str:
    """Whom or what a run is about."""
    if "recipe" in told:
        seeds = told.get("seeds", 1)
        return told["recipe"] if seeds == 1 else f"{told['recipe']}, {seeds} seeds"
    agents = told.get("agents") or told.get("agent") or told.get("candidate") or told.get("measure") or ""
    return agents if isinstance(agents, str) else ", ".join(agents)


def _trained(folder: Path, told: Mapping[str, Any]) -> tuple[str, float | None]:
    """How much of the turns is learned, and the last training score, the mean over seeds."""
    last = _last_line(folder / "metrics.jsonl")
    if not last:
        return "begun", None
    score = last.get("score")
    mean = sum(score) / len(score) if isinstance(score, list) and score else None
    return _progress(last, told.get("settings", {})), mean


def _progress(last: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Finished when no whole update is left to do."""
    if "turns" in last and settings.get("total_turns"):
        turns, total = last["turns"], settings["total_turns"]
        return "finished" if turns + turns / last["updates"] > total else f"{turns / total:.0%}"
    if "epoch" in last and settings.get("epochs"):
        return "finished" if last["epoch"] >= settings["epochs"] else f"{last['epoch'] / settings['epochs']:.0%}"
    return "begun"


def _measured(folder: Path) -> tuple[str, float | None]:
    """Whether its numbers were made, and the mean over everything, where there is one."""
    summary = _json(folder / "summary.json")
    if not summary:
        return "begun", None
    overall = summary.get("overall")
    last = overall[-1] if isinstance(overall, list) and overall else overall
    mean = last.get("mean") if isinstance(last, dict) else None
    return "finished", mean.get("value") if isinstance(mean, dict) else None


def _last_line(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    whole = [line for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return json.loads(whole[-1]) if whole else {}


def _json(file: Path) -> dict[str, Any]:
    """What a file says; nothing where it is missing or damaged."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
