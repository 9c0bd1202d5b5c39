"""Helpers of the Overcooked tests: shared compiled games, and recordings as starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import coplay
from coplay.game import Step
from coplay.worlds.overcooked import Overcooked, State

NORTH, SOUTH, EAST, WEST, STAY, INTERACT = range(6)
NOTHING, ONION, DISH, SOUP, TOMATO = range(5)
STATE = ("pos", "ori", "held", "held_soup", "obj", "onions", "tomatoes", "tick")


@cache
def make(**settings: Any) -> Overcooked:
    game = coplay.make("overcooked", **settings)
    assert isinstance(game, Overcooked)
    return game


@cache
def compiled(game: Overcooked) -> Any:
    return jax.jit(game.step)


def step(game: Overcooked, state: State, *actions: int) -> Step:
    """One joint action."""
    return compiled(game)(state, jnp.asarray(actions, jnp.int32))


def play(game: Overcooked, state: State, *joint: tuple[int, ...]) -> Step:
    """Several joint actions; the last step."""
    last = None
    for actions in joint:
        last = step(game, state, *actions)
        state = last.state
    assert last is not None
    return last


def flags(game: Overcooked, result: Step, seat: int) -> set[str]:
    """Names of the events of one chef."""
    return {name for name, flag in zip(game.event_names, np.asarray(result.events.flags)[seat], strict=True) if flag}


def placed(game: Overcooked, row: Mapping[str, np.ndarray]) -> State:
    """The state of a snapshot or of one row of a recording."""
    objects = {}
    for y, x in np.argwhere(row["obj"] > 0):
        code = int(row["obj"][y, x])
        soup = tuple(int(row[name][y, x]) for name in ("onions", "tomatoes", "tick"))
        objects[int(x), int(y)] = code if code != SOUP else (code, *soup)
    soups: Sequence[Any] = [tuple(map(int, soup)) for soup in row["held_soup"]]
    return game.place(
        positions=[(int(x), int(y)) for x, y in row["pos"]],
        facings=[int(way) for way in row["ori"]],
        held=[int(code) for code in row["held"]],
        held_soups=soups,
        objects=objects,
    )


def same(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> bool:
    return all((np.asarray(one[name]) == np.asarray(other[name])).all() for name in STATE)
