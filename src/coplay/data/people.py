"""Which seats of recorded games are people's, as columns of a file, and what readers make of them.

Where each game has one person, a file has `human_seat`, int [games], and `participant`, uint64 [games]: who that was.
Where a game has several, it has `human_seats`, bool [games, players], and `participants`, uint64 [games, players], 0
where no person sat. A file without either says nothing, and every seat counts; so does a `human_seat` of -1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

ONE, ONE_ID, SEVERAL, SEVERAL_IDS = "human_seat", "participant", "human_seats", "participants"


def people_columns(seats: np.ndarray, participants: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of a file. seats: bool [games, players]; participants: uint64 [games, players]."""
    if (seats.sum(1) == 1).all():
        first = seats.argmax(1)
        return {ONE: first.astype(np.int32), ONE_ID: np.take_along_axis(participants, first[:, None], 1)[:, 0]}
    return {SEVERAL: seats, SEVERAL_IDS: np.where(seats, participants, np.uint64(0))}


def marks_people(extra: Mapping[str, np.ndarray]) -> bool:
    """Does the file say which seats are people's?"""
    return ONE in extra or SEVERAL in extra


def counting_seats(extra: Mapping[str, np.ndarray], games: int, players: int) -> np.ndarray:
    """bool [games, players]: the seats whose moves count as people's, all of them where nothing is said."""
    if SEVERAL in extra:
        return np.asarray(extra[SEVERAL]).astype(bool)
    if ONE not in extra:
        return np.ones((games, players), bool)
    seat = np.broadcast_to(np.asarray(extra[ONE]), (games,))[:, None]
    return (seat < 0) | (seat == np.arange(players))


def said_alike(
    extras: Sequence[Mapping[str, np.ndarray]], games: Sequence[int], players: int
) -> list[dict[str, np.ndarray]]:
    """The columns of several sets that are to be joined: where they say differently which seats are people's, all of
    them say it in the way that can say everything."""
    names = {name for extra in extras for name in (ONE, SEVERAL) if name in extra}
    if not names or (all(names <= set(extra) for extra in extras) and len(names) == 1):
        return [dict(extra) for extra in extras]
    return [
        {name: column for name, column in extra.items() if name not in (ONE, ONE_ID)}
        | {SEVERAL: counting_seats(extra, count, players)}
        for extra, count in zip(extras, games, strict=True)
    ]
