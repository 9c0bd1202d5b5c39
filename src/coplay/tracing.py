"""A game tried out on shapes alone: what is wrong with a game of one's own is told before anything is played.

Games are compiled, so a Python `if` on a state or a mask of the wrong length would only show deep inside a program, or
not at all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from coplay.game import GameError
from coplay.registry import say, where_in


@lru_cache(maxsize=256)
def try_out(game: Any) -> None:
    """Traces every function of a game once, and holds what it gives against what a game promises."""
    state = _traced(game, "reset", game.reset, jax.random.key(0))
    step = _traced(game, "step", game.step, state, _array(jnp.int32, game.players))
    if not isinstance(step, tuple) or len(step) not in (3, 4):
        raise _broken(game, "step returns (state, reward, done), or a fourth entry with events")
    _same_state(game, state, step[0])
    view = _traced(game, "view", game.view, state, _array(jnp.int32))
    promised = {
        "the reward of step": (step[1], (), "one number"),
        "done of step": (step[2], (), "one flag"),
        "legal": (_traced(game, "legal", game.legal, view), (game.num_actions,), "a flag per action, num_actions"),
        "turn": (_traced(game, "turn", game.turn, state), (game.players,), "a flag per seat, players"),
        "score": (_traced(game, "score", game.score, state), (), "one number"),
    }
    for what, (found, shape, words) in promised.items():
        if getattr(found, "shape", None) != shape:
            raise _broken(game, f"{what} has shape {list(getattr(found, 'shape', '?'))}, not {list(shape)}: {words}")
    for what in ("legal", "turn"):
        if promised[what][0].dtype != bool:
            raise _broken(
                game, f"{what} gives {promised[what][0].dtype}, not bool; write a comparison, or astype(bool)"
            )


def _array(kind: Any, *shape: int) -> Any:
    return jax.ShapeDtypeStruct(shape, kind)


def _traced(game: Any, name: str, function: Callable[..., Any], *given: Any) -> Any:
    """The shapes of what a function gives."""
    try:
        return jax.eval_shape(function, *given)
    except GameError:
        raise
    except jax.errors.ConcretizationTypeError as error:
        raise _broken(
            game,
            f"{name} decides in Python{_line(game, error)} by a value that is only known when the game runs, "
            "with if, while, and, or, int() or an index; write jnp.where and jnp.logical_and instead",
        ) from error
    except Exception as error:  # somebody's own game may raise anything
        raise _broken(game, f"{name} failed{_line(game, error)}: {say(error)}") from error


def _same_state(game: Any, before: Any, after: Any) -> None:
    if jax.tree.structure(before) != jax.tree.structure(after):
        raise _broken(game, "step returns a state that is built otherwise than that of reset")
    named = zip(jax.tree_util.tree_leaves_with_path(before), jax.tree.leaves(after), strict=True)
    for (path, old), new in named:
        if (old.shape, old.dtype) != (new.shape, new.dtype):
            where = jax.tree_util.keystr(path)
            raise _broken(
                game,
                f"step makes {old.dtype}{list(old.shape)} of the state{where} to {new.dtype}{list(new.shape)}; "
                "it must stay as reset made it, so convert it: .astype(jnp.int32)",
            )


def _broken(game: Any, words: str) -> GameError:
    return GameError(f"{type(game).__name__}: {words}. `coplay.check_game` tests the other laws too.")


def _line(game: Any, error: BaseException) -> str:
    """Where in the file of the game."""
    try:
        return where_in(error, Path(inspect.getsourcefile(type(game)) or ""))
    except TypeError:  # made in a notebook or at a prompt
        return ""
