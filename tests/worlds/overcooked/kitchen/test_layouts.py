"""Kitchens as text."""

from __future__ import annotations

from pathlib import Path

import pytest

import coplay
from coplay.worlds.overcooked.kitchen.items import soup
from coplay.worlds.overcooked.kitchen.layouts import find, library
from tests.worlds.overcooked.kitchens import make

GOOD = "XPX\nO1S\nXDX"


def test_all_the_papers_kitchens_are_there() -> None:
    assert len(library()) == 15
    assert find("random3").name == "counter_circuit"
    assert find("simple").starts == ((1, 2), (3, 1))


def test_a_kitchen_may_come_from_a_file_or_a_string(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text("# mine\n[tiny]\norders: o, oo\nvalue: o=5 t=7\ntime: 9\n" + GOOD)
    game = make(layout=path, dynamics="new")
    assert game.kitchen.name == "tiny"
    assert game.kitchen.orders.value(soup(2, 0)) == 10
    assert game.kitchen.orders.time(soup(2, 0)) == 9
    assert make(layout=GOOD).players == 1


def test_orders_pay_by_recipe_and_bonus() -> None:
    orders = find("you_shall_not_pass").orders
    assert [orders.value(soup(o, t)) for o, t in ((1, 0), (2, 0), (0, 3), (1, 2), (1, 1))] == [21, 42, 39, 94, 0]
    assert orders.time(soup(1, 2)) == 29


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("XXX\nO1S\nXDX", "no pot"),
        ("XPX\nO1S\nXXX", "no dish dispenser"),
        ("XPX\nX1S\nXDX", "no onion dispenser"),
        ("XPX\nO1X\nXDX", "no serving place"),
        ("XPX\nO S\nXDX", "start cells missing"),
        ("XPXX\nO13S\nXDXX", "without gaps"),
        ("XPXX\nO11S\nXDXX", "without gaps"),
        ("XPX\nO1S\nXDXX", "4 wide but row 0 is 3 wide"),
        ("XPX\nO1S\nXQX", "unknown letter 'Q' at"),
        ("XPX\nO1 \nXDX", r"floor on the border at \(2, 1\)"),
        ("XPXXX\nO1X2X\nXDSXX\nXXXXX", "start 2 at .* is walled in"),
        ("XPXXX\nO1X X\nXDX S\nXXXXX", "no chef can reach a serving place"),
        ("orders: oooo\n" + GOOD, "is no soup"),
        ("bonus: o\n" + GOOD, "nobody ordered"),
        ("time: soon\n" + GOOD, "one number per soup"),
        ("time: 300\n" + GOOD, "cook for 1 to 254"),
        ("speed: 3\n" + GOOD, "unknown key 'speed'"),
        ("# nothing\n", "there is no grid"),
    ],
)
def test_a_kitchen_that_cannot_work_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(coplay.GameError, match=words):
        coplay.make("overcooked", layout=text)
