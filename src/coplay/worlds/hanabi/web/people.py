"""People who play Hanabi in the browser."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coplay.faces import Offer, Setting
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
_PLAYERS = Setting("players", "Players", (2, 3, 4, 5))
_VARIANT = Setting("variant", "Variant of hanab.live", (None, *VARIANTS))
_TWO = (Setting("players", "Players", (2,)),)
offers = (
    Offer("hanabi", "Hanabi", (_PLAYERS, _VARIANT), "smartbot", "you begin"),
    Offer("hanabi-small", "Small Hanabi: two colours, two cards", _TWO, "iggi", "you begin"),
    Offer("hanabi-very-small", "Very small Hanabi: one colour", _TWO, "iggi", "you begin"),
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


def turn(view: View, names: Sequence[str]) -> dict[str, Any]:
    """The table as the seat sees it, the move that led to it, and whose turn it is, in words."""
    table = read_view(view)
    shown = dataclasses.asdict(dataclasses.replace(table, game=None))  # pyright: ignore[reportArgumentType]
    told = move_text(table, table.last, names) if table.last else ""
    return json.loads(json.dumps(shown | {"told": told, "now": turn_text(table, names)}))


def check_stranger(settings: Mapping[str, Any]) -> None:
    """No setting of Hanabi names a file, and its games are short."""


def export(path: Path, episodes: Episodes, seats: np.ndarray, participants: np.ndarray) -> str | None:
    """The AH2AC2 format, which holds the whole game and no smaller one."""
    game: Hanabi = episodes.game
    if not is_standard(game):
        return None
    first = np.asarray(episodes.starts.seat).reshape(-1)  # whoever began is seat 0 in that format
    games = from_episodes(episodes)
    games.extra["human_seat"] = ((seats - first) % game.players).astype(np.int32)
    games.extra["participant"] = participants
    save_games(path, games)
    return "AH2AC2 format"
