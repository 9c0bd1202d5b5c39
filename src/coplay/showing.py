"""Positions as pictures, where a world draws some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coplay.faces import faces_of
from coplay.game import GameError


class Picture:
    """An SVG that a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<a picture, {len(self.svg):,} characters of SVG; `.svg` has them>"


def show(game: Any, state: Any, names: Sequence[str] | None = None) -> Picture:
    """A position as a picture, with everybody's cards on show."""
    drawing = faces_of(game).drawing
    if drawing is None:
        raise GameError(f"{game.name} has no pictures; `game.view(state, seat)` shows what a seat knows.")
    return Picture(drawing.picture(game, state, names or [f"seat {seat}" for seat in range(game.players)]))
