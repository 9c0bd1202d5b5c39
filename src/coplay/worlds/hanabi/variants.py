"""The variants of hanab.live that are played here: which suits there are, which hints touch them, how many cards.

A variant changes nothing but two facts about a suit. `rainbow`: every colour hint touches it, and none is named after
it. `dark`: it has one card of each rank. Everything else follows from them, and suits without either are as in the
standard game. Names, letters and the order of the suits are the site's.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Name = Literal[
    "none",
    "6-suits",
    "rainbow-6",
    "rainbow-5",
    "rainbow-4",
    "rainbow-3",
    "black-6",
    "black-5",
    "dark-rainbow-6",
    "dark-rainbow-5",
    "black-rainbow-6",
    "black-rainbow-5",
    "black-dark-rainbow-6",
]


class Suit(NamedTuple):
    """A colour of cards: how it is called and drawn, and what is special about it."""

    name: str
    letter: str
    fill: str  # of a card; it differs from the others' in lightness as well as hue
    ink: str  # reads on the fill
    rainbow: bool = False  # every colour hint touches it, and no hint has its name
    dark: bool = False  # one card of each rank


class Variant(NamedTuple):
    """A variant as hanab.live knows it."""

    title: str
    number: int
    suits: tuple[Suit, ...]


_LIGHT, _DARK = "#ffffff", "#1d2430"
RED = Suit("red", "R", "#d64550", _LIGHT)
YELLOW = Suit("yellow", "Y", "#f4c430", _DARK)
GREEN = Suit("green", "G", "#2a9d6a", _LIGHT)
WHITE = Suit("white", "W", "#f5f2e9", _DARK)
BLUE = Suit("blue", "B", "#3b82c4", _LIGHT)
PURPLE = Suit("purple", "P", "#8a4fbf", _LIGHT)
TEAL = Suit("teal", "T", "#7fe0dc", _DARK)
BLACK = Suit("black", "K", "#6b7686", _LIGHT, dark=True)  # black itself would not show on the table
RAINBOW = Suit("rainbow", "M", "#f3b8dc", _DARK, rainbow=True)
DARK_RAINBOW = Suit("dark rainbow", "M", "#a3688f", _LIGHT, rainbow=True, dark=True)

STANDARD = (RED, YELLOW, GREEN, WHITE, BLUE)
_SIX, _FIVE = (RED, YELLOW, GREEN, BLUE, PURPLE), (RED, YELLOW, GREEN, BLUE)
VARIANTS: dict[str, Variant] = {
    "6-suits": Variant("6 Suits", 1, (*_SIX, TEAL)),
    "rainbow-6": Variant("Rainbow (6 Suits)", 3, (*_SIX, RAINBOW)),
    "rainbow-5": Variant("Rainbow (5 Suits)", 16, (*_FIVE, RAINBOW)),
    "rainbow-4": Variant("Rainbow (4 Suits)", 17, (RED, GREEN, BLUE, RAINBOW)),
    "rainbow-3": Variant("Rainbow (3 Suits)", 19, (RED, BLUE, RAINBOW)),
    "black-6": Variant("Black (6 Suits)", 2, (*_SIX, BLACK)),
    "black-5": Variant("Black (5 Suits)", 21, (*_FIVE, BLACK)),
    "dark-rainbow-6": Variant("Dark Rainbow (6 Suits)", 11, (*_SIX, DARK_RAINBOW)),
    "dark-rainbow-5": Variant("Dark Rainbow (5 Suits)", 23, (*_FIVE, DARK_RAINBOW)),
    "black-rainbow-6": Variant("Black & Rainbow (6 Suits)", 65, (*_FIVE, BLACK, RAINBOW)),
    "black-rainbow-5": Variant("Black & Rainbow (5 Suits)", 66, (RED, GREEN, BLUE, BLACK, RAINBOW)),
    "black-dark-rainbow-6": Variant("Black & Dark Rainbow (6 Suits)", 12, (*_FIVE, BLACK, DARK_RAINBOW)),
}
assert set(get_args(Name)) == {"none", *VARIANTS}


def suits_of(variant: str, colors: int) -> tuple[Suit, ...]:
    """The suits of a game; without a variant the first `colors` of the standard ones."""
    return VARIANTS[variant].suits if variant in VARIANTS else STANDARD[:colors]


def describe(suits: tuple[Suit, ...]) -> list[str]:
    """What is special about the suits, a sentence each."""
    said = []
    for suit in suits:
        if suit.rainbow:
            said.append(f"Every colour hint touches {suit.name} cards, and no hint names {suit.name}.")
        if suit.dark:
            said.append(f"There is only one {suit.name} card of each rank.")
    return said
