"""Games as pixels, for environments that render: the drawing of a world, or the view in words where it has none.

Drawings are SVG made of rectangles, circles, lines, polygons and words. That much is drawn here with Pillow; nothing
else has to be installed. What else an SVG may hold is an error that names it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
from PIL import Image, ImageColor, ImageDraw, ImageFont

from coplay.faces import faces_of
from coplay.game import Game, GameError, State
from coplay.views.host import view_text

FINER = 3  # drawn so many times larger, then made small: smooth edges
SKIPPED = ("title", "desc", "style")
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def frame(game: Game, state: State, seat: int = 0) -> np.ndarray:
    """uint8 [height, width, 3]: a position, everybody's cards on show; of a game without drawings what `seat` reads."""
    drawing = faces_of(game).drawing
    if drawing is None:
        return words(view_text(game.view(state, seat)))
    return pixels(drawing.picture(game, state, [f"player_{number}" for number in range(game.players)]))


def pixels(svg: str) -> np.ndarray:
    """uint8 [height, width, 3] of an SVG on white."""
    root = ElementTree.fromstring(svg)
    wide, high = (float(root.get(side, "0")) for side in ("width", "height"))
    picture = Image.new("RGBA", (round(wide * FINER), round(high * FINER)), "white")
    for element in root:
        _draw(picture, element)
    small = picture.convert("RGB").resize((round(wide), round(high)), Image.Resampling.LANCZOS)
    return np.asarray(small).copy()


def words(text: str, size: int = 14) -> np.ndarray:
    """Lines of text as a picture."""
    font, lines = _font("DejaVuSansMono.ttf", size), text.splitlines() or [""]
    wide = max(font.getlength(line) for line in lines)
    picture = Image.new("RGB", (round(wide) + 2 * size, round(1.4 * size * len(lines)) + 2 * size), "white")
    pen = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        pen.text((size, size + 1.4 * size * number), line, font=font, fill="black")
    return np.asarray(picture).copy()


def _draw(picture: Image.Image, element: Any) -> None:
    """One element, laid upon what is there: it may let that shine through."""
    kind = element.tag.rpartition("}")[2]
    if kind in SKIPPED:
        return
    if kind not in SHAPES:
        raise GameError(
            f"this picture has a <{kind}>, which is not drawn as pixels; those that are: {', '.join(SHAPES)}. "
            "Use render_mode='ansi'."
        )
    if not any(_shines(one) for one in (element, *element)):
        SHAPES[kind](ImageDraw.Draw(picture), element)
        return
    layer = Image.new("RGBA", picture.size)
    SHAPES[kind](ImageDraw.Draw(layer), element)
    opacity = float(element.get("opacity", "1"))
    layer.putalpha(layer.getchannel("A").point([round(value * opacity) for value in range(256)]))
    picture.alpha_composite(layer)


def _shines(element: Any) -> bool:
    """Is what lies below to be seen through it?"""
    shares = [element.get(name) for name in ("opacity", "fill-opacity", "stroke-opacity")]
    inks = [_ink(element, "fill", None), _ink(element, "stroke", None)]
    return any(share not in (None, "1") for share in shares) or any(ink[3] < 255 for ink in inks if ink)


def _numbers(element: Any, *names: str) -> list[float]:
    return [float(element.get(name, "0")) * FINER for name in names]


def _ink(element: Any, name: str = "fill", usual: str | None = "black") -> Any:
    value = element.get(name, usual)
    if value in (None, "none"):
        return None
    color = ImageColor.getrgb(value)
    share = float(element.get(f"{name}-opacity", "1"))
    return (*color[:3], round((color[3] if len(color) > 3 else 255) * share))


def _line_of(element: Any) -> dict[str, Any]:
    """The outline of a shape."""
    ink = _ink(element, "stroke", None)
    return {"outline": ink, "width": max(round(float(element.get("stroke-width", "1")) * FINER), 1)} if ink else {}


def _rect(pen: ImageDraw.ImageDraw, element: Any) -> None:
    x, y, wide, high, round_by = _numbers(element, "x", "y", "width", "height", "rx")
    place = (x, y, x + max(wide - 1, 0), y + max(high - 1, 0))
    pen.rounded_rectangle(place, min(round_by, wide / 2, high / 2), _ink(element), **_line_of(element))


def _circle(pen: ImageDraw.ImageDraw, element: Any) -> None:
    x, y, r = _numbers(element, "cx", "cy", "r")
    pen.ellipse((x - r, y - r, x + r, y + r), _ink(element), **_line_of(element))


def _points(element: Any) -> list[tuple[float, float]]:
    values = [float(word) * FINER for word in re.split(r"[\s,]+", element.get("points", "").strip())]
    return list(zip(values[::2], values[1::2], strict=True))


def _polygon(pen: ImageDraw.ImageDraw, element: Any) -> None:
    pen.polygon(_points(element), _ink(element), **_line_of(element))


def _line(pen: ImageDraw.ImageDraw, element: Any) -> None:
    pen.line(
        _numbers(element, "x1", "y1", "x2", "y2"), _ink(element, "stroke", None), _line_of(element).get("width", 1)
    )


def _text(pen: ImageDraw.ImageDraw, element: Any) -> None:
    """Words, and pieces of them with a look of their own, from a place on their foot."""
    pieces = [(element, element.text or "")]
    for inner in element:
        pieces += [(inner, inner.text or ""), (element, inner.tail or "")]
    fonts = [_text_font(piece, element) for piece, _ in pieces]
    room = [float(piece.get("dx", "0")) * FINER if piece is not element else 0.0 for piece, _ in pieces]
    wide = sum(room) + sum(font.getlength(words) for font, (_, words) in zip(fonts, pieces, strict=True))
    x, y = _numbers(element, "x", "y")
    x -= {"middle": wide / 2, "end": wide}.get(element.get("text-anchor", "start"), 0.0)
    for font, before, (piece, said) in zip(fonts, room, pieces, strict=True):
        ink = _ink(piece, "fill", element.get("fill", "black"))
        if ink and said:
            pen.text((x + before, y), said, fill=ink, font=font, anchor="ls")
        x += before + font.getlength(said)


def _text_font(piece: Any, whole: Any) -> Any:
    weight = piece.get("font-weight", whole.get("font-weight", "400"))
    name = "DejaVuSans-Bold.ttf" if weight in ("600", "700", "800", "bold") else "DejaVuSans.ttf"
    size = float(piece.get("font-size", whole.get("font-size", "16")))
    return _font(name, round(size * FINER * 0.92))  # DejaVu is wider than the fonts of browsers


@cache
def _font(name: str, size: int) -> Any:
    return ImageFont.truetype(str(FONTS / name), size)


SHAPES = {"rect": _rect, "circle": _circle, "polygon": _polygon, "line": _line, "text": _text}


class Window:
    """A window that shows one picture after the other; made when the first is shown."""

    def __init__(self, title: str, seconds: float = 0.1) -> None:
        self.title, self.seconds = title, seconds
        self.image: Any = None

    def show(self, picture: np.ndarray) -> None:
        from matplotlib import pyplot

        if self.image is None:
            if pyplot.get_backend().lower() in ("agg", "svg", "pdf", "ps", "template", "cairo"):
                raise GameError(
                    f"render_mode='human' needs a screen, and matplotlib draws with {pyplot.get_backend()!r} here; "
                    "use rgb_array, or install a toolkit such as PyQt6."
                )
            figure = pyplot.figure(self.title, figsize=(picture.shape[1] / 100, picture.shape[0] / 100), dpi=100)
            axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
            axes.set_axis_off()
            self.image = axes.imshow(picture)
        self.image.set_data(picture)
        pyplot.pause(self.seconds)

    def close(self) -> None:
        if self.image is not None:
            from matplotlib import pyplot

            pyplot.close(self.image.figure)
            self.image = None
