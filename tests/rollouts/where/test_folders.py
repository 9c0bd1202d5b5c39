"""Work that writes folders: where they belong at once, or sent there from where nobody else can look."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from coplay.rollouts.where.folders import MARK, _write, write_folders
from tests.measure.study.posted import Posted


def write(words: str, folder: Path) -> str:
    """Goes on with what is there."""
    (folder / "deep").mkdir(parents=True, exist_ok=True)
    file = folder / "run.json"
    before = json.loads(file.read_text())["words"] if file.exists() else []
    file.write_text(json.dumps({"command": f"--out {folder}", "words": [*before, words]}))
    (folder / "deep" / "bytes").write_bytes(b"\x00\xff")
    return words.upper()


def test_a_worker_that_sees_the_folder_writes_into_it(tmp_path: Path):
    write("begun", tmp_path / "one")
    works = [("one", partial(write, "a")), ("two/deeper", partial(write, "b"))]
    assert list(write_folders(Posted(), tmp_path, works)) == [("one", "A"), ("two/deeper", "B")]
    assert json.loads((tmp_path / "one/run.json").read_text())["words"] == ["begun", "a"]
    assert (tmp_path / "two/deeper/deep/bytes").read_bytes() == b"\x00\xff"
    assert not (tmp_path / MARK).exists()


def test_from_a_worker_that_does_not_the_files_travel(tmp_path: Path):
    """It knows by the mark: a folder of the same name on another machine is another folder."""
    (tmp_path / MARK).write_text("of another")
    name, found, files = _write(str(tmp_path), "mine", "one", partial(write, "a"))
    assert (name, found) == ("one", "A")
    assert files["deep/bytes"] == b"\x00\xff"
    assert json.loads(files["run.json"])["command"] == f"--out {tmp_path}/one"
    assert [file.name for file in tmp_path.iterdir()] == [MARK]
