"""SVG as pixels: shapes where they belong, colours as they are, and a word about what cannot be drawn."""

from __future__ import annotations

import numpy as np
import pytest

import coplay
from coplay.adapters.pictures import Window, frame, pixels, words
from coplay.game import GameError

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">{}</svg>'


def test_shapes_lie_where_they_belong():
    seen = pixels(
        SVG.format(
            '<title>x</title><rect x="0" y="0" width="20" height="20" fill="#ff0000"/>'
            '<circle cx="30" cy="10" r="8" fill="none" stroke="#0000ff" stroke-width="4"/>'
            '<polygon points="22,0 26,0 22,4" fill="lime"/>'
            '<rect x="0" y="0" width="10" height="20" fill="#0000ff" opacity="0.5"/>'
        )
    )
    assert seen.shape == (20, 40, 3)
    assert seen[10, 15].tolist() == [255, 0, 0]
    assert seen[10, 30].tolist() == [255, 255, 255]  # the ring is hollow
    assert seen[10, 24, 2] > 200 > seen[10, 24, 0]
    assert seen[1, 22, 1] > 200 > seen[1, 22, 0]
    assert np.abs(seen[10, 4].astype(int) - [128, 0, 128]).max() < 4


def test_words_stand_at_their_anchor():
    text = '<text x="20" y="15" font-size="14" text-anchor="{}" fill="black">M<tspan dx="2">M</tspan></text>'
    ink = {
        anchor: np.flatnonzero((pixels(SVG.format(text.format(anchor))) < 128).any((0, 2)))
        for anchor in ("start", "end")
    }
    assert ink["start"].min() >= 20 > ink["end"].max()
    assert (words("a\nlong line") < 128).any()


def test_what_is_not_drawn_is_named():
    with pytest.raises(GameError, match="<path>, which is not drawn"):
        pixels(SVG.format('<path d="M0 0"/>'))


@pytest.mark.parametrize(
    "name", ["hanabi?players=5", "overcooked?layout=counter_circuit", "file:tests/own/levers.py:Levers"]
)
def test_every_game_is_a_picture(name: str):
    import jax

    game = coplay.make(name)
    seen = frame(game, game.reset(jax.random.key(0)))
    assert seen.shape[2] == 3
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 10


def test_a_window_needs_a_screen(monkeypatch: pytest.MonkeyPatch):
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    with pytest.raises(GameError, match="needs a screen"):
        Window("x").show(np.zeros((4, 4, 3), np.uint8))
