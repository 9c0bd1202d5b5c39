"""Bytes that Zstandard packed (RFC 8878); Python unpacks them itself only from 3.14 on.

A megabyte takes about a second: good enough for the weights of a network. Dictionaries are not known, and the
checksum at the end of a frame is not looked at.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from coplay.nets.orbax.entropy import Backward, Fse, Huffman, read_shares

MAGIC, SKIPPED = 0xFD2FB528, range(0x184D2A50, 0x184D2A60)
RAW, SAME, PACKED = 0, 1, 2
MOST_IN_A_BLOCK = 1 << 17


class _Kind(NamedTuple):
    """One of the three numbers of a sequence: its usual code, and what a symbol begins at with how many bits more."""

    log: int
    shares: list[int]
    bases: list[int]
    bits: list[int]
    highest_log: int = 9


def _bases(first: int, bits: list[int]) -> list[int]:
    found = [first]
    for more in bits[:-1]:
        found.append(found[-1] + (1 << more))
    return found


_LITERAL_BITS = [0] * 16 + [1] * 4 + [2] * 2 + [3] * 2 + [4, *range(6, 17)]
_MATCH_BITS = [0] * 32 + [1] * 4 + [2] * 2 + [3] * 2 + [4] * 2 + [5, *range(7, 17)]
_OFFSET_BITS = list(range(32))
LITERALS = _Kind(
    6,
    [4, 3] + [2] * 6 + [2] * 5 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4,
    _bases(0, _LITERAL_BITS),
    _LITERAL_BITS,
)
OFFSETS = _Kind(
    5, [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5, [1 << bits for bits in _OFFSET_BITS], _OFFSET_BITS, highest_log=8
)
MATCHES = _Kind(6, [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7, _bases(3, _MATCH_BITS), _MATCH_BITS)
KINDS = (LITERALS, OFFSETS, MATCHES)


def unpack(data: bytes, most: int) -> bytes:
    """What was packed, `most` bytes at most; ValueError where it is not what it seems."""
    out, at = bytearray(), 0
    try:
        while at < len(data):
            (magic,) = struct.unpack_from("<I", data, at)
            if magic in SKIPPED:
                at += 8 + struct.unpack_from("<I", data, at + 4)[0]
            elif magic == MAGIC:
                frame = _Frame(most - len(out))
                at = frame.read(data, at + 4)
                out += frame.out
            else:
                raise ValueError("no frame of Zstandard")
    except (IndexError, struct.error) as error:
        raise ValueError("a frame of Zstandard that is cut off or broken") from error
    return bytes(out)


class _Frame:
    """One frame, and what its blocks keep for the next ones."""

    def __init__(self, most: int) -> None:
        self.out, self.most = bytearray(), most
        self.huffman: Huffman | None = None
        self.codes: list[Fse | None] = [None] * len(KINDS)
        self.recent = [1, 4, 8]  # offsets

    def read(self, data: bytes, at: int) -> int:
        """Where the frame ends."""
        flags = data[at]
        single, checksum = flags >> 5 & 1, flags >> 2 & 1
        if flags & 3:
            raise ValueError("it was packed with a dictionary")
        at += 1 + (not single) + ((single, 2, 4, 8)[flags >> 6])
        last = False
        while not last:
            head = int.from_bytes(data[at : at + 3], "little")
            last, kind, size, at = bool(head & 1), head >> 1 & 3, head >> 3, at + 3
            stored = 1 if kind == SAME else size
            block = data[at : at + stored]
            if kind > PACKED or size > MOST_IN_A_BLOCK or len(block) != stored:
                raise ValueError("a frame of Zstandard that is cut off or broken")
            if kind == PACKED:
                self._block(block)
            else:
                self.out += block * size if kind == SAME else block
            if len(self.out) > self.most:
                raise ValueError(f"it holds more than the {self.most} bytes that it should")
            at += stored
        return at + 4 * checksum

    def _block(self, block: bytes) -> None:
        literals, at = self._literals(block)
        count, at = _count(block, at)
        if not count:
            self.out += literals
            return
        modes, codes = block[at], []
        at += 1
        for number, kind in enumerate(KINDS):
            code, used = self._code(number, kind, modes >> 6 - 2 * number & 3, block[at:])
            codes.append(code)
            at += used
        self._sequences(Backward(block[at:]), codes, count, literals)

    def _literals(self, block: bytes) -> tuple[bytes, int]:
        """The bytes that sequences take from, and where the section ends."""
        kind, form = block[0] & 3, block[0] >> 2 & 3
        if kind in (RAW, SAME):
            head = (1, 2, 1, 3)[form]
            size = int.from_bytes(block[:head], "little") >> (3, 4, 3, 4)[form]
            if size > MOST_IN_A_BLOCK:
                raise ValueError("literals that are longer than a block")
            if kind == SAME:
                return block[head : head + 1] * size, head + 1
            return block[head : head + size], head + size
        head, width = (3, 3, 4, 5)[form], (10, 10, 14, 18)[form]
        sizes = int.from_bytes(block[:head], "little") >> 4
        size, stored = sizes & (1 << width) - 1, sizes >> width
        data = block[head : head + stored]
        if kind == PACKED:
            self.huffman, used = _huffman(data)
            data = data[used:]
        if self.huffman is None or size > MOST_IN_A_BLOCK:
            raise ValueError("literals without a code")
        if not form:
            return self.huffman.read(data, size), head + stored
        ends = struct.unpack_from("<3H", data)
        first, second, third = 6 + ends[0], 6 + ends[0] + ends[1], 6 + sum(ends)
        quarter = (size + 3) // 4
        parts = [data[6:first], data[first:second], data[second:third], data[third:]]
        lengths = [quarter] * 3 + [size - 3 * quarter]
        found = b"".join(self.huffman.read(part, length) for part, length in zip(parts, lengths, strict=True))
        return found, head + stored

    def _code(self, number: int, kind: _Kind, mode: int, data: bytes) -> tuple[Fse, int]:
        """The code of one kind of number, and how many bytes told it; 3: that of the block before."""
        if mode == 3:
            code, used = self.codes[number], 0
            if code is None:
                raise ValueError("a code is to be used again that was never told")
        elif mode == 2:
            code, used = read_shares(data, kind.highest_log)
        elif mode == 1:
            code, used = Fse.always(data[0]), 1
        else:
            code, used = Fse.of(kind.log, kind.shares), 0
        self.codes[number] = code
        return code, used

    def _sequences(self, bits: Backward, codes: list[Fse], count: int, literals: bytes) -> None:
        """Some literals, then something that was there before, again and again."""
        states = [bits.read(code.log) for code in codes]
        taken = 0
        for number in range(count):
            steps = [code.table[state] for code, state in zip(codes, states, strict=True)]
            fresh, back, again = (symbol for symbol, *_ in steps)
            distance = (1 << back) + bits.read(back)
            length = MATCHES.bases[again] + bits.read(MATCHES.bits[again])
            more = LITERALS.bases[fresh] + bits.read(LITERALS.bits[fresh])
            for which in (0, 2, 1) if number + 1 < count else ():  # in the order in which they were written
                _, wanted, base = steps[which]
                states[which] = base + bits.read(wanted)
            self.out += literals[taken : taken + more]
            taken += more
            self._again(self._distance(distance, more), length)
        if bits.left or taken > len(literals):
            raise ValueError("a block of another length than it says")
        self.out += literals[taken:]

    def _distance(self, told: int, literals: int) -> int:
        """How far back: told as itself plus 3, or as one of the last three."""
        if told > 3:
            self.recent = [told - 3, *self.recent[:2]]
            return told - 3
        which = told - 1 + (literals == 0)
        found = self.recent[which] if which < 3 else self.recent[0] - 1
        if which:
            self.recent = [found, self.recent[0], self.recent[2 if which == 1 else 1]]
        return found

    def _again(self, distance: int, length: int) -> None:
        if not 0 < distance <= len(self.out) or length > MOST_IN_A_BLOCK:
            raise ValueError("it refers to bytes that are not there")
        piece = self.out[-distance:]
        self.out += (piece * (length // distance + 1))[:length]


def _count(block: bytes, at: int) -> tuple[int, int]:
    """How many sequences a block has, and where that ends."""
    first = block[at]
    if first < 128:
        return first, at + 1
    if first < 255:
        return (first - 128 << 8) + block[at + 1], at + 2
    return block[at + 1] + (block[at + 2] << 8) + 0x7F00, at + 3


def _huffman(data: bytes) -> tuple[Huffman, int]:
    """A described Huffman code, and how many bytes described it."""
    head = data[0]
    if head >= 128:
        count = head - 127
        end = 1 + (count + 1) // 2
        halves = [half for byte in data[1:end] for half in (byte >> 4, byte & 15)]
        return Huffman.of(halves[:count]), end
    code, used = read_shares(data[1 : 1 + head], 6)
    bits = Backward(data[1 + used : 1 + head])
    weights: list[int] = []
    states = [bits.read(code.log), bits.read(code.log)]
    while bits.left >= 0 and len(weights) < 255:  # two states in turn, until one wants more than there is
        turn = len(weights) & 1
        symbol, more, base = code.table[states[turn]]
        weights.append(symbol)
        states[turn] = base + bits.read(more)
    weights.append(code.table[states[len(weights) & 1]][0])
    return Huffman.of(weights), 1 + head
