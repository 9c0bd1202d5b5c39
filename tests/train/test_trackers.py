"""Who else is told the log: what they wrote is read back by their own readers, and none of them can end a run."""

from __future__ import annotations

import csv
import importlib.util
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coplay.train.run_folder import log
from coplay.train.settings import TrainError
from coplay.train.trackers import Trackers, figures_of, open_trackers

LINES = [{"updates": n, "turns": 64 * n, "turns_per_second": 5, "score": [1.0 * n, 2.5]} for n in (1, 2, 3)]


class Run:
    """As much of a run as its log needs."""

    def __init__(self, folder: Path, names: str, before: int = 0) -> None:
        folder.mkdir(exist_ok=True)
        about = {"recipe": "ippo", "settings": {"games": 4}, "made": {"date": "2026-01-02"}}
        (folder / "run.json").write_text(json.dumps(about))
        self.folder, self.trackers = folder, open_trackers(names, folder)
        for line in LINES[before:]:
            log(self, line)  # pyright: ignore[reportArgumentType]
        self.trackers.close()


def needs(module: str, extra: str) -> pytest.MarkDecorator:
    missing = importlib.util.find_spec(module) is None
    return pytest.mark.skipif(missing, reason=f"needs {module}: pip install 'coplay[{extra}]'")


def test_figures_go_by_name_and_seed():
    assert figures_of(LINES[0]) == {"turns_per_second": 5, "score/0": 1.0, "score/1": 2.5}
    assert figures_of({"number": 2, "epoch": 1, "loss": 0.5}) == {"loss/2": 0.5}


def test_a_table_has_a_row_per_line_also_where_a_run_went_on(tmp_path: Path):
    Run(tmp_path / "run", "csv")
    expected = table(tmp_path)
    assert [row["score/0"] for row in expected] == ["1", "2", "3"]
    assert expected[0] == {"updates": "1", "turns": "64", "turns_per_second": "5", "score/0": "1", "score/1": "2.5"}
    (tmp_path / "run/metrics.jsonl").write_text(json.dumps(LINES[0]) + "\n")  # a checkpoint that knows one line
    Run(tmp_path / "run", "csv", before=1)
    assert table(tmp_path) == expected


def table(place: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((place / "run/metrics.csv").read_text().splitlines()))


@needs("tensorboard", "tensorboard")
def test_tensorboard_shows_every_seed_and_a_run_that_went_on_as_one_curve(tmp_path: Path):
    from tensorboard.backend.event_processing.event_accumulator import (  # pyright: ignore[reportMissingImports]
        EventAccumulator,
    )

    Run(tmp_path / "run", "tensorboard")
    Run(tmp_path / "run", "tensorboard", before=2)
    shown = EventAccumulator(str(tmp_path / "run/tensorboard"))
    shown.Reload()
    assert set(shown.Tags()["scalars"]) == {"turns_per_second", "score/0", "score/1"}
    assert [(event.step, event.value) for event in shown.Scalars("score/0")] == [(64, 1), (128, 2), (192, 3)]


@needs("wandb", "wandb")
def test_wandb_writes_offline_what_it_may_upload_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("WANDB_SILENT", "true")
    import wandb  # pyright: ignore[reportMissingImports]

    Run(tmp_path / "run", "wandb")
    wandb.teardown()  # as at the end of a program: only then is everything on the disk
    [file] = (tmp_path / "run/wandb").glob("offline-run-*/*.wandb")
    records = list(records_of(file))
    told = [{item.key or "/".join(item.nested_key): item.value_json for item in one.history.item} for one in records]
    steps = [(one["turns"], one["score/0"], one["score/1"]) for one in told if "turns" in one]
    assert [tuple(map(float, step)) for step in steps] == [(64, 1, 2.5), (128, 2, 2.5), (192, 3, 2.5)]
    settings = [item.value_json for one in records for item in one.run.config.update if item.key == "settings"]
    assert json.loads(settings[0]) == {"games": 4}


def records_of(file: Path) -> Iterator[Any]:
    """The records of a file of W&B: LevelDB's log format, whose blocks of 32 KiB hold pieces with a head of 7 bytes."""
    from wandb.proto import wandb_internal_pb2  # pyright: ignore[reportMissingImports]

    data, place, record = file.read_bytes(), 7, b""
    assert data[:4] == b":W&B"
    while place + 7 <= len(data):
        if (left := 32768 - place % 32768) < 7:
            place += left
            continue
        size, kind = struct.unpack("<HB", data[place + 4 : place + 7])
        record += data[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # whole, or the last piece
            yield wandb_internal_pb2.Record.FromString(record)  # pyright: ignore[reportAttributeAccessIssue]
            record = b""


@needs("mlflow", "mlflow")
def test_mlflow_keeps_one_run_also_where_it_went_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import mlflow  # pyright: ignore[reportMissingImports]

    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    Run(tmp_path / "run", "mlflow")
    Run(tmp_path / "run", "mlflow", before=3)
    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/run/mlflow.db")
    experiment = client.get_experiment_by_name("coplay")
    assert experiment is not None
    [run] = client.search_runs([experiment.experiment_id])
    history = [(one.step, one.value) for one in client.get_metric_history(run.info.run_id, "score/0")]
    assert (history, run.info.status) == ([(64, 1), (128, 2), (192, 3)], "FINISHED")
    assert run.data.params["settings.games"] == "4"


def test_one_that_fails_is_left_out_and_the_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    class Broken:
        asked = 0

        def write(self, line: Any) -> None:
            self.asked += 1
            raise ConnectionError("the cloud is away")

        def close(self) -> None:
            raise AssertionError("it was left out before")

    broken, run = Broken(), Run(tmp_path / "run", "csv", before=3)
    run.trackers = Trackers({"cloud": broken, **open_trackers("csv", run.folder).open})
    for line in LINES:
        log(run, line)  # pyright: ignore[reportArgumentType]
    run.trackers.close()
    assert broken.asked == 1
    assert capsys.readouterr().err.count("--log cloud failed and is left out from here on (ConnectionError") == 1
    assert len((tmp_path / "run/metrics.jsonl").read_text().splitlines()) == 3
    assert len((tmp_path / "run/metrics.csv").read_text().splitlines()) == 4


def test_a_wrong_name_or_a_missing_package_is_told_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(TrainError, match=r"unknown tracker 'tensorbord'.*Did you mean 'tensorboard'"):
        open_trackers("tensorbord", tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX", None)
    with pytest.raises(TrainError, match=r"pip install 'coplay\[tensorboard\]'"):
        open_trackers("csv,tensorboard", tmp_path)
