"""The log of a game: the actions of each turn, of those on turn, as text."""

from __future__ import annotations


def pack(actions: tuple[int, ...]) -> str:
    """The actions of a turn as the log has them."""
    return ",".join(map(str, actions))


def unpack(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))
