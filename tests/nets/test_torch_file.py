"""Files of PyTorch are read without PyTorch, in both forms, and nothing in them is run."""

from __future__ import annotations

import os
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.nets.torch_file import MAGIC, read_torch
from coplay.player import AgentError

FILES = Path(__file__).parents[1] / "golden" / "pytorch"  # written by PyTorch 2; record.py says how


@pytest.mark.parametrize(("name", "inputs"), [("sad_2p.pthw", 838), ("iql_2p.pthw", 783)])
def test_both_forms_hold_all_tensors(name: str, inputs: int):
    found = read_torch(FILES / name)
    layers = [f"lstm.{what}_{way}_l{layer}" for layer in (0, 1) for what in ("weight", "bias") for way in ("ih", "hh")]
    dense = [f"{layer}.{what}" for layer in ("net.0", "fc_v", "fc_a", "pred_1st") for what in ("weight", "bias")]
    assert set(found) == {*layers, *dense}
    assert found["net.0.weight"].shape == (8, inputs)
    assert found["lstm.weight_hh_l1"].shape == (32, 8)
    assert all(one.dtype == np.float32 and np.isfinite(one).all() and one.any() for one in found.values())


class Runs:
    """A pickle of it calls a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


def zipped(path: Path, found: Any, entries: dict[str, bytes] | None = None, **how: Any) -> Path:
    with zipfile.ZipFile(path, "w", **how) as archive:
        archive.writestr("a/data.pkl", pickle.dumps(found, protocol=2))
        for name, content in (entries or {}).items():
            archive.writestr(name, content)
    return path


def test_nothing_in_a_file_is_run(tmp_path: Path):
    for number, function in enumerate((os.system, eval, os.remove, getattr)):
        harm = tmp_path / "harm"
        harm.touch()
        with pytest.raises(AgentError, match=r"it asks for .*which is code; only dictionaries of tensors are read"):
            read_torch(zipped(tmp_path / f"{number}.pt", {"a": Runs(function, str(harm))}))
        legacy = tmp_path / f"{number}.pth"
        legacy.write_bytes(
            b"".join(pickle.dumps(one, protocol=2) for one in (MAGIC, 1001, {}, Runs(function, str(harm))))
        )
        with pytest.raises(AgentError, match="which is code"):
            read_torch(legacy)
        assert harm.exists()


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def test_what_is_no_such_file_is_told(tmp_path: Path):
    with pytest.raises(AgentError, match="there is no such file"):
        read_torch(tmp_path / "none.pt")
    for name in ("sad_2p.pthw", "M9.pthw"):
        half = tmp_path / name
        half.write_bytes(cut((FILES / name).read_bytes()))
        with pytest.raises(AgentError, match=r"this is no .*file of PyTorch tensors"):
            read_torch(half)
    cases: dict[str, tuple[Any, dict[str, bytes], str]] = {
        "list.pt": ([1, 2], {}, "no dictionary of tensors"),
        "nothing.pt": ({"step": 7}, {}, "there are no tensors in it"),
        "program.pt": ({}, {"a/code/net.py": b""}, "TorchScript"),
        "other.pt": ({}, {"b/data.pkl": b""}, "another archive"),
        "big_endian.pt": ({}, {"a/byteorder": b"big"}, "not little-endian"),
    }
    for name, (found, entries, words) in cases.items():
        with pytest.raises(AgentError, match=words):
            read_torch(zipped(tmp_path / name, found, entries))
    with pytest.raises(AgentError, match="compressed"):
        read_torch(zipped(tmp_path / "small.pt", {}, compression=zipfile.ZIP_DEFLATED))
    for content in (b"", b"hello", pickle.dumps(MAGIC), struct.pack("<q", 7)):
        (tmp_path / "rest.pt").write_bytes(content)
        with pytest.raises(AgentError, match=r"rest\.pt: "):
            read_torch(tmp_path / "rest.pt")


def test_a_tensor_never_reaches_beyond_its_bytes(tmp_path: Path):
    """The sizes in a real file made larger than what is there."""
    with zipfile.ZipFile(FILES / "iql_2p.pthw") as archive:
        entries = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    (name,) = [name for name in entries if name.endswith("data.pkl")]
    size = b"K\x08M\x0f\x03\x86"  # (8, 783), and for its stride (783, 1)
    assert entries[name].count(size) == 1
    for other in (b"K\x09M\x0f\x03\x86", b"K\x08M\x0f\x04\x86"):
        with zipfile.ZipFile(tmp_path / "larger.pt", "w") as archive:
            for entry, content in entries.items():
                archive.writestr(entry, content.replace(size, other) if entry == name else content)
        with pytest.raises(AgentError, match="larger than its bytes"):
            read_torch(tmp_path / "larger.pt")
