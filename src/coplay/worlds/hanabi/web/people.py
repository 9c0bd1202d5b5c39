"""People who play Hanabi in the browser."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coplay.data.people import people_columns
from coplay.faces import Offer, Setting
from coplay.worlds.hanabi.cards import HIDDEN, IDENTITY_SHIFT
from coplay.worlds.hanabi.people.table import read_view
from coplay.worlds.hanabi.people.words import move_text, turn_text
from coplay.worlds.hanabi.recordings import from_episodes, save_games
from coplay.worlds.hanabi.recordings.episodes import is_standard
from coplay.worlds.hanabi.variants import VARIANTS, describe

if TYPE_CHECKING:
    from coplay.rollouts.episode import Episodes
    from coplay.worlds.hanabi import Hanabi, View

folder = Path(__file__).parent
invitation = "Take a seat at a Hanabi table with two to five players."
looks_back = True
idle = None
_PLAYERS = Setting("players", "Players", (2, 3, 4, 5))
_VARIANT = Setting("variant", "Variant of hanab.live", (None, *VARIANTS))
_FEW = (Setting("players", "Players", (2, 3)),)
offers = (
    Offer("hanabi", "Hanabi", (_PLAYERS, _VARIANT), "smartbot", "you begin"),
    Offer("hanabi-small", "Small Hanabi: two colours, two cards", _FEW, "iggi", "you begin"),
    Offer("hanabi-very-small", "Very small Hanabi: one colour", _FEW, "iggi", "you begin"),
)


def about(game: Hanabi) -> dict[str, Any]:
    names = ("colors", "hint_colors", "ranks", "hand_size", "info_tokens", "life_tokens")
    suits = [{"name": suit.name, "letter": suit.letter, "rainbow": suit.rainbow} for suit in game.suits]
    return {name: getattr(game, name) for name in names} | {
        "copies": game.copies_of.tolist(),
        "suits": suits,
        "special": " ".join(describe(game.suits)),
    }


def pictures(game: Hanabi, names: Sequence[str]) -> None:
    """The script draws cards by itself."""


def turn(view: View, names: Sequence[str], reader: bool = True) -> dict[str, Any]:
    """The table as the seat sees it, the move that led to it, and whose turn it is, in words."""
    table = dataclasses.replace(read_view(view), open=not reader)  # an open table is nobody's own
    shown = dataclasses.asdict(dataclasses.replace(table, game=None))  # pyright: ignore[reportArgumentType]
    told = move_text(table, table.last, names) if table.last else ""
    return json.loads(json.dumps(shown | {"told": told, "now": turn_text(table, names)}))


def watchable(game: Hanabi) -> bool:
    return True


def public(game: Hanabi, view: View, people: Sequence[int]) -> View:
    """The cards of agents are on show, as for everybody; those of people are hidden with what one could see of them."""
    hands = [
        tuple(np.where(word == 0, word, word | HIDDEN << IDENTITY_SHIFT) for word in map(np.uint32, hand))
        if (int(view.seat) + position) % game.players in people
        else hand
        for position, hand in enumerate(view.hand_words)
    ]
    return dataclasses.replace(view, hand_words=tuple(hands))


def revealed(turn: dict[str, Any], neighbour: dict[str, Any]) -> dict[str, Any]:
    """With one's own cards, which the next player sees last in the order of play."""
    seen = neighbour["hands"][-1]
    own = [card and card | {"face": other["face"]} for card, other in zip(turn["hands"][0], seen, strict=True)]
    return turn | {"hands": [own, *turn["hands"][1:]]}


def check_stranger(settings: Mapping[str, Any]) -> None:
    """No setting of Hanabi names a file, and its games are short."""


def export(path: Path, episodes: Episodes, seats: np.ndarray, participants: np.ndarray) -> str | None:
    """The AH2AC2 format, which holds the whole game and no smaller one."""
    game: Hanabi = episodes.game
    if not is_standard(game):
        return None
    first = np.asarray(episodes.starts.seat).reshape(-1, 1)  # whoever began is seat 0 in that format
    turned = (np.arange(game.players) + first) % game.players
    games = from_episodes(episodes)
    games.extra.update(people_columns(*(np.take_along_axis(one, turned, 1) for one in (seats, participants))))
    save_games(path, games)
    return "AH2AC2 format"
