"""A learned belief: what a seat cannot see, guessed slot by slot from what it has seen so far.

The network follows the seat's own views, every turn of the game. A guess starts from what plain facts say
(`coplay.faces.Hidden.odds`) and the network says how much more or less likely each value is than that, given the
values chosen for the slots before. So a new network believes exactly the facts, and no guess ever contradicts them.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.faces import Hidden
from coplay.nets.layers import Dense
from coplay.nets.network import Carry, Design, Encoder, Lstm
from coplay.nets.recur import recur

Array = jax.Array
NEVER = -1e9


class BeliefNetwork(eqx.Module):
    """An encoder and a memory that hears every turn; a decoder that goes from slot to slot."""

    encoder: Encoder
    cell: Lstm
    trunk: Dense
    before: Array  # float32 [slots, values, width]: what a value that was chosen adds
    slot: Array  # float32 [slots, width]
    out: Dense
    design: Design = eqx.field(static=True)

    def __init__(self, key: Array, design: Design, slots: int, values: int) -> None:
        keys = jax.random.split(key, 4)
        self.encoder = Encoder(keys[0], design, design.inputs)
        self.cell = Lstm(keys[1], design.embed, design.hidden)
        self.trunk = Dense(keys[2], design.hidden, design.actor)
        self.before = 0.01 * jax.random.normal(keys[3], (slots, values, design.actor))
        self.slot = jnp.zeros((slots, design.actor))
        self.out = Dense(keys[3], design.actor, values, gain=0.0)
        self.design = design

    def start(self) -> Carry:
        """The memory of one seat at the start of a game."""
        return (self.cell.start(),)

    def step(self, carry: Carry, observation: Array, dtype: Any) -> tuple[Carry, Array]:
        """One turn of a batch of seats: the new memories, and features for the decoder."""
        (memory,) = carry
        x = self.encoder(observation, dtype)
        memory = self.cell.gate(memory, self.cell.into(x, dtype), self.cell.back(memory[0], dtype))
        return (memory,), self.trunk(memory[0], dtype)

    def unroll(self, carry: Carry, observations: Array, fresh: Array, dtype: Any) -> tuple[Carry, Array]:
        """Whole sequences [time, ..., *inputs]; `fresh` bool [time, ...]: a game began before this turn."""
        (memory,) = carry
        x = self.cell.into(self.encoder(observations, dtype), dtype)
        memory, x = recur(self.cell, memory, x, fresh, dtype)
        return (memory,), self.trunk(x, dtype)

    def lean(self, features: Array, chosen: Array, slot: int, dtype: Any) -> Array:
        """float32 [..., values]: log of how much likelier each value of the slot is than the facts say.

        `chosen` int [..., slots]: the values of the slots before; -1 in an empty one.
        """
        x = features + self.slot[slot].astype(dtype)
        for earlier in range(slot):
            value = chosen[..., earlier]
            told = jnp.where((value >= 0)[..., None], self.before[earlier][jnp.maximum(value, 0)], 0)
            x = x + told.astype(dtype)
        return self.out.precisely(jax.nn.relu(x), dtype)


def guess(network: BeliefNetwork, face: Hidden, facts: Any, features: Array, key: Array, dtype: Any) -> Array:
    """int32 [slots]: drawn from what the network believes, of one seat."""
    slots = network.slot.shape[0]
    values = jnp.full(slots, -1, jnp.int32)
    for slot, its_key in enumerate(jax.random.split(key, slots)):
        logits = _log(face.odds(facts, slot)) + network.lean(features, values, slot, dtype)
        value = jax.random.categorical(its_key, logits)
        facts = face.chosen(facts, slot, value)
        values = values.at[slot].set(value)
    return values


def plain_odds(face: Hidden, facts: Any, truth: Array) -> Array:
    """float32 [slots, values]: log of how likely values are by the facts, each slot after the truth of those before."""
    found = []
    for slot in range(truth.shape[0]):
        found.append(_log(face.odds(facts, slot)))
        facts = face.chosen(facts, slot, jnp.maximum(truth[slot], 0))
    return jnp.stack(found)


def surprise(network: BeliefNetwork, plain: Array, features: Array, truth: Array, dtype: Any) -> Array:
    """float32 [..., 2]: nats that the truth [..., slots] costs the network, and those that it costs the facts alone;
    `plain` as `plain_odds` has it."""
    total = jnp.zeros((*truth.shape[:-1], 2))
    for slot in range(truth.shape[-1]):
        leaning = plain[..., slot, :] + network.lean(features, truth, slot, dtype)
        told = jnp.stack([jax.nn.log_softmax(leaning), jax.nn.log_softmax(plain[..., slot, :])], axis=-2)
        value = jnp.maximum(truth[..., slot], 0)
        nats = -jnp.take_along_axis(told, value[..., None, None], axis=-1)[..., 0]
        total = total + jnp.where((truth[..., slot] >= 0)[..., None], nats, 0)
    return total


def _log(odds: Array) -> Array:
    return jnp.where(odds > 0, jnp.log(jnp.maximum(odds, 1e-30)), NEVER)
