"""Pictures are valid, show what their reader may see, and nothing more."""

from __future__ import annotations

import functools
import io
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from rich.console import Console

from coplay.game import GameError
from coplay.worlds.hanabi import Hanabi, State
from coplay.worlds.hanabi.people.draw import GOLD, state_svg, table_svg
from coplay.worlds.hanabi.people.table import read_view
from coplay.worlds.hanabi.people.terminal import state_terminal, table_terminal

GAMES = {
    "full-2p": Hanabi(players=2),
    "full-5p": Hanabi(players=5),
    "tiny": Hanabi(players=3, colors=1, ranks=2, hand_size=1, life_tokens=9, info_tokens=30, copies=(3, 2)),
    "wide": Hanabi(players=2, colors=2, hand_size=8),
}
SVG = "{http://www.w3.org/2000/svg}"


@functools.cache
def positions(game: Hanabi) -> list[State]:
    """The first turns of a random game."""
    rng = np.random.default_rng(1)
    states, step = [jax.jit(game.reset)(jax.random.key(1))], jax.jit(game.step)
    legal = jax.jit(lambda state: game.view(state, state.seat).legal)
    while not states[-1].done and len(states) < 9:
        action = rng.choice(np.flatnonzero(legal(states[-1])))
        states.append(step(states[-1], jnp.full(game.players, action)).state)
    return states


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def plain(renderable) -> str:
    console = Console(file=io.StringIO(), width=120, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


@pytest.mark.parametrize("name", GAMES)
def test_every_position_gives_a_self_contained_picture(name):
    game = GAMES[name]
    for state in positions(game)[::4]:
        for svg in (table_svg(game.view(state, state.seat)), state_svg(game, state, seat=game.players - 1)):
            root = ElementTree.fromstring(svg)
            width, height = float(root.get("width", 0)), float(root.get("height", 0))
            for element in root.iter():
                assert element.tag.removeprefix(SVG) in ("svg", "title", "desc", "rect", "circle", "text", "tspan")
                assert not {"id", "style", "class", "href"} & set(element.keys())
                assert float(element.get("x", 0)) + float(element.get("width", 0)) <= width
                assert float(element.get("y", 0)) + float(element.get("height", 0)) <= height
                assert not element.get("opacity") or element.tag == f"{SVG}rect"


def test_the_readers_own_cards_are_not_in_the_picture():
    game = GAMES["full-2p"]
    deck = game.deck_of(positions(game)[0])
    # The reader's hand trades places with the bottom of the deck: everything it may see stays the same.
    swapped = np.concatenate([deck[-5:], deck[5:-5], deck[:5]])
    views = [game.view(game.deal(cards), 0) for cards in (deck, swapped)]
    assert table_svg(views[0]) == table_svg(views[1])
    assert plain(table_terminal(views[0])) == plain(table_terminal(views[1]))
    assert texts(table_svg(views[0])).count("?") == 5
    assert texts(state_svg(game, game.deal(deck))).count("?") == 0


def test_the_last_move_is_framed():
    game = GAMES["full-2p"]
    start = positions(game)[0]
    hint = int(np.flatnonzero(game.view(start, 0).legal)[-1])
    hinted = game.step(start, jnp.array([hint, 0])).state
    last = read_view(game.view(hinted, 1)).last
    assert last is not None
    assert table_svg(game.view(start, 0)).count(f'stroke="{GOLD}"') == 0
    assert table_svg(game.view(hinted, 1)).count(f'stroke="{GOLD}"') == len(last.touched) > 0
    played = game.step(start, jnp.array([5, 0])).state
    assert table_svg(game.view(played, 1)).count(f'stroke="{GOLD}"') == 1


def test_names_are_escaped_and_cut():
    game = GAMES["full-2p"]
    view = game.view(positions(game)[1], 0)
    svg = table_svg(view, names=["<b>&\"'", "a name far too long for any table"])
    assert "<b>" not in svg
    assert any("<b>&\"'" in text for text in texts(svg))
    assert any("a name far too lo…" in text for text in texts(svg))
    assert "a name far …" in plain(table_terminal(view, names=["me", "a name far too long for any table"]))
    with pytest.raises(GameError, match="one name per seat"):
        table_svg(view, names=["me"])


def test_the_terminal_fits_and_shows_every_visible_card():
    game = GAMES["full-5p"]
    state = positions(game)[-1]
    view = game.view(state, state.seat)
    shown = plain(table_terminal(view, names=["a name of some length"] * 5))
    assert max(map(len, shown.splitlines())) <= 80
    table = read_view(view)
    for hand in table.hands[1:]:
        for card in hand:
            assert card is not None
            assert card.face is not None
            assert f" {'RYGWB'[card.face // 5]}{card.face % 5 + 1} " in shown
    assert "??" in shown
    assert "??" not in plain(state_terminal(game, state))
