"""The two codes of Zstandard (RFC 8878, section 4): Huffman's for bytes, FSE for everything else."""

from __future__ import annotations

from typing import NamedTuple

ONE_BYTE = 1 << 8
WINDOW = 48  # bytes that are held as one number: shifting a whole stream would take time by its square
LOWEST_LOG, HIGHEST_LOG = 5, 9


class Backward:
    """Bits from the end of some bytes to their beginning; the highest bit that is set only marks the end."""

    def __init__(self, data: bytes) -> None:
        if not data or not data[-1]:
            raise ValueError("a stream of bits without its end")
        self.data = data
        self.left = 8 * len(data) - 9 + data[-1].bit_length()  # bits that were not read

    def read(self, bits: int) -> int:
        """The next bits; those before the beginning are zeros."""
        self.left -= bits
        if self.left < 0:
            whole = int.from_bytes(self.data[:8], "little") if self.left > -bits else 0
            return whole << -self.left & (1 << bits) - 1
        first = self.left >> 3
        held = int.from_bytes(self.data[first : first + 8], "little")
        return held >> (self.left & 7) & (1 << bits) - 1


class Huffman(NamedTuple):
    """Codes of bytes: for the next `bits` bits the byte that they begin with, and how many of them are its own."""

    bits: int
    table: list[tuple[int, int]]

    @classmethod
    def of(cls, weights: list[int]) -> Huffman:
        """From the weights of all bytes but the last one, whose weight is what is left."""
        filled = sum(1 << weight - 1 for weight in weights if weight)
        bits = filled.bit_length()
        left = (1 << bits) - filled
        if not filled or left & left - 1 or bits > 11:
            raise ValueError("a Huffman code that does not add up")
        weights = [*weights, left.bit_length()]
        table: list[tuple[int, int]] = []
        for weight in range(1, bits + 1):
            for byte, own in enumerate(weights):
                if own == weight:
                    table += [(byte, bits + 1 - weight)] * (1 << weight - 1)
        return cls(bits, table)

    def read(self, stream: bytes, size: int) -> bytes:
        """So many bytes out of one stream."""
        left = Backward(stream).left
        bits, table, mask, out = self.bits, self.table, (1 << self.bits) - 1, bytearray()
        while len(out) < size and left > 0:
            first = max(0, (left + 7 >> 3) - WINDOW)
            held = int.from_bytes(stream[first : left + 7 >> 3], "little") << bits  # zeros before the beginning
            left -= 8 * first
            least = bits if first else 0  # the last bits of a window may belong to a code that goes on before it
            while left > least and len(out) < size:
                byte, used = table[held >> left & mask]
                out.append(byte)
                left -= used
            left += 8 * first
        if len(out) != size or left:
            raise ValueError("a stream of another length than it says")
        return bytes(out)


class Fse(NamedTuple):
    """A code of symbols by states: for every state its symbol, how many bits to read, and what they are added to."""

    log: int
    table: list[tuple[int, int, int]]

    @classmethod
    def always(cls, symbol: int) -> Fse:
        return cls(0, [(symbol, 0, 0)])

    @classmethod
    def of(cls, log: int, shares: list[int]) -> Fse:
        """From how many states every symbol has; -1: less than one."""
        size = 1 << log
        symbols, end = [0] * size, size
        for symbol, share in enumerate(shares):
            if share == -1:
                end -= 1
                symbols[end] = symbol
        place = 0
        for symbol, share in enumerate(shares):
            for _ in range(share):
                symbols[place] = symbol
                place = place + (size >> 1) + (size >> 3) + 3 & size - 1
                while place >= end:
                    place = place + (size >> 1) + (size >> 3) + 3 & size - 1
        following = [max(1, abs(share)) for share in shares]
        table = []
        for symbol in symbols:
            state = following[symbol]
            following[symbol] += 1
            bits = log + 1 - state.bit_length()
            table.append((symbol, bits, (state << bits) - size))
        return cls(log, table)


def read_shares(data: bytes, highest_log: int = HIGHEST_LOG) -> tuple[Fse, int]:
    """A described FSE code, and how many bytes described it."""
    held, at = int.from_bytes(data[:512], "little"), 4
    log = (held & 15) + LOWEST_LOG
    if log > highest_log:
        raise ValueError(f"a code with 2^{log} states")
    left, shares = 1 << log, []
    while left > 0:
        bits = (left + 1).bit_length()
        few = (1 << bits) - 2 - left  # so many values are one bit shorter
        value, short = held >> at & (1 << bits) - 1, (1 << bits - 1) - 1
        if value & short < few:
            value, bits = value & short, bits - 1
        elif value > short:
            value -= few
        at += bits
        shares.append(value - 1)
        left -= abs(value - 1)
        zeros = 3 if value == 1 else 0
        while zeros == 3:
            zeros = held >> at & 3
            at += 2
            shares += [0] * zeros
        if len(shares) > ONE_BYTE:
            raise ValueError("a code of more than 256 symbols")
    if left or at + 7 >> 3 > len(data):
        raise ValueError("a code that does not add up")
    return Fse.of(log, shares), at + 7 >> 3
