"""Games that begin anywhere and stop early: a given start, moves that are fixed beforehand, a number of turns.

Players cannot tell an excerpt from the whole: the game, its views and its rules are those of any other.

Excerpts step together on the host, which alone knows what is fixed and when to stop: then they run on the programs that
whole games in lock-step are compiled to, and compiling is most of the time that a suite takes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.study.run import MOVE_SECONDS
from coplay.rollouts.episode import Episodes, Forfeit
from coplay.rollouts.lockstep import LockStep
from coplay.rollouts.team import Player, agent_name, is_policy

Array = jax.Array


class Starts(NamedTuple):
    """Where a batch of excerpts begins."""

    states: Any  # pytree of numpy arrays [rows, ...]
    turns: np.ndarray  # int32 [rows]: how long each lasts, fixed moves included
    script: np.ndarray  # int16 [rows, moves]: what the seat on turn must do first; -1: as it likes
    watched: np.ndarray  # int32 [rows]: something to look for at the end, if the test needs that; else -1


class Excerpts(LockStep):
    """A batch of excerpts in progress."""

    def __init__(
        self, game: Game, team: tuple[Player, ...], starts: Starts, keys: Array, move_seconds: float = MOVE_SECONDS
    ) -> None:
        super().__init__(game, team, jax.device_put(starts.states), keys, 0, move_seconds)
        self.starts = starts
        self.taken_over = starts.states  # the states when the fixed moves were over

    def _one_turn(self, turn: int) -> None:
        super()._one_turn(turn)
        led = (self._fixed(turn) >= 0) & (self.lengths > turn)
        if led.any():
            now = jax.device_get(self.states)
            self.taken_over = jax.tree.map(lambda new, old: _where(led, new, old), now, self.taken_over)
        self.live &= turn + 1 < self.starts.turns

    def _choose(self, turn: int, to_move: np.ndarray) -> np.ndarray:
        """The fixed move of this turn, if there is one, takes the place of what the players chose."""
        fixed = self._fixed(turn)[:, None]
        return np.where(fixed >= 0, fixed, super()._choose(turn, to_move))

    def _fixed(self, turn: int) -> np.ndarray:
        """int32 [rows]: the fixed moves of a turn, or -1."""
        script = self.starts.script
        return script[:, turn].astype(np.int32) if turn < script.shape[1] else np.full(len(script), -1, np.int32)


def _where(rows: np.ndarray, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    return np.where(rows.reshape(-1, *[1] * (new.ndim - 1)), new, old)


class Ended(NamedTuple):
    """Excerpts that were played."""

    episodes: Episodes  # of the game itself: they replay like any others
    before: Any  # states when the fixed moves were over, numpy [rows, ...]
    after: Any  # states at the end


def play_from(
    game: Game,
    team: tuple[Player, ...],
    starts: Starts,
    keys: Array,
    max_steps: int,
    room: int = 0,
    move_seconds: float = MOVE_SECONDS,
) -> Ended:
    """Plays every excerpt once. Batches of policies are filled up to `room` rows, so that they share what compiles."""
    rows = len(starts.turns)
    size = max(rows, room) if all(map(is_policy, team)) else rows
    fill = np.minimum(np.arange(size), rows - 1)
    filled: Starts = jax.tree.map(lambda leaf: leaf[fill], starts)
    # Picked by NumPy, which compiles nothing for every number of rows.
    picked = jax.random.wrap_key_data(jax.device_put(np.asarray(jax.random.key_data(keys))[fill]))
    loop = Excerpts(game, team, filled, picked, move_seconds)
    actions, lengths, scores, forfeits, _ = loop.run()
    actions, lengths, scores = actions[:rows, :max_steps], lengths[:rows], scores[:rows]
    forfeits = tuple(forfeit for forfeit in forfeits if forfeit.game < rows)
    before, after = jax.tree.map(lambda leaf: leaf[:rows], jax.device_get((loop.taken_over, loop.states)))
    for forfeit in forfeits:
        if forfeit.turn < starts.script.shape[1]:
            _check_script(game, starts, after, forfeit)
    names = tuple(map(agent_name, team))
    made = actions if game.simultaneous else actions.max(-1)
    return Ended(Episodes(game, names, starts.states, made, lengths, scores, forfeits), before, after)


def _check_script(game: Game, starts: Starts, after: Any, forfeit: Forfeit) -> None:
    """A game that broke off at a fixed move: it is the test's fault if the rules refuse that move there."""
    here = jax.tree.map(lambda leaf: jnp.asarray(leaf[forfeit.game]), after)
    move = int(starts.script[forfeit.game, forfeit.turn])
    if move >= 0 and bool(game.step(here, jnp.full(game.players, move)).events.illegal.any()):
        raise MeasureError(
            f"fixed move {forfeit.turn + 1} of start {forfeit.game} is action {move}, which the rules of {game.name} "
            "refuse there. Correct the script of the test."
        )
