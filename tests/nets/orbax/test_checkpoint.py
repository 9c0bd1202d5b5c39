"""Folders of Orbax, written by Orbax itself where it is installed; recorded ones are read in test_jaxaht.py."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.nets.orbax import Checkpoint
from coplay.player import AgentError

RECORDED = Path(__file__).parents[2] / "golden" / "jaxmarl" / "jaxaht" / "ippo" / "saved_train_run"
DRAW = np.random.default_rng(0)
TREE: dict[str, Any] = {
    "final_params": {
        "params": {f"Dense_{layer}": {"kernel": DRAW.normal(size=(3, 70, 9)).astype(np.float32)} for layer in range(40)}
    },
    "counts": np.arange(7),
    "half": DRAW.normal(size=(4, 4)).astype(np.float16),
    "lists": [np.zeros((2, 3), np.float32), np.float32(1.5)],
}


@pytest.mark.parametrize("database", [True, False])
@pytest.mark.filterwarnings("ignore")
def test_what_orbax_wrote_is_read(tmp_path: Path, database: bool):
    orbax = pytest.importorskip("orbax.checkpoint", reason="orbax-checkpoint is not installed")
    orbax.PyTreeCheckpointer(use_ocdbt=database).save(tmp_path / "run", TREE)
    read = Checkpoint(tmp_path / "run")
    kernels = TREE["final_params"]["params"]
    flat = {f"final_params.params.{layer}.kernel": one["kernel"] for layer, one in kernels.items()}
    flat |= {"counts": TREE["counts"], "half": TREE["half"], "lists.0": TREE["lists"][0], "lists.1": TREE["lists"][1]}
    assert read.names == sorted(flat)
    for name, array in flat.items():
        np.testing.assert_array_equal(read.array(name), array)
        assert read.array(name).dtype == array.dtype or name == "lists.1"


def test_recorded_arrays_have_their_shapes():
    read = Checkpoint(RECORDED)
    assert read.array("final_params.params.Dense_0.kernel").shape == (2, 520, 8)
    np.testing.assert_array_equal(read.array("metrics.loss"), np.arange(4.0))


def test_arrays_in_folders_of_their_own_and_in_pieces(tmp_path: Path):
    about = {"zarr_format": 2, "shape": [3, 5], "chunks": [2, 4], "dtype": "<f4", "order": "C", "filters": None}
    folder = tmp_path / "params.kernel"
    folder.mkdir()
    (folder / ".zarray").write_text(json.dumps(about | {"compressor": None, "fill_value": 7}))
    whole = np.arange(32, dtype=np.float32).reshape(4, 8)
    for down, right in ((0, 0), (0, 1), (1, 0)):  # the fourth is not there: nothing but the usual value
        piece = whole[2 * down : 2 * down + 2, 4 * right : 4 * right + 4]
        (folder / f"{down}.{right}").write_bytes(piece.tobytes())
    expected = whole[:3, :5].copy()
    expected[2, 4] = 7
    np.testing.assert_array_equal(Checkpoint(tmp_path).array("params.kernel"), expected)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"compressor": {"id": "blosc"}}, "packed with blosc"),
        ({"dtype": "|O"}, "of a kind that is not known here"),
        ({"order": "F"}, "of a kind that is not known here"),
        ({"shape": [1 << 20, 1 << 20], "chunks": [1, 1]}, "of a kind that is not known here"),
        ({"chunks": [0, 4]}, "cannot be read"),
    ],
)
def test_arrays_of_other_kinds_are_refused(tmp_path: Path, change: dict[str, Any], words: str):
    about = {"shape": [2, 2], "chunks": [2, 2], "dtype": "<f4", "order": "C", "filters": None, "compressor": None}
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / ".zarray").write_text(json.dumps(about | {"fill_value": None} | change))
    (tmp_path / "one" / "0.0").write_bytes(bytes(16))
    with pytest.raises(AgentError, match=words):
        Checkpoint(tmp_path).array("one")


def test_broken_folders_are_told(tmp_path: Path):
    with pytest.raises(AgentError, match="there is no such folder"):
        Checkpoint(tmp_path / "none")
    with pytest.raises(AgentError, match="there is no array of Orbax"):
        Checkpoint(tmp_path)
    shutil.copytree(RECORDED, tmp_path / "run")
    for file in sorted((tmp_path / "run").rglob("d/*")):
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(AgentError, match=r"run: this checkpoint of Orbax cannot be read"):
        Checkpoint(tmp_path / "run").array("final_params.params.Dense_0.kernel")


def test_no_file_outside_of_the_folder_is_read(tmp_path: Path):
    shutil.copytree(RECORDED, tmp_path / "run")
    manifest = tmp_path / "run" / "manifest.ocdbt"
    inside = next((tmp_path / "run" / "d").iterdir())
    name = inside.name.encode()
    assert manifest.read_bytes().count(b"d/" + name) == 1
    shutil.move(inside, tmp_path / inside.name[1:])
    manifest.write_bytes(manifest.read_bytes().replace(b"d/" + name, b"../" + name[1:]))
    with pytest.raises(AgentError, match="a file outside of the folder"):
        Checkpoint(tmp_path / "run")
