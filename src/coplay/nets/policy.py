"""A network as a player."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.faces import faces_of
from coplay.game import Game, Symmetry
from coplay.nets.network import Carry, Design, Network
from coplay.player import AgentError

Array = jax.Array
NEVER = -1e9  # the logit of an action that is not allowed
STEPS = 255  # a float observation in [0, 1] is kept in so many steps
PICTURE = 3  # axes of an observation that is one


def reader(game: Game, inputs: tuple[int, ...] | None = None, picture: bool = False) -> Game:
    """The game as a network reads it: as one with these inputs does, or as suits a new one, perhaps as a picture."""
    training = faces_of(game).training
    ways = [game] if training is None else training.readers(game)
    for way in ways:
        shape = tuple(way.observation_shape)
        if shape == inputs or (inputs is None and (not picture or len(shape) == PICTURE)):
            return way
    return ways[0]


def _in_steps(game: Game) -> bool:
    training = faces_of(game).training
    return training is not None and training.fractions(game)


def observation_scale(game: Game) -> float:
    """What 1 in the observation of `observe` stands for."""
    return 1 / STEPS if _in_steps(game) else 1.0


def observe(game: Game, view: Any) -> Array:
    """The observation as it is kept: uint8 where that is exact, or fractions in steps of 1/255; else float32."""
    x = game.encode(view)
    if x.dtype == jnp.uint8:
        return x
    return jnp.round(x * STEPS).astype(jnp.uint8) if _in_steps(game) else x.astype(jnp.float32)


def allowed(game: Game, design: Design, view: Any) -> Array:
    """bool[num_actions]: what a network of this design chooses from: what is legal, or of that what is of any use."""
    legal = game.legal(view)
    training = faces_of(game).training
    if not design.useful or training is None:
        return legal
    useful = legal & training.useful(game, view)
    return jnp.where(useful.any(), useful, legal)


def masked(logits: Array, legal: Array) -> Array:
    return jnp.where(legal, logits, NEVER)


class NetPolicy(eqx.Module):
    """Plays the network's best action, or draws from its distribution.

    With `symmetries` it looks at the game through so many of its symmetries at once, each with a memory of its own, and
    believes the mean of what it is told: a network that has not quite learned that names do not matter errs less then.
    """

    network: Network
    game: Game = eqx.field(static=True)  # as the network reads it
    name: str = eqx.field(static=True, default="network")
    greedy: bool = eqx.field(static=True, default=True)
    dtype: Any = eqx.field(static=True, default=jnp.float32)  # what it computes in
    symmetries: int = eqx.field(static=True, default=1)

    def __check_init__(self) -> None:
        if not 1 <= self.symmetries <= len(self.game.symmetries):
            raise AgentError(
                f"{self.name}: symmetries={self.symmetries}; {self.game.name} has {len(self.game.symmetries)}, "
                "the identity counted. Take 1 (the usual view alone) or more of them."
            )

    @property
    def hears(self) -> str:
        return self.network.design.hears

    def start(self) -> Carry:
        one = self.network.start()
        if self.symmetries == 1:
            return one
        return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (self.symmetries, *leaf.shape)), one)

    def act(self, memory: Carry, view: Any, key: Array) -> tuple[Carry, Array]:
        memory, logits = self.think(memory, view)
        action = jnp.argmax(logits) if self.greedy else jax.random.categorical(key, logits)
        return memory, action

    def think(self, memory: Carry, view: Any) -> tuple[Carry, Array]:
        """The memory after this view, and the logits of all actions; illegal ones are out of reach."""
        seen, may = observe(self.game, view), allowed(self.game, self.network.design, view)
        if self.symmetries == 1:
            return self._listened(memory, seen, may)
        memory, logits = jax.vmap(self._relabelled, (0, None, None, 0))(memory, seen, may, self._labels())
        return memory, masked(jax.nn.logsumexp(jax.nn.log_softmax(logits), axis=0), may)

    def _listened(self, memory: Carry, seen: Array, may: Array) -> tuple[Carry, Array]:
        memory, features = self.network.step(memory, seen, self.dtype)
        logits, _ = self.network.heads(features, _nothing(self.network.design), self.dtype)
        return memory, masked(logits, may)

    def _relabelled(self, memory: Carry, seen: Array, may: Array, label: Symmetry) -> tuple[Carry, Array]:
        """The same in a world with other names; the logits are of the actions as they are called here."""
        there = seen.reshape(-1)[label.bits].reshape(seen.shape)
        memory, logits = self._listened(memory, there, may[label.actions])
        return memory, jnp.zeros_like(logits).at[label.actions].set(logits)

    def _labels(self) -> Symmetry:
        """Those it looks through, evenly spread over all; the identity is the first."""
        every = len(self.game.symmetries)
        chosen = jnp.arange(self.symmetries) * every // self.symmetries
        return jax.vmap(lambda index: self.game.symmetries[index])(chosen)


def _nothing(design: Design) -> Array | None:
    """The critic of a player at the table is never asked, so it may see anything."""
    return jnp.zeros(design.critic_inputs, jnp.uint8) if design.critic_inputs else None
