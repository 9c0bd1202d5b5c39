"""Do recorded games obey the rules? All of them are played again, and whatever does not fit is named."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.compiling import quick_jit
from coplay.game import Game
from coplay.rollouts.episode import Episodes, joint_actions

CHUNK, FEWEST = 512, 8


class Problem(NamedTuple):
    """One game that cannot have happened as recorded."""

    row: int
    game_id: int
    turn: int | None  # from 1; None if it concerns the whole game
    rule: str

    def __str__(self) -> str:
        turn = "" if self.turn is None else f", turn {self.turn}"
        return f"game {self.game_id} (row {self.row}){turn}: {self.rule}"


class _End(NamedTuple):
    """How the games went, [games, ...]."""

    refused: np.ndarray  # bool [games, turns]: a move was illegal
    over: np.ndarray  # bool [games, turns]: a move was recorded although the rules had ended the game
    scores: np.ndarray  # float32 [games]
    finished: np.ndarray  # bool [games]


def verify(episodes: Episodes) -> list[Problem]:
    """The first thing wrong with each game that does not replay: a move, a move too many, or its score."""
    if not len(episodes):
        return []
    end = _replay(episodes)
    illegal = np.asarray((end.refused | end.over).any(1))
    kept = ~np.isin(np.arange(len(episodes)), [forfeit.game for forfeit in episodes.forfeits])
    wrong = illegal | (kept & (end.scores != np.asarray(episodes.scores, np.float32)))
    return [_explain(episodes, end, row) for row in np.flatnonzero(wrong).tolist()]


def stops_early(episodes: Episodes) -> np.ndarray:
    """bool [games]: the recording ends before the rules end the game; what follows its last move is no game."""
    return ~_replay(episodes).finished


def _replay(episodes: Episodes) -> _End:
    game, moves = episodes.game, joint_actions(episodes)
    count = len(episodes)
    size = min(CHUNK, max(FEWEST, 1 << (count - 1).bit_length()))
    turns = max(game.max_steps, moves.shape[1])
    moves = np.pad(moves, ((0, 0), (0, turns - moves.shape[1]), (0, 0)), constant_values=-1)
    parts = []
    for first in range(0, count, size):
        rows = np.minimum(np.arange(first, first + size), count - 1)
        starts = jax.tree.map(lambda leaf, rows=rows: jnp.asarray(np.asarray(leaf)[rows]), episodes.starts)
        lengths = np.asarray(episodes.lengths, np.int32)[rows]
        parts.append(jax.device_get(_walk(game, starts, moves[rows], lengths)))
    return _End(*(np.concatenate(leaves)[:count] for leaves in zip(*parts, strict=True)))


@quick_jit
def _walk(game: Game, starts: Any, moves: Any, lengths: Any) -> Any:
    def one(start: Any, joint: Any, length: Any) -> Any:
        def turn(state: Any, now: Any) -> Any:
            number, actions = now
            played = number < length
            over = ~game.turn(state).any()
            step = game.step(state, jnp.where(played, actions, -1))
            refused = (step.events.illegal & game.turn(state)).any() & played
            return step.state, (refused, over & played)

        end, (refused, over) = jax.lax.scan(turn, start, (jnp.arange(joint.shape[0]), joint))
        return refused, over, jnp.asarray(game.score(end), jnp.float32), ~game.turn(end).any()

    return jax.vmap(one)(starts, moves, lengths)


def _explain(episodes: Episodes, end: _End, row: int) -> Problem:
    number = int(episodes.extra["game_ids"][row]) if "game_ids" in episodes.extra else row
    wrong = np.flatnonzero(end.refused[row] | end.over[row])
    if not wrong.size:
        played, noted = float(end.scores[row]), float(episodes.scores[row])
        rule = f"it replays to score {played:g}, but {noted:g} is recorded; correct the score."
        return Problem(row, number, None, rule)
    turn, length = int(wrong[0]), int(episodes.lengths[row])
    if end.over[row, turn]:
        more = f"the rules end the game after turn {turn}, but moves up to turn {length} are recorded; drop them."
        return Problem(row, number, turn + 1, more)
    action = " ".join(str(int(one)) for one in np.atleast_1d(episodes.actions[row, turn]))
    return Problem(row, number, turn + 1, f"action {action} is not legal there.")
