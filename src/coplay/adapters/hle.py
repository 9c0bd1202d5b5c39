"""`rl_env` of the Hanabi Learning Environment over our game: the same calls, the same dictionaries.

    from coplay.adapters import hle as rl_env

Differences, all of them refusals instead of crashes: an illegal move is a ValueError that names the legal ones (the
reference aborts the process), and so is a move after the end.
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

import numpy as np

from coplay.adapters.pyhanabi import (
    CHANCE_PLAYER_ID,
    COLOR_CHAR,
    AgentObservationType,
    HanabiGame,
    HanabiMove,
    HanabiMoveType,
    HanabiState,
    ObservationEncoder,
    color_char_to_idx,
)
from coplay.adapters.pyhanabi.game import SETTINGS
from coplay.game import GameError
from coplay.worlds.hanabi import SMALL, VERY_SMALL, Hanabi

Observation = dict[str, Any]

_ENVIRONMENTS = {
    "Hanabi-Full": {},
    "Hanabi-Full-CardKnowledge": {},
    "Hanabi-Full-Minimal": {"observation": "minimal"},
    "Hanabi-Small": SMALL,
    "Hanabi-Very-Small": VERY_SMALL,
}


class HanabiEnv:
    """A Hanabi table. `reset` deals a new game, different from the last; the same seed repeats the series of games."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.game = HanabiGame(config)
        self.observation_encoder = ObservationEncoder(self.game)
        self.players = self.game.num_players()
        self._state: HanabiState | None = None

    @property
    def state(self) -> HanabiState:
        """The position, complete: not for the agents."""
        if self._state is None:
            raise GameError("no game has begun; call reset() first.")
        return self._state

    def reset(self) -> Observation:
        """Shuffles and deals the next game."""
        return self._begin(self.game.new_initial_state())

    def deal(self, deck: np.ndarray, start_player: int = 0) -> Observation:
        """Begins a game with this deck, [cards, 2] of (colour, rank) dealt from index 0; the reference cannot."""
        return self._begin(self.game.dealt_from(deck, start_player))

    def step(self, action: SupportsIndex | dict[str, Any]) -> tuple[Observation, int, bool, dict[str, Any]]:
        """Plays a move of the seat to move, an id or a dictionary: (observation, reward, done, info)."""
        state = self._running_state()
        before = state.score()
        state.apply_move(self._move(action, state))
        observation = self._observe()
        return observation, state.score() - before, state.is_terminal(), {}

    def vectorized_observation_shape(self) -> list[int]:
        return self.observation_encoder.shape()

    def num_moves(self) -> int:
        return self.game.max_moves()

    def _begin(self, state: HanabiState) -> Observation:
        self._state = state
        return self._observe()

    def _observe(self) -> Observation:
        """Deals the cards that are missing and makes the reference's dictionaries of every seat."""
        state = self.state
        while state.cur_player() == CHANCE_PLAYER_ID:
            state.deal_random_card()
        seats = [self._observation_dict(state, seat) for seat in range(self.players)]
        return {"player_observations": seats, "current_player": state.cur_player()}

    def _running_state(self) -> HanabiState:
        if self.state.is_terminal():
            raise GameError("this game is over; call reset() to deal the next one.")
        return self.state

    def _move(self, action: SupportsIndex | dict[str, Any], state: HanabiState) -> HanabiMove:
        """The move that an id or a dictionary names, which must be legal now."""
        if isinstance(action, dict):
            move = move_from_dict(action)
        elif isinstance(action, bool) or not hasattr(action, "__index__"):
            raise GameError(f"{action!r} is no move; give a whole number or a dictionary such as {_EXAMPLE}.")
        else:
            chosen = operator.index(action)
            move = self.game.get_move(chosen) if 0 <= chosen < self.num_moves() else None
        if move is None or not state.move_is_legal(move):
            raise GameError(f"illegal move {move or action}, given as {action!r}; {state.choices()}")
        return move

    def _observation_dict(self, state: HanabiState, seat: int) -> Observation:
        observation = state.observation(seat)
        offset = observation.cur_player_offset()
        return {
            "current_player": state.cur_player(),
            "current_player_offset": offset,
            "life_tokens": state.life_tokens(),
            "information_tokens": state.information_tokens(),
            "num_players": state.num_players(),
            "deck_size": state.deck_size(),
            "fireworks": dict(zip(COLOR_CHAR, state.fireworks(), strict=False)),
            "legal_moves": [move.to_dict() for move in observation.legal_moves()],
            "legal_moves_as_int": state.legal_moves_as_int() if offset == 0 else [],
            "observed_hands": [[card.to_dict() for card in hand] for hand in observation.observed_hands()],
            "discard_pile": [card.to_dict() for card in state.discard_pile()],
            "card_knowledge": [[told.to_dict() for told in hand] for hand in observation.card_knowledge()],
            "vectorized": self.observation_encoder.encode(observation),
            "pyhanabi": observation,
        }


def make(environment_name: str = "Hanabi-Full", num_players: int = 2, pyhanabi_path: str | None = None) -> HanabiEnv:
    """The environment of that name; `pyhanabi_path` is accepted and not needed."""
    if environment_name not in _ENVIRONMENTS:
        raise GameError(f"unknown environment {environment_name!r}; choose one of {', '.join(_ENVIRONMENTS)}.")
    settings = Hanabi(players=num_players, **_ENVIRONMENTS[environment_name])
    config: dict[str, Any] = {theirs: getattr(settings, ours) for theirs, ours in SETTINGS.items()}
    return HanabiEnv({**config, "observation_type": AgentObservationType[settings.observation.upper()].value})


class Agent:
    """What the reference's agents derive from: `act` returns a move for the seat to move and None for the others."""

    def __init__(self, config: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("write __init__(self, config) in your own agent class.")

    def reset(self, config: dict[str, Any]) -> None:
        raise NotImplementedError("write reset(self, config) in your own agent class.")

    def act(self, observation: Observation) -> int | dict[str, Any] | None:
        raise NotImplementedError("write act(self, observation) in your own agent class.")


_EXAMPLE = {"action_type": "PLAY", "card_index": 0}


def move_from_dict(action: dict[str, Any]) -> HanabiMove:
    """The move a dictionary describes, legal or not."""

    def number(field: str) -> int:
        return operator.index(action[field])

    try:
        kind = HanabiMoveType[action["action_type"]]
        if kind == HanabiMoveType.PLAY:
            return HanabiMove.get_play_move(number("card_index"))
        if kind == HanabiMoveType.DISCARD:
            return HanabiMove.get_discard_move(number("card_index"))
        if kind == HanabiMoveType.REVEAL_COLOR:
            return HanabiMove.get_reveal_color_move(number("target_offset"), color_char_to_idx(action["color"]))
        if kind == HanabiMoveType.REVEAL_RANK:
            return HanabiMove.get_reveal_rank_move(number("target_offset"), number("rank"))
    except (KeyError, TypeError) as error:
        raise GameError(f"{action!r} is no move ({error!r}); write for example {_EXAMPLE}.") from error
    raise GameError(f"{action!r} is no player's move; write for example {_EXAMPLE}.")
