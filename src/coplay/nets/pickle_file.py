"""Arrays out of pickles of nested dictionaries (`.pkl`), as JaxMARL's scripts write parameters; nothing in them is run.

A pickle may name any function to be called. Here it may name only what dictionaries, lists, tuples, numbers and numpy's
arrays are made of; what Flax and JAX put around those is taken off without asking them. All else is refused by name.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from coplay.player import AgentError

NUMPY = ("numpy.core", "numpy._core")  # before and since its second version
BROKEN = (TypeError, ValueError, LookupError, AttributeError, MemoryError, OSError, RuntimeError, EOFError)


class _Unreadable(ValueError):
    """What is wrong with a file, without its name."""


def read_pickle(place: str | Path) -> dict[str, np.ndarray]:
    """The arrays of a file by the names that lead to them: `params,Dense_0,kernel`."""
    path = Path(place)
    if not path.is_file():
        raise AgentError(f"{place}: there is no such file.")
    try:
        found = _Reader(BytesIO(path.read_bytes())).load()
        arrays = dict(_named(found, ()))
    except (_Unreadable, pickle.UnpicklingError, *BROKEN) as error:
        raise AgentError(f"{place}: it is no pickle of a dictionary of arrays ({error}).") from error
    if not arrays:
        raise AgentError(f"{place}: there is no array in it.")
    return arrays


def _named(found: Any, names: tuple[str, ...]) -> list[tuple[str, np.ndarray]]:
    if isinstance(found, Mapping):
        return [pair for name, one in found.items() for pair in _named(one, (*names, str(name)))]
    if isinstance(found, list | tuple):
        return [pair for number, one in enumerate(found) for pair in _named(one, (*names, str(number)))]
    if not isinstance(found, np.ndarray):
        return []  # a number, a text: no part of a network
    if found.dtype.hasobject:
        raise _Unreadable(f"{','.join(names)} is an array of objects")
    return [(",".join(names), found)]


def _empty(kind: Any, shape: Any, dtype: Any) -> np.ndarray:
    """Before its contents are known; numpy's own would take any class."""
    if kind is not np.ndarray:
        raise _Unreadable(f"{kind!r} is no array")
    return np.ndarray(shape, np.dtype(dtype))


def _from_buffer(buffer: Any, dtype: Any, shape: Any, order: Any) -> np.ndarray:
    return np.frombuffer(buffer, dtype).reshape(shape, order=order)


def _scalar(dtype: Any, value: bytes) -> np.ndarray:
    return np.frombuffer(value, dtype)[0]


def _bytes(text: str, coding: str) -> bytes:
    """How pickles of the second protocol write bytes."""
    return text.encode(coding)


def _of_jax(make: Callable[..., Any], given: tuple[Any, ...], state: Any, about: Any) -> np.ndarray:
    """An array of JAX is one of numpy and a word about its type."""
    array = make(*given)
    array.__setstate__(state)
    return array


def _plain_dict(contents: Any = ()) -> dict[Any, Any]:
    return dict(contents)


ALLOWED: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("builtins", "dict"): dict,
    ("_codecs", "encode"): _bytes,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("ml_dtypes", "bfloat16"): ml_dtypes.bfloat16,
    ("flax.core.frozen_dict", "FrozenDict"): _plain_dict,
    ("jax._src.array", "_reconstruct_array"): _of_jax,
}
ALLOWED |= {(f"{module}.multiarray", "_reconstruct"): _empty for module in NUMPY}
ALLOWED |= {(f"{module}.multiarray", "scalar"): _scalar for module in NUMPY}
ALLOWED |= {(f"{module}.numeric", "_frombuffer"): _from_buffer for module in NUMPY}


class _Reader(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> Any:
        found = ALLOWED.get((module_name, global_name))
        if found is None:
            raise _Unreadable(f"it asks for {module_name}.{global_name}, which is refused: that could be any program")
        return found

    def persistent_load(self, pid: Any) -> Any:
        raise _Unreadable("it asks for something outside of the file")
