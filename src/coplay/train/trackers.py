"""Where the log of a run goes besides metrics.jsonl, which is the truth: `--log tensorboard|wandb|mlflow|csv`.

A tracker is told every line after it was written. One that fails says so once and is left out from then on: a run is
never lost because an upload failed. Nothing leaves the machine unless the tracker's own variable says where to.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from coplay.files import csv_text, write_whole
from coplay.specs import unknown
from coplay.train.settings import TrainError, listed

METRICS = "metrics.jsonl"
STEPS = ("turns", "epoch")  # what the figures are drawn over: turns, or passes over recorded games
Line = Mapping[str, Any]


class Tracker(Protocol):
    """Somebody who is told the figures of a run."""

    def write(self, line: Line) -> None:
        """A line of the log, just written."""
        ...

    def close(self) -> None:
        """The run is over, or broken off."""
        ...


class Trackers:
    """Those of one run; what goes wrong with one is told, and the run goes on."""

    def __init__(self, open_ones: Mapping[str, Tracker] | None = None) -> None:
        self.open = dict(open_ones or {})

    def write(self, line: Line) -> None:
        for name, one in list(self.open.items()):
            self._ask(name, lambda one=one: one.write(line))

    def close(self) -> None:
        for name, one in list(self.open.items()):
            self._ask(name, one.close)
        self.open.clear()

    def _ask(self, name: str, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # another company's program may raise anything
            self.open.pop(name, None)
            words = str(error).splitlines() or [""]
            print(
                f"--log {name} failed and is left out from here on ({type(error).__name__}: {words[0]}); "
                f"the run goes on, and {METRICS} has every line.",
                file=sys.stderr,
            )


def open_trackers(names: str, folder: Path) -> Trackers:
    """Those that are named; a name that does not exist, or a package that is missing, is an error before the run."""
    known = {"tensorboard": TensorBoard, "wandb": WandB, "mlflow": MLflow, "csv": Csv}
    made: dict[str, Tracker] = {}
    for name in dict.fromkeys(listed(names)):
        if name not in known:
            raise TrainError(f"--log: {unknown('tracker', name, known)}")
        made[name] = known[name](folder)
    return Trackers(made)


def step_of(line: Line) -> int:
    return next((int(line[name]) for name in STEPS if name in line), 0)


def figures_of(line: Line) -> dict[str, float]:
    """The figures of a line by name; one of several seeds is `score/0`, `score/1` and so on."""
    found: dict[str, float] = {}
    ending = f"/{line['number']}" if "number" in line else ""
    for name, value in line.items():
        if name in (*STEPS, "updates", "number"):
            continue
        if isinstance(value, list):
            found |= {f"{name}/{number}": float(one) for number, one in enumerate(value)}
        else:
            found[name + ending] = float(value)
    return found


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """The log so far; a line that a kill cut short does not count."""
    file = folder / METRICS
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


class Csv:
    """metrics.csv, a column per figure and seed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.columns = folder, list[str]()

    def write(self, line: Line) -> None:
        """The first line writes what was logged before it, too: a run that goes on may have forgotten some lines."""
        row = self._row(line)
        if list(row) != self.columns:
            rows = [self._row(one) for one in lines_of(self.folder)]
            self.columns = list(dict.fromkeys(name for one in rows for name in one))
            table = [self.columns, *([one.get(name) for name in self.columns] for one in rows)]
            write_whole(self.folder / "metrics.csv", csv_text(table))
        else:
            with (self.folder / "metrics.csv").open("a", encoding="utf-8", newline="") as file:
                file.write(csv_text([list(row.values())]))

    def close(self) -> None:
        """Every line is on the disk."""

    def _row(self, line: Line) -> dict[str, Any]:
        done = {name: line[name] for name in ("updates", "number", *STEPS) if name in line}
        return done | figures_of({name: value for name, value in line.items() if name != "number"})


class TensorBoard:
    """Event files in the folder `tensorboard` of the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tensorboard"
        self.module = _package("tensorboardX", "tensorboard")
        self.writer: Any = None

    def write(self, line: Line) -> None:
        step = step_of(line)
        if self.writer is None:  # curves of a run that goes on end where it was taken up again
            self.writer = self.module.SummaryWriter(str(self.folder), purge_step=step, filename_suffix=f".{step:015d}")
        for name, value in figures_of(line).items():
            self.writer.add_scalar(name, value, step)
        self.writer.flush()

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


class WandB:
    """Weights & Biases, or whoever serves its API. WANDB_MODE=online uploads; without it nothing leaves the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.module, self.run = folder, _package("wandb", "wandb"), None

    def write(self, line: Line) -> None:
        if self.run is None:
            self.run = self._begin()
        self.run.log({**figures_of(line), **_done(line)}, step=step_of(line))

    def _begin(self) -> Any:
        about = _about(self.folder)
        return self.module.init(
            project=os.environ.get("WANDB_PROJECT", "coplay"),
            name=self.folder.name,
            id=_identity(self.folder, about),
            resume="allow",
            dir=str(self.folder),
            config=about,
            mode=os.environ.get("WANDB_MODE", "offline"),
        )

    def close(self) -> None:
        if self.run is not None:
            self.run.finish()


class MLflow:
    """MLflow; MLFLOW_TRACKING_URI says where to, without it a database in the folder of the run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.client, self.run = folder, None, ""
        self.module = _package("mlflow", "mlflow")

    def write(self, line: Line) -> None:
        client = self.client or self._begin()
        step = step_of(line)
        for name, value in {**figures_of(line), **_done(line)}.items():
            client.log_metric(self.run, name, float(value), step=step)

    def _begin(self) -> Any:
        place = os.environ.get("MLFLOW_TRACKING_URI", f"sqlite:///{self.folder.resolve()}/mlflow.db")
        client = self.client = self.module.MlflowClient(tracking_uri=place)
        about = _about(self.folder)
        tags = {"coplay.run": _identity(self.folder, about), "mlflow.runName": self.folder.name}
        experiment = client.get_experiment_by_name("coplay")
        number = experiment.experiment_id if experiment else client.create_experiment("coplay")
        before = client.search_runs([number], f"tags.`coplay.run` = '{tags['coplay.run']}'")
        self.run = before[0].info.run_id if before else client.create_run(number, tags=tags).info.run_id
        if not before:
            for name, value in _flat(about).items():
                client.log_param(self.run, name, value)
        return client

    def close(self) -> None:
        if self.client is not None:
            self.client.set_terminated(self.run)


def _done(line: Line) -> dict[str, int]:
    return {name: int(line[name]) for name in ("updates", *STEPS) if name in line}


def _package(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise TrainError(f"--log {extra} needs a package ({error}): pip install 'coplay[{extra}]'.") from error


def _about(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def _identity(folder: Path, about: Mapping[str, Any]) -> str:
    """The same for a run that goes on, another one for every other run."""
    words = f"{folder.resolve()} {about.get('made', {}).get('date')}"
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def _flat(about: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Settings inside settings, with dots between the names; at most what MLflow takes."""
    found: dict[str, str] = {}
    for name, value in about.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {before + name: str(value)[:6000]}
    return found
