"""Arrays out of a folder that Orbax's PyTreeCheckpointer wrote, without Orbax, TensorStore and running anything.

Every leaf of the tree is an array of Zarr's second version, its name the path to it with dots between. They lie in one
database (`manifest.ocdbt`, the usual way) or in folders of their own.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from coplay.nets.orbax.ocdbt import Piece, database, read
from coplay.nets.orbax.zstandard import unpack
from coplay.player import AgentError

ARRAY = "/.zarray"
BROKEN = (ValueError, LookupError, TypeError, AttributeError, OSError, OverflowError, MemoryError)
MOST = 1 << 31  # bytes of one array


class Checkpoint:
    """A checkpoint: the names of its arrays, and each of them when it is asked for."""

    def __init__(self, place: str | Path) -> None:
        self.folder = Path(place)
        if not self.folder.is_dir():
            raise AgentError(f"{place}: there is no such folder; an Orbax checkpoint is one, with _METADATA in it.")
        try:
            self._values = self._found()
        except BROKEN as error:
            raise self._unreadable(error) from error
        self.names = sorted(key.removesuffix(ARRAY) for key in self._values if key.endswith(ARRAY))
        if not self.names:
            raise AgentError(f"{place}: there is no array of Orbax in this folder; give the one with _METADATA in it.")

    def array(self, name: str) -> np.ndarray:
        """One array, whole."""
        try:
            return self._array(name, json.loads(self._value(name + ARRAY)))
        except BROKEN as error:
            raise self._unreadable(f"{name}: {error}") from error

    def _unreadable(self, why: Any) -> AgentError:
        return AgentError(f"{self.folder}: this checkpoint of Orbax cannot be read ({why}).")

    def _found(self) -> dict[str, bytes | Piece]:
        if (self.folder / "manifest.ocdbt").is_file():
            return database(self.folder)
        files = (path for sort in (f"*{ARRAY}", "*/[0-9]*") for path in self.folder.glob(sort))
        return {
            path.relative_to(self.folder).as_posix(): Piece(
                path.relative_to(self.folder).as_posix(), 0, path.stat().st_size
            )
            for path in files
        }

    def _value(self, key: str) -> bytes:
        value = self._values[key]
        return read(self.folder, value) if isinstance(value, Piece) else value

    def _array(self, name: str, about: dict[str, Any]) -> np.ndarray:
        shape, chunk, packed = tuple(about["shape"]), tuple(about["chunks"]), about["compressor"]
        kind = np.dtype(ml_dtypes.bfloat16) if about["dtype"] == "bfloat16" else np.dtype(about["dtype"])
        if packed is not None and packed.get("id") != "zstd":
            raise ValueError(f"it is packed with {packed.get('id')}, which is not known here")
        size = math.prod(chunk) * kind.itemsize
        fits = 0 < size <= MOST and math.prod(shape) * kind.itemsize <= MOST
        if about["filters"] or about["order"] != "C" or kind.hasobject or not fits:
            raise ValueError("an array of a kind that is not known here")
        found = np.full(shape, about["fill_value"] or 0, kind)
        between = about.get("dimension_separator", ".")
        for at in np.ndindex(*(-(-length // step) for length, step in zip(shape, chunk, strict=True))):
            key = f"{name}/{between.join(map(str, at)) or '0'}"
            if key not in self._values:
                continue  # all of it is the usual value
            data = self._value(key)
            piece = np.frombuffer(unpack(data, size) if packed else data, kind).reshape(chunk)
            inside = tuple(slice(step * number, step * (number + 1)) for number, step in zip(at, chunk, strict=True))
            # The last pieces reach beyond the array.
            found[inside] = piece[tuple(slice(length) for length in found[inside].shape)]
        return found
