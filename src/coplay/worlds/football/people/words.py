"""A view in words, for people and language models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coplay.worlds.football.actions import COMPASS, PASS, RUN, SHOOT, TACKLE
from coplay.worlds.football.people.scene import TEAMS, clock
from coplay.worlds.football.pitch import METRE

if TYPE_CHECKING:
    from coplay.worlds.football.view import View

CLAIMS = ("", "Your side alone may take the ball.", "The other side alone may take the ball.")


def view_text(view: View) -> str:
    """Everything the seat knows, and what it may do."""
    game, seat = view.game, int(view.seat)
    lines = [
        f"{clock(game, int(view.time)).capitalize()}. You are seat {seat}, number {seat // 2 + 1} of "
        f"{TEAMS[seat % 2]}, and attack to the right (east). "
        f"Goals: yours {int(view.goals[0])}, theirs {int(view.goals[1])}.",
        "The pitch is 30 by 20 metres; (0, 0) is the centre, your goal is at (-15, 0), theirs at (15, 0), south is +.",
        f"You are {_where(view, 0)}." + (f" You cannot act for {int(view.stun)} steps." if int(view.stun) else ""),
        _ball(view),
        *(f"{_called(number)}: {_seen(view, number)}." for number in _in_order(game.players)),
        _choices(view),
    ]
    return "\n".join(line for line in lines if line)


def _in_order(players: int) -> list[int]:
    return [*range(2, players, 2), *range(1, players, 2)]


def _called(number: int) -> str:
    if number == 0:
        return "you"
    return f"Mate {number // 2}" if number % 2 == 0 else f"Opponent {(number + 1) // 2}"


def _metres(x: object, y: object) -> str:
    return f"({int(np.asarray(x)) / METRE:.1f}, {int(np.asarray(y)) / METRE:.1f})"


def _where(view: View, number: int) -> str:
    speed = float(np.hypot(float(view.vx[number]), float(view.vy[number]))) / METRE * 10
    facing = COMPASS[(int(view.way[number]) + 1) // 2 % 8]
    return f"at {_metres(view.x[number], view.y[number])}, facing {facing}, {speed:.1f} m/s"


def _seen(view: View, number: int) -> str:
    if not bool(view.seen[number]):
        return "out of sight"
    signs = view.signs
    known = ", gave your sign" if int(signs[0]) and int(signs[number]) == int(signs[0]) else ""
    return _where(view, number) + (", has the ball" if number == int(view.owner) else "") + known


def _ball(view: View) -> str:
    claim = CLAIMS[int(view.claim)]
    if not bool(view.ball_seen):
        return f"The ball is out of sight. {claim}".strip()
    place = f"at {_metres(view.ball_x, view.ball_y)}"
    owner = int(view.owner)
    if owner == 0:
        return f"You have the ball, {place}."
    if owner > 0:
        return f"{_called(owner)} has the ball, {place}."
    speed = f"{_metres(10 * np.asarray(view.ball_vx), 10 * np.asarray(view.ball_vy))} m/s"
    return f"The ball is {place}, moving {speed}. {claim}".strip()


def _choices(view: View) -> str:
    legal = np.asarray(view.legal)
    if not legal.any():
        return "The match is over."
    said = ["0 stay"]
    if legal[RUN]:
        said.append(f"{RUN}-{PASS - 1} run {' '.join(COMPASS)}")
    if legal[PASS]:
        said.append(f"{PASS}-{SHOOT - 1} pass and {SHOOT}-{TACKLE - 1} shoot, 22.5° apart, the first to the east")
    if legal[TACKLE]:
        said.append(f"{TACKLE} tackle")
    line_up = " At the line-up nobody moves: what you choose is a sign that all can see." if int(view.time) == 0 else ""
    return f"You may: {'; '.join(said)}.{line_up}"
