"""How every game of a batch ended, as the tables of evaluations and tournaments keep it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from coplay.measure.strikes import strikes
from coplay.play.episode import Episodes


class Ending(NamedTuple):
    """The last columns of a row."""

    game: int
    score: float
    length: int
    strikes: int | None  # None where a game has no lives
    forfeit: str  # who broke it off and why; empty if nobody did


def endings(episodes: Episodes) -> Iterator[Ending]:
    broken = {
        forfeit.game: f"turn {forfeit.turn}, seat {forfeit.seat}: {' '.join(forfeit.reason.splitlines()[:1])}"
        for forfeit in episodes.forfeits
    }
    lives = strikes(episodes)
    for game in range(len(episodes)):
        lost = None if lives is None else int(lives[game])
        yield Ending(game, float(episodes.scores[game]), int(episodes.lengths[game]), lost, broken.get(game, ""))
