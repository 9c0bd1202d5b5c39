"""The pitch as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from coplay.worlds.football.actions import WAYS
from coplay.worlds.football.people.scene import COLOURS, TEAMS, Figure, Scene, clock, listed, scene_of, scene_seen
from coplay.worlds.football.pitch import GOAL, LENGTH, METRE, WIDTH

if TYPE_CHECKING:
    from coplay.worlds.football.rules import State
    from coplay.worlds.football.settings import Football
    from coplay.worlds.football.view import View

SCALE = 22  # pixels a metre
HALF_X, HALF_Y, POSTS = LENGTH // METRE * SCALE, WIDTH // METRE * SCALE, GOAL * SCALE // METRE
EDGE, HEAD, FOOT = 34, 44, 70  # around the pitch: at the sides, above, below
NET = 22


def picture(game: Football, state: State, names: Sequence[str]) -> str:
    """A state as SVG."""
    scene = scene_of(state)
    return frame(names, "".join([*moving(scene), *score_board(game, scene)]))


def view_svg(view: View) -> str:
    """What a seat sees, as SVG; it attacks to the right."""
    scene = scene_seen(view)
    names = [f"seat {seat}" for seat in range(view.game.players)]
    return frame(names, "".join([*moving(scene), *score_board(view.game, scene)]))


def frame(names: Sequence[str], inside: str) -> str:
    """The pitch with the names of both teams, and something on it."""
    wide, high = 2 * (HALF_X + EDGE), 2 * HALF_Y + HEAD + FOOT
    corner = f"{-HALF_X - EDGE} {-HALF_Y - HEAD}"
    figures = "".join([*(_nose(way) for way in range(WAYS)), *(_figure(seat) for seat in range(len(names)))])
    lines = "".join(
        f'<text x="{-HALF_X}" y="{HALF_Y + 34 + 20 * team}" font-size="14" fill="{COLOURS[team]}">'
        f"{TEAMS[team]}: {escape(listed(names, team))}</text>"
        for team in (0, 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{corner} {wide} {high}" width="{wide}" height="{high}" '
        f'font-family="system-ui, sans-serif" role="img"><title>a football pitch seen from above</title>'
        f"<defs>{figures}</defs>{_pitch()}{lines}{inside}</svg>"
    )


def _pitch() -> str:
    line = 'fill="none" stroke="#ffffff" stroke-width="2"'
    goals = "".join(
        f'<rect x="{x}" y="{-POSTS}" width="{NET}" height="{2 * POSTS}" fill="#ffffff" fill-opacity="0.5" '
        'stroke="#54636b" stroke-width="2"/>'
        for x in (-HALF_X - NET, HALF_X)
    )
    return (
        f'<rect x="{-HALF_X - EDGE}" y="{-HALF_Y - HEAD}" width="{2 * (HALF_X + EDGE)}" '
        f'height="{2 * HALF_Y + HEAD + FOOT}" fill="#f4f6f1"/>'
        f'<rect x="{-HALF_X - NET}" y="{-HALF_Y - 14}" width="{2 * (HALF_X + NET)}" height="{2 * HALF_Y + 28}" '
        f'rx="6" fill="#5f9a55"/>{goals}'
        f'<rect x="{-HALF_X}" y="{-HALF_Y}" width="{2 * HALF_X}" height="{2 * HALF_Y}" {line}/>'
        f'<path d="M0 {-HALF_Y}V{HALF_Y}" {line}/><circle r="{3 * SCALE}" {line}/>'
    )


def _figure(seat: int) -> str:
    """A player once; it is put where it stands by <use>."""
    one = Figure(seat, 0, 0, 0, False)
    return (
        f'<g id="p{seat}"><circle r="11" fill="{COLOURS[one.team]}" stroke="#ffffff" stroke-width="1.5"/>'
        f'<text y="5" font-size="13" font-weight="bold" fill="#ffffff" text-anchor="middle">{one.shirt}</text></g>'
    )


def _nose(way: int) -> str:
    """Which way somebody faces."""
    angle = 2 * math.pi * way / WAYS
    end = f"{round(16 * math.cos(angle))} {round(16 * math.sin(angle))}"
    return f'<path id="w{way}" d="M0 0L{end}" stroke="#222222" stroke-width="3"/>'


def moving(scene: Scene) -> list[str]:
    """A piece of SVG for everybody, and one for the ball."""
    pieces = [piece(one) for one in scene.figures]
    if scene.ball is not None:
        x, y = (round(value * SCALE) for value in scene.ball)
        pieces.append(f'<circle cx="{x}" cy="{y}" r="5" fill="#ffffff" stroke="#222222" stroke-width="1.5"/>')
    return pieces


def piece(one: Figure) -> str:
    """A player where it stands, with a nose in the way it faces."""
    x, y = round(one.x * SCALE), round(one.y * SCALE)
    return f'<use href="#w{one.way}" x="{x}" y="{y}"/><use href="#p{one.seat}" x="{x}" y="{y}"/>'


def score_board(game: Football, scene: Scene) -> list[str]:
    """The result, and which half it is: pieces that rarely change."""
    text = f"{TEAMS[0]} {scene.goals[0]} : {scene.goals[1]} {TEAMS[1]}"
    half = clock(game, scene.time).partition(",")[0]
    return [
        f'<text y="{-HALF_Y - 22}" font-size="18" font-weight="bold" text-anchor="middle" fill="#22303a">{text}</text>',
        f'<text x="{HALF_X}" y="{-HALF_Y - 22}" font-size="13" text-anchor="end" fill="#54636b">{half}</text>',
    ]
