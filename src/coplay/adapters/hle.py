"""`rl_env` of the Hanabi Learning Environment over our game: the same calls, the same dictionaries.

    from coplay.adapters import hle as rl_env

Differences, all of them refusals instead of crashes: an illegal move is a ValueError that names the legal ones (the
reference aborts the process), and so is a move after the end.
"""

from __future__ import annotations

import dataclasses
import operator
import secrets
from functools import lru_cache, partial
from itertools import islice
from typing import Any, SupportsIndex

import jax
import jax.numpy as jnp
import numpy as np

from coplay.adapters.pyhanabi import (
    CHANCE_PLAYER_ID,
    COLOR_CHAR,
    AgentObservationType,
    HanabiCard,
    HanabiGame,
    HanabiHistoryItem,
    HanabiMove,
    HanabiMoveType,
    HanabiState,
    card_of,
    color_char_to_idx,
    move_ids,
    moves,
)
from coplay.games.game import GameError
from coplay.games.hanabi import SMALL, VERY_SMALL, Hanabi, State
from coplay.games.hanabi.cards import COLOR_TOLD, RANK_TOLD

Array = jax.Array
Observation = dict[str, Any]

# The reference's settings -> ours.
_SETTINGS = {
    "players": "players",
    "colors": "colors",
    "ranks": "ranks",
    "hand_size": "hand_size",
    "max_information_tokens": "info_tokens",
    "max_life_tokens": "life_tokens",
}
_OWN_KEYS = ("observation_type", "random_start_player", "seed")
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
        self._rules = game_from_config(config)
        seed = int(config.get("seed", -1))
        self._key = jax.random.key(secrets.randbits(32) if seed == -1 else seed % 2**32)
        self._games = 0
        self.game = HanabiGame(self._rules)
        self.players = self._rules.players
        self._state: HanabiState | None = None

    @property
    def state(self) -> HanabiState:
        """The position, complete: not for the agents."""
        if self._state is None:
            raise GameError("no game has begun; call reset() first.")
        return self._state

    def reset(self) -> Observation:
        """Shuffles and deals the next game."""
        position = _shuffle(self._rules, self._key, self._games)
        self._games += 1
        return self._begin(position)

    def deal(self, deck: np.ndarray, start_player: int = 0) -> Observation:
        """Begins a game with this deck, [cards, 2] of (colour, rank) dealt from index 0; the reference cannot."""
        return self._begin(_pack(self._rules.deal(deck, start_player)))

    def step(self, action: SupportsIndex | dict[str, Any]) -> tuple[Observation, int, bool, dict[str, Any]]:
        """Plays a move of the seat to move, an id or a dictionary: (observation, reward, done, info)."""
        before = self._running_state()
        played = self._action_id(action, before)
        observation = self._advance(played)
        return observation, self.state.score() - before.score(), self.state.is_terminal(), {}

    def vectorized_observation_shape(self) -> list[int]:
        return list(self._rules.observation_shape)

    def num_moves(self) -> int:
        return self._rules.num_actions

    def _begin(self, position: Array) -> Observation:
        self._position, self._state = position, None
        self._discards: list[HanabiCard] = []
        self._history: list[HanabiHistoryItem] = []
        return self._advance(-1)

    def _advance(self, action: int) -> Observation:
        """Plays an action, -1 for none, and makes the reference's dictionaries of every seat."""
        self._position, legal, vectors = _advance(self._rules, self._position, action)
        board = _plain(self._rules, self._position)
        if self._state is not None:
            self._record(moves(self._rules)[action], self._state, board)
        choices = np.flatnonzero(np.asarray(legal)).tolist()
        self._state = state = HanabiState(self._rules, board, choices, tuple(self._discards), tuple(self._history))
        rows = np.asarray(vectors).tolist()
        seats = [_observation_dict(state, seat, rows[seat]) for seat in range(self.players)]
        return {"player_observations": seats, "current_player": state.cur_player()}

    def _running_state(self) -> HanabiState:
        if self.state.is_terminal():
            raise GameError("this game is over; call reset() to deal the next one.")
        return self.state

    def _action_id(self, action: SupportsIndex | dict[str, Any], state: HanabiState) -> int:
        """The id of a move, which must be legal now."""
        move = None
        if isinstance(action, dict):
            move = move_from_dict(action)
            chosen = move_ids(self._rules).get(move, -1)
        elif isinstance(action, bool) or not hasattr(action, "__index__"):
            raise GameError(f"{action!r} is no move; give a whole number or a dictionary such as {_EXAMPLE}.")
        else:
            chosen = operator.index(action)
        if chosen not in state.legal_moves_as_int():
            known = 0 <= chosen < self._rules.num_actions
            words = str(moves(self._rules)[chosen]) if known else str(move or chosen)
            choices = zip(state.legal_moves_as_int(), state.legal_moves(), strict=True)
            raise GameError(
                f"illegal move {words}, given as {action!r}; player {state.cur_player()} may choose from "
                f"{', '.join(f'{legal} {name}' for legal, name in choices)}."
            )
        return chosen

    def _record(self, move: HanabiMove, before: HanabiState, board: State) -> None:
        """Adds the move to the discard pile and the history, which the game itself does not keep in order."""
        actor, ranks, last = before.cur_player(), self._rules.ranks, board.last
        if move.kind in (HanabiMoveType.REVEAL_COLOR, HanabiMoveType.REVEAL_RANK):
            told = int(COLOR_TOLD if move.kind == HanabiMoveType.REVEAL_COLOR else RANK_TOLD)
            receiver = before.card_words((actor + move.offset) % self.players)
            untold = sum(1 << slot for slot, word in enumerate(receiver) if not word & told)
            touched = int(last.touched)
            self._history.append(HanabiHistoryItem(move, actor, touched=touched, newly_touched=touched & untold))
            return
        card = card_of(before.card_words(actor)[move.slot], ranks)
        if not last.scored:
            self._discards.append(card)
        token = bool(last.token) or move.kind == HanabiMoveType.DISCARD
        self._history.append(HanabiHistoryItem(move, actor, bool(last.scored), token, card))
        if before.deck_size() > 0:
            new = card_of(int(board.hands[actor][-1]), ranks)
            deal = HanabiMove(HanabiMoveType.DEAL, hue=new.hue, value=new.value)
            self._history.append(HanabiHistoryItem(deal, CHANCE_PLAYER_ID, receiver=actor))


def make(environment_name: str = "Hanabi-Full", num_players: int = 2, pyhanabi_path: str | None = None) -> HanabiEnv:
    """The environment of that name; `pyhanabi_path` is accepted and not needed."""
    if environment_name not in _ENVIRONMENTS:
        raise GameError(f"unknown environment {environment_name!r}; choose one of {', '.join(_ENVIRONMENTS)}.")
    settings = Hanabi(players=num_players, **_ENVIRONMENTS[environment_name])
    config: dict[str, Any] = {theirs: getattr(settings, ours) for theirs, ours in _SETTINGS.items()}
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


def game_from_config(config: dict[str, Any]) -> Hanabi:
    """Our game for the reference's settings; those left out have the reference's defaults."""
    unknown = [key for key in config if key not in _SETTINGS and key not in _OWN_KEYS]
    if unknown:
        raise GameError(f"unknown setting {unknown[0]!r}; the settings are {', '.join([*_SETTINGS, *_OWN_KEYS])}.")
    given: dict[str, Any] = {_SETTINGS[key]: int(value) for key, value in config.items() if key in _SETTINGS}
    kind = int(config.get("observation_type", AgentObservationType.CARD_KNOWLEDGE))
    if kind not in list(AgentObservationType):
        raise GameError(f"observation_type={kind}: 0 is minimal, 1 card knowledge, 2 seer.")
    given["observation"] = AgentObservationType(kind).name.lower()
    given["start_player"] = "random" if config.get("random_start_player", False) else "first"
    return Hanabi(**given)


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


def _observation_dict(state: HanabiState, seat: int, vector: list[int]) -> Observation:
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
        "vectorized": vector,
        "pyhanabi": observation,
    }


@partial(jax.jit, static_argnums=0)
def _shuffle(game: Hanabi, key: Array, index: int) -> Array:
    return _pack(game.reset(jax.random.fold_in(key, index)))


@partial(jax.jit, static_argnums=0)
def _advance(game: Hanabi, position: Array, action: int) -> tuple[Array, Array, Array]:
    """Plays an action: the new position, the legal moves of the seat to move, the vectors of all seats.

    An action outside the range changes nothing, so that -1 only looks; everything takes a single compiled call.
    """
    state = game.step(_unpack(game, position), jnp.full(game.players, action)).state
    # The reference lists legal moves after the end too, and agents written for it may look at them.
    mover = dataclasses.replace(game.view(state, state.seat), done=jnp.asarray(False))
    views = [game.view(state, seat) for seat in range(game.players)]
    return _pack(state), game.legal(mover), jnp.stack([game.encode(view) for view in views])


def _pack(state: State) -> Array:
    """All leaves as one uint32 vector: passing thirty small arrays to a compiled function costs more than a turn."""
    return jnp.concatenate([jnp.ravel(leaf).astype(jnp.uint32) for leaf in jax.tree.leaves(state)])


def _unpack(game: Hanabi, position: Array) -> State:
    """The state that `_pack` made a vector of."""
    leaves, structure = _layout(game)
    parts = jnp.split(position, np.cumsum([leaf.size for leaf in leaves])[:-1])
    return structure.unflatten(
        part.reshape(leaf.shape).astype(leaf.dtype) for part, leaf in zip(parts, leaves, strict=True)
    )


def _plain(game: Hanabi, position: Array) -> State:
    """The same on the host, of plain numbers without a sign."""
    leaves, structure = _layout(game)
    numbers = iter(np.asarray(position).tolist())
    return structure.unflatten(
        [next(numbers) if not leaf.shape else list(islice(numbers, leaf.size)) for leaf in leaves]
    )


@lru_cache
def _layout(game: Hanabi) -> tuple[list[jax.ShapeDtypeStruct], Any]:
    return jax.tree.flatten(jax.eval_shape(game.reset, jax.random.key(0)))
