"""Which soups are worth what, and how long they cook."""

from __future__ import annotations

import dataclasses
import re
from functools import cached_property

from coplay.game import GameError
from coplay.worlds.overcooked.kitchen.items import (
    NOTHING,
    ONION,
    POT_SIZE,
    SOUPS,
    onions_in,
    soup,
    tabulate,
    tomatoes_in,
)

STANDARD = 20  # points per soup and steps to cook it, unless a layout says otherwise
BONUS = 2  # a bonus order pays double
LONGEST = 254  # cook times are stored, and shown to networks, as bytes


@dataclasses.dataclass(frozen=True)
class Orders:
    """The soups somebody wants, as contents codes, and the price list. Orders never run out."""

    wanted: tuple[int, ...] = (soup(3, 0),)
    bonus: tuple[int, ...] = ()
    points: tuple[int, int, int] = (STANDARD, 0, 0)  # per soup, per onion, per tomato
    steps: tuple[int, int, int] = (STANDARD, 0, 0)

    @property
    def letters(self) -> str:
        """The dispensers the orders need."""
        return ("O" if any(onions_in(c) for c in self.wanted) else "") + (
            "T" if any(tomatoes_in(c) for c in self.wanted) else ""
        )

    def value(self, contents: int) -> int:
        """Points for serving these contents; 0 if nobody ordered them."""
        if contents not in self.wanted:
            return 0
        return _price(self.points, contents) * (BONUS if contents in self.bonus else 1)

    def time(self, contents: int) -> int:
        """Steps from start to ready."""
        return _price(self.steps, contents) if contents != NOTHING else 0

    def best(self, contents: int) -> int:
        """The most that these contents can become worth by adding ingredients."""
        return max(self.value(c) for c in (contents, *SOUPS) if _contains(c, contents))

    @cached_property
    def values(self) -> tuple[int, ...]:
        return tabulate(self.value)

    @cached_property
    def times(self) -> tuple[int, ...]:
        return tabulate(self.time)

    def potting(self, ingredient: int) -> dict[str, list[int]]:
        """How adding an ingredient changes prospects: outcome -> the earlier contents for which it is so."""
        step = soup(1, 0) if ingredient == ONION else soup(0, 1)
        before = [c for c in (NOTHING, *SOUPS) if onions_in(c) + tomatoes_in(c) < POT_SIZE]
        return {
            "optimal": [c for c in before if self.best(c) == self.best(c + step)],
            "viable": [c for c in before if self.best(c + step) > 0],
            "catastrophic": [c for c in before if self.best(c) > 0 and self.best(c + step) == 0],
            "useless": [c for c in before if self.best(c) == 0],
        }


def read_orders(name: str, settings: dict[str, str]) -> Orders:
    """The orders of a layout file; missing lines mean three-onion soups, 20 points, 20 steps."""
    wanted = _soups(name, "orders", settings.get("orders", "ooo"))
    bonus = _soups(name, "bonus", settings["bonus"]) if "bonus" in settings else ()
    if not set(bonus) <= set(wanted):
        raise GameError(f"layout {name}: bonus {settings['bonus']!r} has soups nobody ordered; add them to the orders.")
    points = _amount(name, "value", settings.get("value", str(STANDARD)))
    steps = _amount(name, "time", settings.get("time", str(STANDARD)))
    orders = Orders(wanted, bonus, points, steps)
    if not 1 <= min(map(orders.time, SOUPS)) <= max(map(orders.time, SOUPS)) <= LONGEST:
        raise GameError(f"layout {name}: time {settings['time']!r}: soups must cook for 1 to {LONGEST} steps.")
    return orders


def _soups(name: str, key: str, text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if not re.fullmatch(r"[ot]{1,3}", word):
            raise GameError(
                f"layout {name}: {key} {word!r} is no soup; write one to three letters o (onion) and t (tomato), "
                f"soups separated by commas, for example 'ooo, ott'."
            )
    return tuple(dict.fromkeys(soup(word.count("o"), word.count("t")) for word in words))


def _amount(name: str, key: str, text: str) -> tuple[int, int, int]:
    """(per soup, per onion, per tomato)"""
    per_ingredient = re.fullmatch(r"o=(\d+)\s+t=(\d+)", text)
    if per_ingredient:
        return (0, int(per_ingredient[1]), int(per_ingredient[2]))
    if text.isdigit():
        return (int(text), 0, 0)
    raise GameError(f"layout {name}: {key} {text!r}: write one number per soup ('20') or per ingredient ('o=21 t=13').")


def _price(amounts: tuple[int, int, int], contents: int) -> int:
    per_soup, per_onion, per_tomato = amounts
    return per_soup + per_onion * onions_in(contents) + per_tomato * tomatoes_in(contents)


def _contains(contents: int, part: int) -> bool:
    return onions_in(contents) >= onions_in(part) and tomatoes_in(contents) >= tomatoes_in(part)
