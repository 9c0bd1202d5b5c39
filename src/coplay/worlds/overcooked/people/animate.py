"""Whole episodes as pictures: a page that plays them, an animated GIF, single frames as PNG."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from coplay.game import GameError
from coplay.report.pages.replay_page import replay_page
from coplay.worlds.overcooked.people.replay import story
from coplay.worlds.overcooked.people.sketch import Area, Box, Disc, Names, Shape, Sketch, sketch
from coplay.worlds.overcooked.rules import State

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

SMOOTH = 2  # pixels are painted this much finer, then averaged


def replay_states(game: Overcooked, start: State, actions: np.ndarray | Sequence[Sequence[int]]) -> list[State]:
    """The states of an episode, the start first: one more than there are actions [steps, players]."""
    joint = np.asarray(actions, np.int32)
    if joint.ndim != 2 or joint.shape[1] != game.players:
        raise GameError(
            f"actions have shape {joint.shape}; give [steps, {game.players}], one action per chef and step."
        )
    joint = joint[: next((step for step, row in enumerate(joint) if (row < 0).any()), len(joint))]  # -1: after the end
    batch = jax.device_get(_runner(game)(jax.tree.map(jnp.asarray, start), joint))
    later = [jax.tree.map(lambda leaf, at=step: leaf[at], batch) for step in range(len(joint))]
    return [jax.device_get(start), *later]


def kitchen_png(game: Overcooked, state: State, path: str | Path, names: Names = None, scale: float = 2) -> None:
    """Writes one frame as PNG."""
    _paint([sketch(game, state, names)], scale)[0].save(path, "PNG")


def kitchen_gif(
    game: Overcooked, states: Sequence[State], path: str | Path, names: Names = None, speed: float = 8, scale: float = 1
) -> None:
    """Writes an animated GIF, `speed` frames a second; the last frame stays a while."""
    if not states:
        raise GameError("an animation needs at least one state.")
    if not 0.1 <= speed <= 50:
        raise GameError(f"speed={speed}: a GIF shows 0.1 to 50 frames a second.")
    pictures = _paint([sketch(game, state, names) for state in states], scale)
    palette = pictures[len(pictures) // 2].quantize(128, dither=Image.Dither.NONE)
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    durations = [round(1000 / speed)] * (len(frames) - 1) + [2000]
    frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=False)


def replay_html(
    game: Overcooked,
    start: State,
    actions: np.ndarray | Sequence[Sequence[int]],
    names: Names = None,
    speed: float = 8,
    title: str = "",
) -> str:
    """A page of its own that plays an episode: slider, keys, deliveries marked. It loads nothing from anywhere."""
    states = replay_states(game, start, actions)
    told = story(game, states, np.asarray(actions), names)._replace(speed=speed)
    return replay_page(title or f"Overcooked: {game.kitchen.name}, score {int(states[-1].score)}", told)


@functools.cache
def _runner(game: Overcooked) -> Any:
    def move(state: State, actions: jax.Array) -> tuple[State, State]:
        after = game.step(state, actions).state
        return after, after

    return jax.jit(lambda start, actions: jax.lax.scan(move, start, actions)[1])


def _paint(pictures: Sequence[Sketch], scale: float) -> list[Image.Image]:
    """The pictures as pixels; the kitchen itself is painted once."""
    first = pictures[0]
    fine = scale * SMOOTH
    size = (round(first.width * scale), round(first.height * scale))
    kitchen = Image.new("RGB", (size[0] * SMOOTH, size[1] * SMOOTH), "#ffffff")
    _draw(kitchen, first.fixed, fine)
    painted = []
    for picture in pictures:
        canvas = kitchen.copy()
        for group in picture.moving:
            _draw(canvas, group, fine)
        painted.append(canvas.resize(size, Image.Resampling.BOX))
    return painted


def _draw(canvas: Image.Image, shapes: Iterable[Shape], scale: float) -> None:
    brush = ImageDraw.Draw(canvas)
    for shape in shapes:
        if isinstance(shape, Box):
            corners = [shape.x, shape.y, shape.x + shape.width, shape.y + shape.height]
            # the right and lower edges of a box belong to its neighbour
            box = [value * scale - (1 if index > 1 else 0) for index, value in enumerate(corners)]
            brush.rounded_rectangle(box, shape.radius * scale, shape.fill)
        elif isinstance(shape, Disc):
            reach = shape.radius + (shape.thick / 2 if shape.edge else 0)
            box = [(shape.x - reach) * scale, (shape.y - reach) * scale]
            box += [(shape.x + reach) * scale, (shape.y + reach) * scale]
            thick = round(shape.thick * scale) if shape.edge else 0
            brush.ellipse(box, shape.fill, shape.edge or None, thick)
        elif isinstance(shape, Area):
            brush.polygon([(x * scale, y * scale) for x, y in shape.points], shape.fill)
        else:
            anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
            font = _font(shape.bold, shape.size * scale)
            brush.text((shape.x * scale, shape.y * scale), shape.text, shape.fill, font, anchor)


@functools.cache
def _font(bold: bool, size: float) -> Any:
    """Matplotlib's own DejaVu, which is there wherever we are; found without importing all of matplotlib."""
    package = importlib.util.find_spec("matplotlib")
    if package is None or package.origin is None:
        return ImageFont.load_default(size)
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(package.origin).parent / "mpl-data/fonts/ttf" / name), size)
