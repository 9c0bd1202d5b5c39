"""How every game of a batch ended, as the tables of all measures keep it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from coplay.rollouts.chairs import NOT_ASKED, TIMED_OUT
from coplay.rollouts.episode import Episodes


class Ending(NamedTuple):
    """The last columns of a row."""

    game: int
    score: float
    length: int
    facts: Mapping[str, float]  # what else its world tells of the end, by name
    forfeit: str  # who broke it off and why; empty if nobody did


def endings(episodes: Episodes) -> Iterator[Ending]:
    broken = {
        forfeit.game: f"turn {forfeit.turn}, seat {forfeit.seat}: {' '.join(forfeit.reason.splitlines()[:1])}"
        for forfeit in episodes.forfeits
    }
    for game in range(len(episodes)):
        facts = {name: as_written(column[game]) for name, column in episodes.facts.items()}
        score = as_written(episodes.scores[game])
        yield Ending(game, score, int(episodes.lengths[game]), facts, broken.get(game, ""))


def as_written(number: np.generic) -> float:
    """A number of an array as people write it: 0.9 of 32 bits is 0.9, here and in games.csv."""
    return float(str(number))


def ran_out_of_time(forfeit: str) -> bool:
    """Did somebody break the game off by thinking too long, or by having done so before?"""
    return f": {NOT_ASKED}" in forfeit or TIMED_OUT in forfeit
