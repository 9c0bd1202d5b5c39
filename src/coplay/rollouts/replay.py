"""Any episode again, step by step: the states it went through."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.compiling import quick_jit
from coplay.game import Game
from coplay.rollouts.episode import Episodes, joint_actions


class ReplayError(ValueError):
    """A recording and the rules disagree."""


@quick_jit
def _run(game: Game, start: Any, actions: Any) -> tuple[Any, Any, Any]:
    def turn(state: Any, joint: Any) -> tuple[Any, tuple[Any, Any, Any]]:
        step = game.step(state, joint)
        return step.state, (step.state, step.reward, step.events.illegal)

    return jax.lax.scan(turn, start, actions)[1]


def states_of(episodes: Episodes, index: int) -> list[Any]:
    """The states of game `index`, from the start to the end, checked against the recorded score."""
    if not 0 <= index < len(episodes):
        raise ReplayError(f"there is no game {index}; the file has games 0 to {len(episodes) - 1}.")
    game, length = episodes.game, int(episodes.lengths[index])
    called = f"game {index}" if len(episodes) > 1 else "the game"
    start = jax.tree.map(lambda leaf: jnp.asarray(leaf[index]), episodes.starts)
    actions = np.asarray(episodes.actions[index, :length], np.int32)
    if actions.ndim == 1:
        actions = np.repeat(actions[:, None], game.players, 1)
    # One length for all games, so that one program serves them all; what comes after the end is not looked at.
    padded = np.zeros((max(game.max_steps, length), game.players), np.int32)
    padded[:length] = actions
    states, _, illegal = jax.device_get(_run(game, start, jnp.asarray(padded)))
    illegal = illegal[:length]
    if np.any(illegal):
        raise ReplayError(f"{called}: the action of turn {int(np.argmax(illegal.any(-1)))} is illegal.")
    walked = [jax.device_get(start), *(jax.tree.map(lambda leaf, t=t: leaf[t], states) for t in range(length))]
    forfeited = any(forfeit.game == index for forfeit in episodes.forfeits)
    score, recorded = float(game.score(walked[-1])), float(episodes.scores[index])
    # Sums of fractions may differ in their last digits between two programs.
    if not forfeited and not math.isclose(score, recorded, rel_tol=1e-5, abs_tol=1e-5):
        raise ReplayError(f"{called} replays to {score:g} but {recorded:g} is recorded.")
    return walked


def acting_views(episodes: Episodes, look: Callable[[Any], Any]) -> Any:
    """What `look` makes of the view of the seat to move before every move, [games, turns, ...], as numpy.

    A recording may stop before the rules end the game; from its length on the position stands still.
    """
    return _looked(episodes, lambda game, state: look(game.view(state, jnp.argmax(game.turn(state)))))


def all_views(episodes: Episodes, look: Callable[[Any], Any]) -> Any:
    """What `look` makes of the view of every seat before every move, [games, turns, seats, ...], as numpy."""

    seats = jnp.arange(episodes.game.players)
    return _looked(episodes, lambda game, state: jax.vmap(lambda seat: look(game.view(state, seat)))(seats))


def _looked(episodes: Episodes, look: Callable[[Game, Any], Any]) -> Any:
    starts = jax.tree.map(jnp.asarray, episodes.starts)
    walk = jax.jit(jax.vmap(partial(_look_on, episodes.game, look)))
    return jax.device_get(walk(starts, joint_actions(episodes), np.asarray(episodes.lengths)))


def _look_on(game: Game, look: Callable[[Game, Any], Any], start: Any, moves: Any, length: Any) -> Any:
    def turn(state: Any, now: Any) -> Any:
        number, joint = now
        seen = look(game, state)
        return game.step(state, jnp.where(number < length, joint, -1)).state, seen  # -1 changes nothing

    return jax.lax.scan(turn, start, (jnp.arange(moves.shape[0]), jnp.asarray(moves, jnp.int32)))[1]
