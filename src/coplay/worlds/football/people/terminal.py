"""The pitch as coloured text, for `rich.print`: a character is half a metre wide and a metre high."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from coplay.worlds.football.people.scene import COLOURS, TEAMS, Scene, clock, listed, scene_of, scene_seen
from coplay.worlds.football.pitch import GOAL, LENGTH, METRE, WIDTH

if TYPE_CHECKING:
    from coplay.worlds.football.rules import State
    from coplay.worlds.football.settings import Football
    from coplay.worlds.football.view import View

COLUMNS, ROWS = 4 * LENGTH // METRE + 1, 2 * WIDTH // METRE + 1
GRASS, LINE, NET = "on #4d8545", "#d8e8d2 on #4d8545", "#ffffff on #7d8a86"


def state_terminal(game: Football, state: State, names: Sequence[str], you: int | None = None) -> Group:
    """A state; `you` marks a seat as the reader's."""
    return scene_terminal(game, scene_of(state), names, you)


def view_terminal(view: View, names: Sequence[str]) -> Group:
    """What a seat sees, which attacks to the right."""
    return scene_terminal(view.game, scene_seen(view), names, int(view.seat))


def scene_terminal(game: Football, scene: Scene, names: Sequence[str], you: int | None) -> Group:
    cells = _empty()
    if scene.ball is not None:
        column, row = _cell(*scene.ball)
        cells[row][column] = ("o", f"bold #ffffff {GRASS}")
    for one in scene.figures:
        column, row = _cell(one.x, one.y)
        mark = "underline " if one.seat == you else ""
        cells[row][column] = (one.shirt, f"bold {mark}#ffffff on {COLOURS[one.team]}")
        if one.ball and column + 1 < COLUMNS:  # the ball at its feet
            cells[row][column + 1] = ("o", f"bold #ffffff {GRASS}")
    lines = [Text(f"{TEAMS[0]} {scene.goals[0]} : {scene.goals[1]} {TEAMS[1]}   {clock(game, scene.time)}", "bold")]
    for row in cells:
        line = Text()
        for letter, style in row:
            line.append(letter, style)
        lines.append(line)
    shown = ["you" if seat == you else name for seat, name in enumerate(names)]
    lines += [Text(f"{TEAMS[team]}: {listed(shown, team)}", COLOURS[team]) for team in (0, 1)]
    return Group(*lines)


def _empty() -> list[list[tuple[str, str]]]:
    cells = [[(" ", GRASS)] * COLUMNS for _ in range(ROWS)]
    middle, posts = ROWS // 2, GOAL // METRE
    for row in range(ROWS):
        cells[row][COLUMNS // 2] = ("│", LINE)
        for column in (0, COLUMNS - 1):
            net = abs(row - middle) <= posts
            cells[row][column] = ("#", NET) if net else ("│", LINE)
    for row in (0, ROWS - 1):
        cells[row] = [("─", LINE)] * COLUMNS
    return cells


def _cell(x: float, y: float) -> tuple[int, int]:
    column, row = round(2 * x) + COLUMNS // 2, round(y) + ROWS // 2
    return min(max(column, 0), COLUMNS - 1), min(max(row, 0), ROWS - 1)
