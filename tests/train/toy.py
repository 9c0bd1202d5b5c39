"""A game that compiles in a moment, with everything a learner must cope with: turns or simultaneous moves, hidden
numbers, illegal actions, games of different lengths, ends by the rules or by the clock, and a symmetry."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Step, Symmetry
from coplay.nets.network import Design, Network, skeleton
from coplay.train.learner.partners import Partners
from coplay.train.learner.ppo import replay
from coplay.train.learner.rollout import Rollout, collect
from coplay.train.learner.rows import Flow, Rows
from coplay.train.learner.stage import Stage, open_tables

Array = jax.Array


class State(NamedTuple):
    numbers: Array  # int32 [players]: what each seat holds; everybody sees the others' only
    limit: Array  # int32: the turn after which the game is over
    time: Array  # int32
    seat: Array  # int32: whose turn it is
    last: Array  # int32: the latest action
    points: Array  # float32


class Events(NamedTuple):
    illegal: Array
    shaped: Array


class View(NamedTuple):
    others: Array  # int32 [players]: own number shown as -1
    seat: Array
    time: Array
    last: Array
    to_move: Array


class Mirror(NamedTuple):
    """Two ways to look at the toy: as it is, or with actions and the latest action mirrored."""

    bits: Array
    actions: Array

    def __len__(self) -> int:
        return self.bits.shape[0]

    def __getitem__(self, index: Any) -> Symmetry:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Symmetry(self.bits[index], self.actions[index])


@dataclasses.dataclass(frozen=True)
class Toy:
    """Whoever moves should name the next seat's number; one action, that of the own seat's parity, is forbidden."""

    players: int = 2
    simultaneous: bool = False
    truncates: bool = False
    longest: int = 5
    name: str = "toy"
    version: int = 1

    num_actions = 4
    cyclic = True
    max_score = None

    @property
    def max_steps(self) -> int:
        return self.longest

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (self.players + 7,)

    def reset(self, key: Array) -> State:
        a, b, c = jax.random.split(key, 3)
        limit = self.longest if self.truncates else jax.random.randint(b, (), 2, self.longest + 1)
        return State(
            numbers=jax.random.randint(a, (self.players,), 0, 4),
            limit=jnp.asarray(limit, jnp.int32),
            time=jnp.int32(0),
            seat=jax.random.randint(c, (), 0, self.players),
            last=jnp.int32(0),
            points=jnp.float32(0),
        )

    def step(self, state: State, actions: Array) -> Step:
        on = self.turn(state)
        wanted = jnp.roll(state.numbers, -1)
        hits = on & (actions == wanted)
        reward = hits.sum().astype(jnp.float32)
        live = on.any()
        after = State(
            numbers=jnp.where(live, (state.numbers + 1) % 4, state.numbers),
            limit=state.limit,
            time=state.time + live,
            seat=jnp.where(live, (state.seat + 1) % self.players, state.seat),
            last=jnp.where(live, actions[state.seat], state.last),
            points=state.points + reward,
        )
        illegal = on & (actions % 4 == (jnp.arange(self.players) + state.time) % 4)
        return Step(after, reward, after.time >= state.limit, Events(illegal, hits.astype(jnp.float32)))

    def view(self, state: State, seat: Array | int) -> View:
        mine = jnp.arange(self.players) == seat
        others = jnp.roll(jnp.where(mine, -1, state.numbers), -jnp.asarray(seat))
        return View(others, jnp.asarray(seat), state.time, state.last, self.turn(state)[seat])

    def encode(self, view: View) -> Array:
        told = jnp.arange(4) == view.last
        parts = [view.others + 1, told, jnp.stack([view.seat, view.time, view.to_move])]
        return jnp.concatenate([part.astype(jnp.uint8) for part in parts])

    def legal(self, view: View) -> Array:
        return view.to_move & (jnp.arange(4) != (view.seat + view.time) % 4)

    def turn(self, state: State) -> Array:
        seats = jnp.arange(self.players)
        return (state.time < state.limit) & (self.simultaneous | (seats == state.seat))

    def score(self, state: State) -> Array:
        return state.points

    @cached_property
    def symmetries(self) -> Mirror:
        same, p = np.arange(self.players + 7), self.players
        mirrored = np.concatenate([same[:p], same[p : p + 4][::-1], same[p + 4 :]])
        actions = np.arange(4)
        return Mirror(jnp.asarray(np.stack([same, mirrored])), jnp.asarray(np.stack([actions, actions[::-1]])))


def design(game: Any, **changes: Any) -> Design:
    sizes = {"embed": 8, "hidden": 8, "actor": 8, "critic": 8}
    return Design(inputs=tuple(game.observation_shape), actions=game.num_actions, **{**sizes, **changes})


def random_network(design: Design, seed: int = 0, size: float = 0.5) -> Network:
    """Weights straight from numpy: orthogonal ones take seconds to compile. Biases are random too, to be noticed."""
    rng = np.random.default_rng(seed)
    shapes = skeleton(design)
    return jax.tree.map(lambda leaf: jnp.asarray((size * rng.standard_normal(leaf.shape)).astype(leaf.dtype)), shapes)


def stack(*networks: Network) -> Network:
    """[learners, ...]"""
    return _stack(networks)


@jax.jit  # one program for all leaves
def _stack(networks: tuple[Network, ...]) -> Network:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *networks)


def random_rollout(game: Any, turns: int, games: int, seats: int, seed: int = 0) -> Rollout:
    """One that nobody played: every column is drawn on its own. One row per game, and as many as there are seats."""
    rng = np.random.default_rng(seed)
    shape = (turns, games, seats)
    legal = rng.random((*shape, game.num_actions)) < 0.6
    legal[..., 0] = True
    learns = rng.random(shape) < 0.5
    rows = Rows(
        observation=jnp.asarray(rng.integers(0, 5, (*shape, *game.observation_shape)).astype(np.uint8)),
        everything=jnp.asarray(np.zeros((*shape, 0), np.uint8)),
        legal=jnp.asarray(legal),
        seat=jnp.asarray(np.broadcast_to(np.arange(seats, dtype=np.int32), shape)),
        action=jnp.asarray(legal.argmax(-1).astype(np.int32)),
        log_prob=jnp.asarray(np.log(rng.uniform(0.2, 0.9, shape)).astype(np.float32)),
        value=jnp.asarray(rng.normal(size=shape).astype(np.float32)),
        learns=jnp.asarray(learns),
        weight=jnp.asarray(learns.astype(np.float32)),
        fresh=jnp.asarray(rng.random(shape) < 0.2),
        extra={},
    )
    flow = Flow(
        reward=jnp.asarray(rng.normal(size=shape).astype(np.float32)),
        ends=jnp.asarray(rng.random(shape) < 0.2),
        waits=jnp.asarray(~learns & (rng.random(shape) < 0.2)),
        events={},
    )
    last = jnp.asarray(rng.normal(size=shape[1:]).astype(np.float32))
    return Rollout(rows, flow, (), last, jnp.asarray(np.ones(shape[1:], bool)))


def stage_of(game: Any, **changes: Any) -> Stage:
    return Stage(game, **{"partners": Partners(), **changes})


def quick(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles in half the time, for what runs only once or twice; arguments as for `eqx.filter_jit`."""

    @partial(jax.jit, static_argnums=0, compiler_options={"xla_backend_optimization_level": 0})
    def compiled(form: Any, arrays: list[Array]) -> Any:
        structure, plain = form
        numbers = iter(arrays)
        return function(*jax.tree.unflatten(structure, [next(numbers) if leaf is None else leaf for leaf in plain]))

    def call(*given: Any) -> Any:
        leaves, structure = jax.tree.flatten(given)
        plain = tuple(None if eqx.is_array(leaf) else leaf for leaf in leaves)
        return compiled((structure, plain), [leaf for leaf in leaves if eqx.is_array(leaf)])

    return call


opened = quick(open_tables)
collected = quick(collect)
replayed = quick(replay)
