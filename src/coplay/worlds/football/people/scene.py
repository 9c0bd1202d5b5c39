"""A match as it is drawn: numbers in metres, attack of the first side (or of a viewer) to the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coplay.worlds.football.pitch import METRE

if TYPE_CHECKING:
    from coplay.worlds.football.rules import State
    from coplay.worlds.football.settings import Football
    from coplay.worlds.football.view import View

TEAMS = ("blue", "red")  # what people call the first side and the second
COLOURS = ("#2563a8", "#b3362b")


class Figure(NamedTuple):
    """A player."""

    seat: int
    x: float
    y: float
    way: int  # 0 to 15
    ball: bool

    @property
    def team(self) -> int:
        return self.seat % 2

    @property
    def shirt(self) -> str:
        """The number on its back: 1 to 5 in both teams."""
        return str(self.seat // 2 + 1)


class Scene(NamedTuple):
    """What is on show."""

    figures: tuple[Figure, ...]  # in order of seat
    ball: tuple[float, float] | None
    goals: tuple[int, int]  # of the first side, of the second
    time: int


def scene_of(state: State) -> Scene:
    """Everything."""
    bodies, ball = state.bodies, state.ball
    owner = int(ball.owner)
    count = len(np.asarray(bodies.x))
    figures = tuple(
        Figure(seat, int(bodies.x[seat]) / METRE, int(bodies.y[seat]) / METRE, int(bodies.way[seat]), seat == owner)
        for seat in range(count)
    )
    goals = int(state.goals[0]), int(state.goals[1])
    return Scene(figures, (int(ball.x) / METRE, int(ball.y) / METRE), goals, int(state.time))


def scene_seen(view: View) -> Scene:
    """What a seat sees, turned as it sees it."""
    count, seat = view.game.players, int(view.seat)
    figures = [
        Figure(
            (seat + number) % count,
            int(view.x[number]) / METRE,
            int(view.y[number]) / METRE,
            int(view.way[number]),
            number == int(view.owner),
        )
        for number in range(count)
        if bool(view.seen[number])
    ]
    ball = (int(view.ball_x) / METRE, int(view.ball_y) / METRE) if bool(view.ball_seen) else None
    own, other = int(view.goals[0]), int(view.goals[1])
    goals = (own, other) if seat % 2 == 0 else (other, own)
    return Scene(tuple(sorted(figures)), ball, goals, int(view.time))


def clock(game: Football, time: int) -> str:
    """The time of a match in words."""
    if time == 0:
        return "line-up"
    if time >= game.max_steps:
        return "full time"
    return f"{'first' if time <= game.half else 'second'} half, step {time - 1} of {2 * game.half}"


def listed(names: Sequence[str], team: int) -> str:
    """The players of a team with their numbers."""
    return ", ".join(f"{seat // 2 + 1} {name}" for seat, name in enumerate(names) if seat % 2 == team)
