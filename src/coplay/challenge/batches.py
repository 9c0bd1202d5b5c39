"""Games in calls of a few fixed sizes, so that their number never makes XLA compile again."""

from __future__ import annotations

import base64

import numpy as np

SIZES = (256,)  # rows in one call; more are split. Where many play, the rules and scripted players take 256 at once;
NET_SIZES = (8, 256)  # networks take long for as many, whoever they are for,
FEW = (8,)  # and where few play everything does


def sizes_for(tables: int, usual: tuple[int, ...] = SIZES) -> tuple[int, ...]:
    """For a stack of so many tables."""
    return usual if tables >= usual[-1] else FEW


def chunks(total: int, sizes: tuple[int, ...] = SIZES) -> list[tuple[int, int, int]]:
    """(begin, count, padded size) of the calls that `total` rows make."""
    found, begin, largest = [], 0, sizes[-1]
    while begin < total:
        count = min(total - begin, largest)
        found.append((begin, count, next(size for size in sizes if count <= size)))
        begin += count
    return found


def padded(array: np.ndarray, size: int, value: int) -> np.ndarray:
    if len(array) == size:
        return array
    filled = np.full((size, *array.shape[1:]), value, array.dtype)
    filled[: len(array)] = array
    return filled


def as_key(text: str) -> np.ndarray:
    """uint32 [2] from the 16 hex digits of a schedule."""
    return np.frombuffer(bytes.fromhex(text), ">u4").astype(np.uint32)


def block(array: np.ndarray) -> str:
    """Base64 of an array's bytes, little-endian, first axis first."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
