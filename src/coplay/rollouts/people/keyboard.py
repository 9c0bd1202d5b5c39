"""Single keys from a terminal, without waiting for Enter; the terminal is left as it was found."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO

ReadKey = Callable[[float | None], str | None]  # waits so many seconds (None: for ever) for a key; None if none came

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}


@contextmanager
def keyboard(source: IO[str] | None = None) -> Iterator[ReadKey]:
    """Reads keys while the block runs. Where there is no terminal, the characters of typed lines count as keys."""
    source = source or sys.stdin
    if source is None:
        raise EOFError("there is no keyboard: standard input is closed")
    if not has_keys(source):
        yield partial(_typed_key, source)
        return
    import termios
    import tty

    descriptor = source.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield partial(_pressed_key, descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def has_keys(source: IO[str] | None = None) -> bool:
    """Can single keys be read, and waited for?"""
    try:
        import termios  # noqa: F401
    except ImportError:  # not on Windows
        return False
    source = source or sys.stdin
    return source is not None and source.isatty()


def _typed_key(source: IO[str], timeout: float | None = None) -> str:
    del timeout
    character = source.read(1)
    while character in ("\n", "\r"):
        character = source.read(1)
    if not character:
        raise EOFError
    return character


def _pressed_key(descriptor: int, timeout: float | None = None) -> str | None:
    """A character, the name of an arrow key, or "" for any other special key."""
    if not _waiting(descriptor, timeout):
        return None
    first = os.read(descriptor, 1)
    if first in (b"", b"\x04"):
        raise EOFError
    if first != b"\x1b":
        return first.decode("ascii", errors="replace")
    sequence = b""  # such as [A: it ends with the first letter or ~ after its opening
    while _waiting(descriptor, 0.03):
        sequence += os.read(descriptor, 1)
        if (len(sequence) > 1 and sequence[-1] >= 0x40) or sequence[:1] not in (b"[", b"O"):
            break
    return ARROWS.get(sequence[-1:].decode("ascii", errors="replace"), "") if len(sequence) == 2 else ""


def _waiting(descriptor: int, timeout: float | None) -> bool:
    return bool(select.select([descriptor], [], [], timeout)[0])
