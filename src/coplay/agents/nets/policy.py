"""A network as a player."""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.agents.nets.network import Carry, Design, Network
from coplay.games.game import Game

Array = jax.Array
NEVER = -1e9  # the logit of an action that is not allowed
STEPS = 255  # a float observation in [0, 1] is kept in so many steps


def reader(game: Game) -> Game:
    """The game as a network reads it: Hanabi with the beliefs, with which learning needs far fewer games."""
    if hasattr(game, "encoding") and getattr(game, "observation", None) == "card_knowledge":
        return dataclasses.replace(game, encoding="jaxmarl")  # pyright: ignore[reportArgumentType]
    return game


def observation_scale(game: Game) -> float:
    """What 1 in the observation of `observe` stands for."""
    return 1 / STEPS if getattr(game, "encoding", None) == "jaxmarl" else 1.0


def observe(game: Game, view: Any) -> Array:
    """uint8 of the game's observation shape; fractions are kept in steps of 1/255."""
    x = game.encode(view)
    if x.dtype == jnp.uint8:
        return x
    return jnp.round(x * STEPS).astype(jnp.uint8)


def masked(logits: Array, legal: Array) -> Array:
    return jnp.where(legal, logits, NEVER)


class NetPolicy(eqx.Module):
    """Plays the network's best action, or draws from its distribution."""

    network: Network
    game: Game = eqx.field(static=True)  # as the network reads it
    name: str = eqx.field(static=True, default="network")
    greedy: bool = eqx.field(static=True, default=True)

    @property
    def hears(self) -> str:
        return self.network.design.hears

    def start(self) -> Carry:
        return self.network.start()

    def act(self, memory: Carry, view: Any, key: Array) -> tuple[Carry, Array]:
        memory, logits = self.think(memory, view)
        action = jnp.argmax(logits) if self.greedy else jax.random.categorical(key, logits)
        return memory, action

    def think(self, memory: Carry, view: Any) -> tuple[Carry, Array]:
        """The memory after this view, and the logits of all actions; illegal ones are out of reach."""
        memory, features = self.network.step(memory, observe(self.game, view))
        logits, _ = self.network.heads(features, _nothing(self.network.design))
        return memory, masked(logits, self.game.legal(view))


def _nothing(design: Design) -> Array | None:
    """The critic of a player at the table is never asked, so it may see anything."""
    return jnp.zeros(design.critic_inputs, jnp.uint8) if design.critic_inputs else None
