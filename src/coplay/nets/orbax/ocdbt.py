"""The database of one folder in which TensorStore keeps arrays: a tree of keys, its values in files beside it.

The format is TensorStore's `ocdbt`: `manifest.ocdbt` names the root of the newest version, a node names its children or
its keys, and a value stands in its node or as a piece of a file.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

from coplay.nets.orbax.zstandard import unpack

MANIFEST, NODE = 0x0CDB3A2A, 0x0CDB20DE
HEADER, CHECKSUM = 12, 4  # bytes
MOST_IN_A_NODE = 1 << 28
DEEPEST = 32


class Piece(NamedTuple):
    """A part of a file of the database."""

    file: str
    offset: int
    length: int


class _Table(NamedTuple):
    """The files that a node names: whole paths, and how much of each holds for the nodes below, too."""

    paths: list[str]
    bases: list[str]


class _Reader:
    """Numbers and texts out of bytes, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def bytes(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) != count:
            raise ValueError("a node of the database is cut off")
        self.at += count
        return found

    def number(self) -> int:
        """Seven bits a byte, the lowest first."""
        value = shift = 0
        while True:
            (byte,) = self.bytes(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("a node of the database is broken")

    def numbers(self, count: int) -> list[int]:
        return [self.number() for _ in range(count)]

    def texts(self, shared: list[int], lengths: list[int]) -> list[bytes]:
        """Texts of which each but the first begins as the one before."""
        found: list[bytes] = []
        for same, length in zip([0, *shared], lengths, strict=True):
            found.append((found[-1][:same] if found else b"") + self.bytes(length))
        return found


def _table(reader: _Reader, above: str) -> _Table:
    count = reader.number()
    shared, lengths, bases = reader.numbers(max(0, count - 1)), reader.numbers(count), reader.numbers(count)
    paths = [path.decode() for path in reader.texts(shared, lengths)] if count else []
    return _Table([above + path for path in paths], [above + path[:n] for path, n in zip(paths, bases, strict=True)])


def _opened(data: bytes, magic: int) -> _Reader:
    """What a manifest or a node holds, unpacked."""
    if len(data) < HEADER + CHECKSUM or struct.unpack_from(">I", data)[0] != magic:
        raise ValueError("a node of the database is broken")
    head = _Reader(data[HEADER:-CHECKSUM])
    version, packed = head.number(), head.number()
    if version or packed > 1:
        raise ValueError(f"its database has version {version}, which is not known here")
    body = head.data[head.at :]
    return _Reader(unpack(body, MOST_IN_A_NODE) if packed else body)


def database(folder: Path) -> dict[str, bytes | Piece]:
    """Every key of the newest version, with its value or where that lies."""
    reader = _opened((folder / "manifest.ocdbt").read_bytes(), MANIFEST)
    reader.bytes(16)  # a name of its own
    if reader.number():
        raise ValueError("its database has several manifests, which are not read here")
    reader.numbers(2)
    reader.bytes(1)
    if reader.number():
        reader.bytes(4)  # how strongly it is packed
    table = _table(reader, "")
    versions = reader.number()
    if not versions:
        return {}
    reader.numbers(versions)
    heights = reader.bytes(versions)
    files, offsets, lengths = (reader.numbers(versions) for _ in range(3))
    if lengths[-1] == 0:
        return {}
    found: dict[str, bytes | Piece] = {}
    root = Piece(table.paths[files[-1]], offsets[-1], lengths[-1])
    _walk(folder, root, table.bases[files[-1]], b"", heights[-1], found)
    return found


def _walk(folder: Path, node: Piece, above: str, prefix: bytes, height: int, found: dict[str, bytes | Piece]) -> None:
    """All keys below one node."""
    reader = _opened(read(folder, node), NODE)
    if reader.bytes(1)[0] != height or height > DEEPEST:
        raise ValueError("a node of the database is not where it should be")
    table, count = _table(reader, above), reader.number()
    shared, lengths = reader.numbers(max(0, count - 1)), reader.numbers(count)
    if height:
        common = reader.numbers(count)
        keys = reader.texts(shared, lengths)
        files, offsets, sizes = (reader.numbers(count) for _ in range(3))
        for key, same, file, offset, size in zip(keys, common, files, offsets, sizes, strict=True):
            child = Piece(table.paths[file], offset, size)
            _walk(folder, child, table.bases[file], prefix + key[:same], height - 1, found)
        return
    keys = reader.texts(shared, lengths)
    sizes, kinds = reader.numbers(count), reader.numbers(count)
    elsewhere = [number for number in range(count) if kinds[number]]
    files, offsets = reader.numbers(len(elsewhere)), reader.numbers(len(elsewhere))
    places = {
        number: Piece(table.paths[file], offset, sizes[number])
        for number, file, offset in zip(elsewhere, files, offsets, strict=True)
    }
    for number, key in enumerate(keys):
        value = places[number] if number in places else reader.bytes(sizes[number])
        found[(prefix + key).decode()] = value


def read(folder: Path, piece: Piece) -> bytes:
    """The bytes of a piece; never of a file outside of the folder."""
    path = folder / piece.file
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"it names a file outside of the folder, {piece.file}")
    with path.open("rb") as file:
        file.seek(piece.offset)
        data = file.read(piece.length)
    if len(data) != piece.length:
        raise ValueError(f"{piece.file} is cut off")
    return data
