"""Arrays in pickles: read as they are, and nothing that could be a program is touched."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from coplay.nets.pickle_file import read_pickle
from coplay.player import AgentError


def written(folder: Path, what: Any, protocol: int = 4) -> Path:
    file = folder / "params.pkl"
    file.write_bytes(pickle.dumps(what, protocol))
    return file


@pytest.mark.parametrize("protocol", range(2, 6))
def test_arrays_have_the_names_that_lead_to_them(tmp_path: Path, protocol: int):
    kernel = np.arange(6, dtype=np.float32).reshape(2, 3)
    nested = {"params": {"Dense_0": {"kernel": kernel, "bias": np.asfortranarray(kernel)}}, "step": 3, "more": [kernel]}
    found = read_pickle(written(tmp_path, nested, protocol))
    assert found.keys() == {"params,Dense_0,kernel", "params,Dense_0,bias", "more,0"}
    assert all(np.array_equal(one, kernel) for one in found.values())


def test_arrays_of_jax_are_read_without_it(tmp_path: Path):
    numbers = jnp.arange(5, dtype=jnp.bfloat16)
    found = read_pickle(written(tmp_path, {"params": {"bias": numbers}}))
    assert isinstance(found["params,bias"], np.ndarray)
    assert np.array_equal(found["params,bias"].astype(float), np.arange(5.0))


class Shell:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.file}",)


def test_a_program_is_refused_and_not_run(tmp_path: Path):
    with pytest.raises(AgentError, match=r"asks for (posix|nt)\.system, which is refused"):
        read_pickle(written(tmp_path, {"params": Shell(tmp_path / "ran")}))
    assert not (tmp_path / "ran").exists()


class Odd(np.ndarray):
    """A class of arrays from elsewhere."""


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"a": np.array([{}], object)}, "array of objects"),
        ({"a": np.zeros(2).view(Odd)}, "which is refused"),
        ({"a": Path("here")}, "which is refused"),
        ({"a": 1}, "no array in it"),
    ],
)
def test_what_is_no_dictionary_of_arrays_is_told(tmp_path: Path, what: Any, words: str):
    with pytest.raises(AgentError, match=words):
        read_pickle(written(tmp_path, what))


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_damaged_file_is_told(tmp_path: Path, cut: int):
    file = written(tmp_path, {"params": np.zeros(9)})
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(AgentError, match="it is no pickle of a dictionary of arrays"):
        read_pickle(file)
    with pytest.raises(AgentError, match="there is no such file"):
        read_pickle(tmp_path / "none.pkl")
