"""Pictures are valid, self-contained, and show what there is."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import jax
import pytest
from rich.console import Console

from coplay.game import GameError
from coplay.worlds.overcooked import Overcooked, State
from coplay.worlds.overcooked.people.draw import kitchen_svg, view_svg
from coplay.worlds.overcooked.people.sketch import GREEN, WATER
from coplay.worlds.overcooked.people.terminal import kitchen_terminal, state_terminal
from tests.worlds.overcooked.kitchens import DISH, ONION, SOUP, TOMATO, make

SVG = "{http://www.w3.org/2000/svg}"


def busy() -> tuple[Overcooked, State]:
    """A ready pot, one that waits, things on counters, and full hands."""
    game = make(layout="counter_circuit")
    objects = {
        (3, 0): (SOUP, 3, 0, 20),
        (4, 0): (SOUP, 2, 0, -1),
        (3, 2): ONION,
        (4, 2): DISH,
        (5, 2): (SOUP, 3, 0, 20),
    }
    return game, game.place([(3, 1), (6, 3)], [0, 3], [SOUP, ONION], [(3, 0, 20), None], objects, time=123)


def tomatoes() -> tuple[Overcooked, State]:
    game = make(layout="you_shall_not_pass", dynamics="new")
    objects = {(0, 2): (SOUP, 2, 1, 10), (12, 2): (SOUP, 0, 3, -1)}
    return game, game.place([(2, 2), (10, 2)], [2, 1], [TOMATO, SOUP], [None, (1, 2, 29)], objects)


def three() -> tuple[Overcooked, State]:
    game = make(layout="large_room", chefs=3)
    return game, game.reset(jax.random.key(0))


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def plain(renderable) -> str:
    console = Console(file=io.StringIO(), width=120, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


@pytest.mark.parametrize("scene", [busy, tomatoes, three])
def test_every_kitchen_gives_a_self_contained_picture(scene):
    game, state = scene()
    root = ElementTree.fromstring(kitchen_svg(game, state, names=["<b>&\"'", *"bcdef"[: game.players - 1]]))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in ("svg", "title", "rect", "circle", "polygon", "text")
        assert not {"id", "style", "class", "href"} & set(element.keys())
        assert 0 <= float(element.get("x", 0)) + float(element.get("width", 0)) <= width
        assert 0 <= float(element.get("y", 0)) + float(element.get("height", 0)) <= height


def test_a_picture_shows_chefs_pots_score_and_time():
    game, state = busy()
    svg = kitchen_svg(game, state)
    assert {"0", "1", "step 123 of 400", "counter_circuit", "20"} <= set(texts(svg))
    assert svg.count(GREEN) == 2  # the sign and the bar of the pot that is ready
    assert svg.count(WATER) == 1  # the pot that waits
    game, state = tomatoes()
    assert "27" in texts(kitchen_svg(game, state))  # steps until the other soup is ready
    assert "110★" in texts(kitchen_svg(game, state))  # a bonus order


def test_all_chefs_see_the_same_kitchen():
    for game, state in (busy(), three()):
        pictures = {view_svg(game.view(state, seat)) for seat in range(game.players)}
        assert pictures == {kitchen_svg(game, state)}


def test_names_are_checked_and_cut():
    game, state = busy()
    assert "a name far too long for…" in texts(kitchen_svg(game, state, ["a name far too long for any kitchen", "b"]))
    with pytest.raises(GameError, match="one name per seat, 2 in all"):
        kitchen_svg(game, state, ["me"])


def test_the_terminal_fits_and_reads_without_colour():
    for game, state in (busy(), tomatoes(), three()):
        assert max(map(len, plain(state_terminal(game, state)).splitlines())) <= 80
    game, state = busy()
    shown = plain(kitchen_terminal(game.view(state, 1), ["ppo", "anna"]))
    for words in ("▲ 0", "◀ 1", "(ooo)", "READY", "idle", "onion", "dish", "SERVE", "Step 123 of 400", "anna, you"):
        assert words in shown
    game, state = tomatoes()
    shown = plain(state_terminal(game, state))
    assert "-27" in shown
    assert "oot pays 110" in shown
