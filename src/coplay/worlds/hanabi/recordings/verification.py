"""Do recorded games obey the rules? All of them are played again, and whatever does not fit is named."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay.data import DataError
from coplay.game import GameError
from coplay.worlds.hanabi import Hanabi, State
from coplay.worlds.hanabi.actions import split
from coplay.worlds.hanabi.recordings.games import Games
from coplay.worlds.hanabi.recordings.replay import walk


class Problem(NamedTuple):
    """One game that cannot have happened as recorded."""

    row: int
    game_id: int
    turn: int | None  # from 1; None if it concerns the whole game
    rule: str

    def __str__(self) -> str:
        turn = "" if self.turn is None else f", turn {self.turn}"
        return f"game {self.game_id} (row {self.row}){turn}: {self.rule}"


def verify(games: Games) -> list[Problem]:
    """The first thing wrong with each game that does not replay: its deck, a move, a move too many, or its score."""
    bad_deck = _wrong_decks(games)
    found = [
        Problem(row, int(games.game_ids[row]), None, _deck_rule(games.game, games.decks[row]))
        for row in np.flatnonzero(bad_deck).tolist()
    ]
    end = _replay(games)
    wrong = (end.refused | end.over).any(1) | (end.scores != games.scores)
    found += [_explain(games, end, row) for row in np.flatnonzero(wrong & ~bad_deck).tolist()]
    return sorted(found)


def require(games: Games, source: str) -> None:
    """Raises a DataError that names the first game that does not replay."""
    problems = verify(games)
    if problems:
        more = f" ({len(problems) - 1} more of {len(games)} games do not replay either.)" if len(problems) > 1 else ""
        raise DataError(f"{source}: {problems[0]}{more}")


def stops_early(games: Games) -> np.ndarray:
    """bool [games]: the recording ends before the rules end the game; what follows its last move is no game."""
    return ~_replay(games).finished


class _End(NamedTuple):
    """How the games went, [games, ...]."""

    refused: np.ndarray  # bool [games, turns]
    over: np.ndarray  # bool [games, turns]
    scores: np.ndarray  # int32 [games]
    finished: np.ndarray  # bool [games]


def _replay(games: Games) -> _End:
    return jax.device_get(_runner(games.game)(games.decks, games.actions, games.lengths))


@functools.cache
def _runner(game: Hanabi) -> Any:
    """Compiled once per game and number of turns."""

    def one(deck: jax.Array, actions: jax.Array, length: jax.Array) -> Any:
        end, _, refused, over = walk(game, deck, actions, length, lambda state: None)
        return _End(refused, over, game.score(end), end.done)  # pyright: ignore[reportArgumentType]

    return jax.jit(jax.vmap(one))


def _wrong_decks(games: Games) -> np.ndarray:
    """bool [games]: the deck does not hold exactly the cards of the game."""
    game = games.game
    color, rank = games.decks[..., 0], games.decks[..., 1]
    in_range = (color >= 0) & (color < game.colors) & (rank >= 0) & (rank < game.ranks)
    identities = np.sort(np.where(in_range, color * game.ranks + rank, -1), axis=1)
    return (identities != game.sorted_deck).any(1)


def _deck_rule(game: Hanabi, deck: np.ndarray) -> str:
    """What is wrong with a wrong deck, in the words of the game."""
    try:
        game.deal(deck)
    except GameError as error:
        return str(error)
    raise AssertionError("this deck is right")


def _explain(games: Games, end: _End, row: int) -> Problem:
    game, game_id, length = games.game, int(games.game_ids[row]), int(games.lengths[row])
    wrong = np.flatnonzero(end.refused[row] | end.over[row])
    if not wrong.size:
        played, noted = int(end.scores[row]), int(games.scores[row])
        return Problem(row, game_id, None, f"it replays to score {played}, but {noted} is recorded; correct the score.")
    turn, action = int(wrong[0]), int(games.actions[row, wrong[0]])
    if end.over[row, turn]:
        more = f"the rules end the game after turn {turn}, but moves up to turn {length} are recorded; drop them."
        return Problem(row, game_id, turn + 1, more)
    state = _state_before(game, games.decks[row], games.actions[row], turn)
    if not 0 <= action < game.num_actions:
        return Problem(row, game_id, turn + 1, f"action {action}: this game has actions 0 to {game.num_actions - 1}.")
    who, what = f"seat {turn % games.players}", f"action {action} ({game.action_text(action)})"
    return Problem(row, game_id, turn + 1, f"{who} chose {what}, but {_rule(game, state, action)}")


def _state_before(game: Hanabi, deck: np.ndarray, actions: np.ndarray, turn: int) -> State:
    """The position in which a move was refused."""
    replayed = jax.jit(lambda deck, actions, length: walk(game, deck, actions, length, lambda state: None).end)
    return jax.device_get(replayed(deck, actions, turn))


def _rule(game: Hanabi, state: State, action: int) -> str:
    """Why the action is illegal there; a play never is, since whoever is to move has a full hand."""
    move = split(game, action)
    if move.kind == "discard":
        return f"nobody may discard while all {game.info_tokens} hint tokens are there."
    if not state.info:
        return "no hint token is left."
    return "a hint must touch at least one card."
