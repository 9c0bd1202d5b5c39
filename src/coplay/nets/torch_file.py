"""Tensors out of files that PyTorch saved (`.pt`, `.pthw`), without PyTorch and without running what is in them.

Such a file is a pickle of a dictionary whose tensors lie as raw bytes beside it: in a zip archive since PyTorch 1.6,
one after the other in the same file before. A pickle may name any function to be called; here it may name only what a
dictionary of tensors is made of, and everything else is refused by name.
"""

from __future__ import annotations

import math
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from coplay.player import AgentError

MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # how a file of the older kind begins
KINDS = {
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "HalfStorage": "<f2",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "i1",
    "ByteStorage": "u1",
    "BoolStorage": "?",
}
# What Python's own readers say to bytes that are not what they seem.
BROKEN = (TypeError, ValueError, LookupError, AttributeError, MemoryError, OSError, RuntimeError)


class _Unreadable(ValueError):
    """What is wrong with a file, without its name."""


class _Storage(NamedTuple):
    """The bytes behind some tensors; `values` come last in a file of the older kind."""

    kind: str
    numel: int
    values: list[np.ndarray]  # one, once they were read


class _Tensor(NamedTuple):
    storage: _Storage
    offset: int
    size: tuple[int, ...]
    stride: tuple[int, ...]

    def array(self) -> np.ndarray:
        """The numbers, in order; a tensor never reaches beyond its storage."""
        if not self.storage.values:
            raise _Unreadable("the bytes of a tensor are missing")
        flat = self.storage.values[0]
        whole = all(isinstance(n, int) and n >= 0 for n in (self.offset, *self.size, *self.stride))
        if not whole or len(self.size) != len(self.stride):
            raise _Unreadable("a tensor has no size of whole numbers")
        last = self.offset + sum((n - 1) * step for n, step in zip(self.size, self.stride, strict=True))
        if 0 not in self.size and (last >= flat.size or math.prod(self.size) > flat.size):
            raise _Unreadable("a tensor is larger than its bytes")
        if 0 in self.size:
            return np.zeros(self.size, flat.dtype)
        steps = tuple(step * flat.itemsize for step in self.stride)
        return np.lib.stride_tricks.as_strided(flat[self.offset :], self.size, steps).copy()


def read_torch(place: str | Path) -> dict[str, np.ndarray]:
    """The tensors of a file by name."""
    path = Path(place)
    if not path.is_file():
        raise AgentError(f"{place}: there is no such file.")
    try:
        with path.open("rb") as file:
            found = _zipped(file) if zipfile.is_zipfile(file) else _in_a_row(file)
        tensors = {name: one.array() for name, one in _named(found).items()}
    except (_Unreadable, zipfile.BadZipFile, pickle.UnpicklingError, EOFError, struct.error, OverflowError) as error:
        raise AgentError(f"{place}: {error or 'it is cut off'}; this is no whole file of PyTorch tensors.") from error
    except BROKEN as error:
        raise AgentError(f"{place}: this is no file of PyTorch tensors ({type(error).__name__}: {error}).") from error
    if not tensors:
        raise AgentError(f"{place}: there are no tensors in it; save a state_dict() with torch.save.")
    return tensors


def _named(found: Any) -> dict[str, _Tensor]:
    """The tensors of a dictionary; those of dictionaries inside are named with a dot."""
    if not isinstance(found, dict):
        raise _Unreadable("it holds no dictionary of tensors")
    named: dict[str, _Tensor] = {}
    for name, value in found.items():
        if isinstance(value, _Tensor):
            named[str(name)] = value
        elif isinstance(value, dict):
            named |= {f"{name}.{inner}": tensor for inner, tensor in _named(value).items()}
    return named


def _zipped(file: BinaryIO) -> Any:
    """A file of PyTorch 1.6 and later: FOLDER/data.pkl and FOLDER/data/KEY."""
    with zipfile.ZipFile(file) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        roots = [name[: -len("data.pkl")] for name in entries if name.endswith("/data.pkl")]
        if len(roots) != 1 or any(name.startswith(f"{roots[0]}code/") for name in entries):
            raise _Unreadable("it is a program (TorchScript) or another archive, not a state_dict")
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries.values()):
            raise _Unreadable("its parts are compressed, which PyTorch does not do")
        (root,) = roots
        if f"{root}byteorder" in entries and archive.read(f"{root}byteorder") != b"little":
            raise _Unreadable("its numbers are not little-endian")

        def storage(kind: str, key: str, numel: int) -> _Storage:
            return _Storage(kind, numel, [_values(kind, numel, archive.read(f"{root}data/{key}"))])

        return _Reader(BytesIO(archive.read(f"{root}data.pkl")), storage).load()


def _in_a_row(file: BinaryIO) -> Any:
    """A file of PyTorch before 1.6: five pickles, then the bytes of every storage after their number."""
    known: dict[str, _Storage] = {}

    def storage(kind: str, key: str, numel: int) -> _Storage:
        return known.setdefault(key, _Storage(kind, numel, []))

    file.seek(0)
    if _Reader(file, storage).load() != MAGIC or _Reader(file, storage).load() != PROTOCOL:
        raise _Unreadable("it does not begin as PyTorch begins a file")
    system = _Reader(file, storage).load()
    if not isinstance(system, dict) or not system.get("little_endian", True):
        raise _Unreadable("its numbers are not little-endian")
    found, keys = _Reader(file, storage).load(), _Reader(file, storage).load()
    for key in keys:
        one = known[key]
        (numel,) = struct.unpack("<q", file.read(8))
        if numel != one.numel:
            raise _Unreadable("two places disagree about the size of a tensor")
        one.values.append(_values(one.kind, numel, file.read(numel * _itemsize(one.kind))))
    return found


class _Reader(pickle.Unpickler):
    """Reads a pickle that may name nothing but the parts of a dictionary of tensors."""

    def __init__(self, file: Any, storage: Callable[[str, str, int], _Storage]) -> None:
        super().__init__(file, encoding="utf-8")
        self._storage = storage

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch", "Size"):
            return tuple
        if module == "torch" and name in KINDS:
            return _Kind(name)
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return _parameter
        raise _Unreadable(f"it asks for {module}.{name}, which is code; only dictionaries of tensors are read")

    def persistent_load(self, pid: Any) -> _Storage:
        what, kind, key, _, numel, *_ = pid
        if what != "storage" or not isinstance(kind, _Kind) or not isinstance(numel, int) or numel < 0:
            raise _Unreadable("it refers to something that is no tensor")
        return self._storage(kind.name, str(key), numel)


class _Kind(NamedTuple):
    """The name of a type of numbers, where a pickle names it."""

    name: str


def _tensor(storage: Any, offset: int, size: Any, stride: Any, *_: Any) -> _Tensor:
    if not isinstance(storage, _Storage):
        raise _Unreadable("a tensor has no bytes")
    return _Tensor(storage, offset, tuple(size), tuple(stride))


def _parameter(data: Any, *_: Any) -> Any:
    return data


def _itemsize(kind: str) -> int:
    return 2 if KINDS[kind] == "bfloat16" else np.dtype(KINDS[kind]).itemsize


def _values(kind: str, numel: int, raw: bytes) -> np.ndarray:
    if len(raw) != numel * _itemsize(kind):
        raise _Unreadable("it is cut off")
    if KINDS[kind] == "bfloat16":
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, KINDS[kind])
