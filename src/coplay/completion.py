"""Somebody's own game made whole: what it leaves out is filled in, so that a game can be forty lines long.

A game must say `players`, `num_actions`, `max_steps`, `reset`, `step`, `view`, `legal`, `turn` and `score`. The rest
has a usual answer: version 1, one seat on turn at a time, no highest score, no symmetry, an encoding that lists the
numbers of the view, a `step` that refuses illegal actions.
"""

from __future__ import annotations

import dataclasses
import math
from collections import namedtuple
from functools import cache, cached_property, lru_cache
from typing import Any

import jax
import jax.numpy as jnp

from coplay.game import GameError, Step, Symmetry
from coplay.tracing import try_out

Array = jax.Array
REQUIRED = ("players", "num_actions", "max_steps", "reset", "step", "view", "legal", "turn", "score")
USUAL: dict[str, Any] = {"version": 1, "simultaneous": False, "truncates": False, "max_score": None}
FILLED = (*USUAL, "name", "observation_shape", "encode", "symmetries")


@cache
def _events(fields: tuple[str, ...]) -> Any:
    """The type of a game's own events with `illegal` besides; made once, for pytrees compare types."""
    return namedtuple("Events", ("illegal", *fields))


def _with_illegal(events: Any, illegal: Array, still: Array) -> Any:
    """What a game tells of a step, and who was refused; of a step that did not happen there is nothing to tell."""
    told = events if isinstance(events, dict) else events._asdict() if hasattr(events, "_asdict") else {}
    told = jax.tree.map(lambda leaf: jnp.where(still, jnp.zeros_like(leaf), leaf), told)
    return _events(tuple(told))(illegal, *told.values())


class OnlyIdentity:
    """The symmetries of a game that has none."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Array | int) -> Symmetry:
        zero = jnp.asarray(index, jnp.int32) * 0
        size = math.prod(self.game.observation_shape)
        return Symmetry(
            jnp.arange(size, dtype=jnp.int32) + zero, jnp.arange(self.game.num_actions, dtype=jnp.int32) + zero
        )

    def sample(self, key: Array) -> Symmetry:
        return self[0]


def complete(game: Any) -> Any:
    """The game itself if nothing is missing, else one that answers for it where it does not."""
    if isinstance(game, type):
        raise GameError(f"{game.__name__} is a class; make a game of it first: {game.__name__}().")
    missing = [name for name in REQUIRED if not hasattr(game, name)]
    if missing:
        raise GameError(
            f"{game!r} is not a game: it has no {', '.join(missing)}. Make one with coplay.make('NAME'), "
            "or see docs/own.md for what a game of your own needs."
        )
    try:
        hash(game)
    except TypeError as error:
        raise GameError(
            f"{type(game).__name__} cannot be hashed, so nothing can be compiled for it; "
            "write it as @dataclasses.dataclass(frozen=True) with settings that do not change."
        ) from error
    if isinstance(game, Completed):
        return game
    if not type(game).__module__.startswith("coplay."):  # what comes with the package is tested
        try_out(game)
    return game if all(hasattr(game, name) for name in FILLED) and tells(game, "illegal") else Completed(game)


@lru_cache(maxsize=256)
def tells(game: Any, event: str) -> bool:
    """Do the events of its steps have this field?"""
    shape = jax.eval_shape(
        lambda key: game.step(game.reset(key), jnp.zeros(game.players, jnp.int32)), jax.random.key(0)
    )
    return hasattr(shape, "events") and hasattr(shape.events, event)


def firm(state: Any) -> Any:
    """The state with types that do not give way: `jnp.full(2, -1)` and Python's numbers would compile twice."""
    return jax.tree.map(lambda leaf: jax.lax.convert_element_type(leaf, jnp.result_type(leaf)), state)


@dataclasses.dataclass(frozen=True, repr=False)
class Completed:
    """Another game with everything that it leaves out."""

    own: Any  # the game itself

    def __repr__(self) -> str:
        return repr(self.own)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "own":
            raise AttributeError(name)
        if name in USUAL:
            return getattr(self.own, name, USUAL[name])
        return getattr(self.own, name)

    @property
    def name(self) -> str:
        return getattr(self.own, "name", type(self.own).__name__.lower())

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        found = getattr(self.own, "observation_shape", None)
        return tuple(found) if found is not None else tuple(self._encoded.shape)

    @cached_property
    def symmetries(self) -> Any:
        return self.own.symmetries if hasattr(self.own, "symmetries") else OnlyIdentity(self)

    def encode(self, view: Any) -> Array:
        """By itself, or all numbers of the view in a row: uint8 if they are flags or bytes, else float32."""
        if hasattr(self.own, "encode"):
            return self.own.encode(view)
        leaves = [jnp.asarray(leaf) for leaf in jax.tree.leaves(view)]
        small = all(leaf.dtype in (jnp.uint8, jnp.bool_) for leaf in leaves)
        kind = jnp.uint8 if small else jnp.float32
        return jnp.concatenate([leaf.reshape(-1).astype(kind) for leaf in leaves])

    def reset(self, key: Array) -> Any:
        return firm(self.own.reset(key))

    def step(self, state: Any, actions: Array) -> Step:
        """By itself; where it says nothing of illegal actions, they are marked here and change nothing."""
        step = self.own.step(state, actions)
        step = step if isinstance(step, Step) else Step(*step, *((),) * (4 - len(step)))
        step = step._replace(
            state=firm(step.state), reward=jnp.asarray(step.reward, jnp.float32), done=jnp.asarray(step.done, bool)
        )
        if hasattr(step.events, "illegal"):
            return step
        illegal = self._illegal(state, actions)
        over = ~self.own.turn(state).any()
        still = illegal.any() | over
        keep = jax.tree.map(lambda old, new: jnp.where(still, old, new), state, step.state)
        return Step(
            keep,
            jnp.where(still, jnp.float32(0), step.reward),
            jnp.where(still, over, step.done),
            _with_illegal(step.events, illegal, still),
        )

    def _illegal(self, state: Any, actions: Array) -> Array:
        """bool [players]: seats on turn whose action is not legal, or does not exist."""
        own = self.own
        actions = jnp.asarray(actions, jnp.int32)
        known = (actions >= 0) & (actions < own.num_actions)
        legal = jnp.stack([own.legal(own.view(state, seat)) for seat in range(own.players)])
        chosen = jnp.take_along_axis(legal, jnp.clip(actions, 0, own.num_actions - 1)[:, None], axis=1)[:, 0]
        return own.turn(state) & ~(known & chosen)

    @cached_property
    def _encoded(self) -> Any:
        return jax.eval_shape(lambda key: self.encode(self.own.view(self.own.reset(key), 0)), jax.random.key(0))


def own_game(game: Any) -> Any:
    """The game that somebody wrote, without what was filled in."""
    return game.own if isinstance(game, Completed) else game
