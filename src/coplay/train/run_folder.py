"""The folder of a training run: what it was begun with, what a run that goes on may change, and its log."""

from __future__ import annotations

import dataclasses
import json
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax

from coplay import __version__
from coplay.agents.contents import file_hashes
from coplay.files import digest_of, write_whole
from coplay.provenance import provenance
from coplay.train.recipe import Context
from coplay.train.settings import TrainError, listed
from coplay.train.trackers import METRICS

FREE = "total_turns"  # what a run that goes on may change


def open_folder(folder: Path, about: dict[str, Any], resume: bool, usual: Mapping[str, Any]) -> None:
    """Makes the folder, or checks that it holds the run that is to go on; `usual`: settings that nobody gave."""
    file = folder / "run.json"
    if file.exists() and not resume:
        raise TrainError(f"{folder} already holds a run; go on with --resume, or choose another folder.")
    if resume and file.exists():
        _same(folder, json.loads(file.read_text()), json.loads(json.dumps(about)), usual)
    folder.mkdir(parents=True, exist_ok=True)
    told = {**about, "coplay": __version__, "jax": jax.__version__, "device": jax.devices()[0].device_kind}
    told |= {"command": command(about, folder), **_made(file)}
    write_whole(file, json.dumps(told, indent=1) + "\n")


def _made(file: Path) -> dict[str, Any]:
    """When, by what and where it was begun, and every time it went on."""
    now = dataclasses.asdict(provenance())
    before = json.loads(file.read_text()) if file.exists() else {}
    if "made" not in before:
        return {"made": now}
    return {"made": before["made"], "continued": [*before.get("continued", []), now]}


def _same(folder: Path, before: dict[str, Any], about: dict[str, Any], usual: Mapping[str, Any]) -> None:
    for place, digest in about["inputs"].items():
        if before.get("inputs", {}).get(place, digest) != digest:
            raise TrainError(f"{folder} was begun with other contents than {place} has now; put those back.")
    old, new = ({**usual, **one["settings"]} for one in (before, about))
    changed = [name for name in new if name != FREE and old.get(name) != new[name]]
    if changed:
        then, now = ({name: one.get(name) for name in changed} for one in (old, new))
        raise TrainError(f"{folder} was begun with settings={then}, not {now}; only {FREE} may change.")
    for part in ("recipe", "game", "seeds", "seed"):
        if before.get(part, about[part]) != about[part]:
            raise TrainError(f"{folder} was begun with {part}={before[part]}, not {about[part]}.")
    if old.get(FREE) != new.get(FREE):
        print(
            f"{folder} was begun for {FREE}={old[FREE]:g}; what falls over a run (the rate, the entropy's weight) goes "
            f"on as in a run of {new[FREE]:g}.",
            file=sys.stderr,
        )


def usual_of(kind: Any) -> dict[str, Any]:
    """The settings of a recipe that have a value where nobody gives one: files of before may not name them all."""
    fields = dataclasses.fields(kind)
    return {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}


def inputs_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """The contents of all files and folders that settings name: games, clones, partners, populations (several lists
    of them with semicolons between)."""
    texts = [text for value in settings.values() if isinstance(value, str) for text in value.split(";")]
    words = [word for text in texts for word in listed(text)]
    found = file_hashes(word for word in words if ":" in word)
    return found | {word: f"sha256:{digest_of(Path(word))}" for word in words if Path(word).exists()}


def check_games(places: str) -> None:
    """Says what is wrong with files that hold no recorded games."""
    from coplay.data.formats import format_of

    for place in listed(places):
        format_of(place)


def free_folder(folder: Path) -> None:
    """A run that failed before it kept anything, by a wrong file or setting, leaves its folder to the next try."""
    if [path.name for path in folder.iterdir()] == ["run.json"]:
        (folder / "run.json").unlink()


def command(about: dict[str, Any], folder: Path) -> str:
    """The command line that makes this run again."""
    words = ["coplay", "train", about["recipe"], "--game", about["game"]]
    words += ["--seeds", str(about["seeds"]), "--seed", str(about["seed"]), "--out", str(folder)]
    for name, value in about["settings"].items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


def log(context: Context, line: dict[str, Any]) -> None:
    """Into metrics.jsonl first; then whoever else follows the run is told."""
    with open(context.folder / METRICS, "a") as file:
        file.write(json.dumps(line) + "\n")
    context.trackers.write(line)


def forget_lines(folder: Path, known: Callable[[dict[str, Any]], bool]) -> None:
    """Drops what the checkpoint does not know (a kill may have cut the last line short): it will be done again."""
    file = folder / METRICS
    if file.exists():
        whole = [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
        write_whole(file, "".join(line for line in whole if known(json.loads(line))))
