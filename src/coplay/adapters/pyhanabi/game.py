"""The settings of a game, and the series of games that a seed gives."""

from __future__ import annotations

import enum
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from coplay.adapters.pyhanabi.engine import pack, shuffle
from coplay.adapters.pyhanabi.moves import HanabiMove, move_ids, moves
from coplay.adapters.pyhanabi.state import HanabiState
from coplay.adapters.pyhanabi.table import Table, first_table
from coplay.game import GameError
from coplay.worlds.hanabi import Hanabi

# The reference's settings -> ours.
SETTINGS = {
    "players": "players",
    "colors": "colors",
    "ranks": "ranks",
    "hand_size": "hand_size",
    "max_information_tokens": "info_tokens",
    "max_life_tokens": "life_tokens",
}
_OWN_KEYS = ("observation_type", "random_start_player", "seed")


class AgentObservationType(enum.IntEnum):
    """The reference's numbers for our `observation` setting."""

    MINIMAL = 0
    CARD_KNOWLEDGE = 1
    SEER = 2


class HanabiGame:
    """The settings of a game. Its states are one series of deals, which the same seed repeats."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {} if params is None else params
        self.rules = game_from_config(given)
        seed = _whole("seed", given.get("seed", -1))
        self._seed = secrets.randbits(31) if seed == -1 else seed
        self._key = jax.random.key(self._seed % 2**32)
        self._random = np.random.default_rng(self._seed % 2**32)
        self._games = 0

    def new_initial_state(self) -> HanabiState:
        """The next game of the series, before any card is dealt."""
        return HanabiState(self)

    def dealt_from(self, deck: np.ndarray, start_player: int = 0) -> HanabiState:
        """A game with this deck, [cards, 2] of (colour, rank) dealt from index 0; the reference cannot."""
        return HanabiState(self, first_table(self.rules, pack(self.rules.deal(deck, start_player))))

    def next_table(self) -> Table:
        """Shuffles the next game of the series."""
        position = shuffle(self.rules, self._key, self._games)
        self._games += 1
        return first_table(self.rules, position)

    def shuffled(self, cards: Sequence[int]) -> list[int]:
        """The cards in a random order."""
        return self._random.permutation(cards).tolist()

    def parameter_string(self) -> str:
        """All settings, a line each."""
        settings = {theirs: getattr(self.rules, ours) for theirs, ours in SETTINGS.items()}
        settings["seed"] = self._seed
        settings["random_start_player"] = "true" if self.rules.start_player == "random" else "false"
        settings["observation_type"] = self.observation_type().value
        return "".join(f"{name}={value}\n" for name, value in settings.items())

    def num_players(self) -> int:
        return self.rules.players

    def num_colors(self) -> int:
        return self.rules.colors

    def num_ranks(self) -> int:
        return self.rules.ranks

    def hand_size(self) -> int:
        return self.rules.hand_size

    def max_information_tokens(self) -> int:
        return self.rules.info_tokens

    def max_life_tokens(self) -> int:
        return self.rules.life_tokens

    def observation_type(self) -> AgentObservationType:
        return AgentObservationType[self.rules.observation.upper()]

    def num_cards(self, color: int, rank: int) -> int:
        """Copies of a card in the deck; 0 for a card this game does not have."""
        known = 0 <= color < self.rules.colors and 0 <= rank < self.rules.ranks
        return self.rules.copies[rank] if known else 0

    def max_moves(self) -> int:
        return self.rules.num_actions

    def get_move(self, move_uid: int) -> HanabiMove:
        if not 0 <= move_uid < self.rules.num_actions:
            raise GameError(f"move {move_uid}: this game has moves 0 to {self.rules.num_actions - 1}.")
        return moves(self.rules)[move_uid]

    def get_move_uid(self, move: HanabiMove) -> int:
        """-1 for what is no player's move of this game."""
        return move_ids(self.rules).get(move, -1)


def game_from_config(config: Mapping[str, Any]) -> Hanabi:
    """Our game for the reference's settings; those left out have the reference's defaults."""
    unknown = [key for key in config if key not in SETTINGS and key not in _OWN_KEYS]
    if unknown:
        raise GameError(f"unknown setting {unknown[0]!r}; the settings are {', '.join([*SETTINGS, *_OWN_KEYS])}.")
    given: dict[str, Any] = {SETTINGS[key]: _whole(key, value) for key, value in config.items() if key in SETTINGS}
    kind = _whole("observation_type", config.get("observation_type", AgentObservationType.CARD_KNOWLEDGE))
    if kind not in list(AgentObservationType):
        raise GameError(f"observation_type={kind}: 0 is minimal, 1 card knowledge, 2 seer.")
    given["observation"] = AgentObservationType(kind).name.lower()
    # The reference reads every setting from its text.
    random_start = str(config.get("random_start_player", False)).lower() in ("1", "true")
    return Hanabi(**given, start_player="random" if random_start else "first")


def _whole(setting: str, value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise GameError(f"{setting}={value!r}: give a whole number.") from None
