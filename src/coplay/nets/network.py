"""The network: an encoder, perhaps a memory, an actor and a critic. Its design is a record that a file can carry."""

from __future__ import annotations

import dataclasses
import math
from functools import cache
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.nets.layers import Convolution, Dense, Gru, LayerNorm, Lstm, dropout
from coplay.nets.recur import recur

Array = jax.Array
Carry = tuple[tuple[Array, ...], ...]  # per recurrent layer its arrays; () for a network without memory


@dataclasses.dataclass(frozen=True)
class Design:
    """Everything needed to build a network again."""

    inputs: tuple[int, ...]  # shape of the observation
    actions: int
    scale: float = 1.0  # what 1 in the uint8 observation stands for
    encoder: Literal["mlp", "cnn"] = "mlp"
    filters: int = 32  # of each convolution
    border: bool = True  # does the last convolution keep the outermost cells, where nobody can stand?
    embed: int = 512
    layers: int = 1  # dense layers of the encoder
    normalise: bool = False  # LayerNorm after the encoder's dense layer
    activation: Literal["relu", "gelu", "leaky", "tanh"] = "relu"
    cell: Literal["none", "gru", "lstm"] = "none"
    cells: int = 1
    hidden: int = 512  # size of the memory
    actor: int = 512  # width of the actor's own layer
    critic: int = 512
    dropout: float = 0.0  # on the actor's layer, while cloning
    hears: Literal["own", "every"] = "own"  # when the memory advances
    critic_inputs: int = 0  # size of what the critic alone sees (all views); 0: it sees what the actor sees
    private: int = 0  # so many entries at the head of the observation the memory does not see; 0: it sees all
    useful: bool = False  # it chooses among actions only that can change something, as its world tells

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", tuple(self.inputs))


class Encoder(eqx.Module):
    """Observation [..., *inputs] -> features [..., embed]"""

    convolutions: tuple[Convolution, ...]
    dense: tuple[Dense, ...]
    norm: LayerNorm | None
    axes: int = eqx.field(static=True)  # of one observation
    design: Design = eqx.field(static=True)

    def __init__(self, key: Array, design: Design, inputs: tuple[int, ...]) -> None:
        keys = jax.random.split(key, 3 + design.layers)
        self.convolutions = ()
        self.axes = len(inputs)
        size = math.prod(inputs)
        if design.encoder == "cnn":
            channels = (inputs[-1], *(design.filters,) * 3)
            self.convolutions = tuple(
                Convolution(keys[i], 5 if i == 0 else 3, channels[i], channels[i + 1]) for i in range(3)
            )
            size = math.prod(side if design.border else side - 2 for side in inputs[:-1]) * channels[-1]
        sizes = (size, *(design.embed,) * design.layers)
        self.dense = tuple(Dense(keys[3 + i], sizes[i], sizes[i + 1]) for i in range(design.layers))
        self.norm = LayerNorm(design.embed) if design.normalise else None
        self.design = design

    def __call__(self, observation: Array, dtype: Any) -> Array:
        x = observation.astype(dtype)
        if self.design.scale != 1:
            x = x * jnp.asarray(self.design.scale, dtype)
        activate = activation(self.design)
        for convolution in self.convolutions:
            x = activate(convolution(x, dtype))
        if self.convolutions and not self.design.border:
            x = x[..., 1:-1, 1:-1, :]
        x = x.reshape(*x.shape[: x.ndim - self.axes], -1)
        for dense in self.dense:
            x = dense(x, dtype)
            x = activate(x if self.norm is None else self.norm(x).astype(dtype))
        return x


class Network(eqx.Module):
    """Actor and critic on one encoder and one memory.

    A public memory (`design.private`) never sees what only its own seat does. So what it holds stays true where that is
    imagined otherwise. It tells what the view now means: features are the view's times 1 + what it makes of them, and a
    new one makes nothing of them yet.
    """

    encoder: Encoder
    cells: tuple[Gru | Lstm, ...]
    trunk: Dense  # the actor's and the critic's own layers, side by side
    actor: Dense
    critic: Dense
    critic_encoder: Encoder | None  # where the critic sees more than the actor
    public: Encoder | None  # where the memory sees only what all seats do: of that,
    mix: Dense | None  # and what the memory makes of the features
    design: Design = eqx.field(static=True)

    def __init__(self, key: Array, design: Design) -> None:
        keys = jax.random.split(key, 5 + design.cells)
        kind = {"gru": Gru, "lstm": Lstm}.get(design.cell)
        self.encoder = Encoder(keys[0], design, design.inputs)
        sizes = (design.embed, *(design.hidden,) * design.cells)
        self.cells = tuple(kind(keys[5 + i], sizes[i], sizes[i + 1]) for i in range(design.cells)) if kind else ()
        self.public = self.mix = None
        if design.private:
            if kind is None or len(design.inputs) != 1:
                raise ValueError("a public memory is a memory, of an observation that is one row")
            public, mix = jax.random.split(jax.random.fold_in(key, 1))
            self.public = Encoder(public, dataclasses.replace(design, encoder="mlp"), _public(design))
            self.mix = Dense(mix, design.hidden, design.embed, gain=0.0)
        features = design.hidden if kind and not design.private else design.embed
        alone = design.critic_inputs > 0
        self.critic_encoder = None
        if alone:
            wide = dataclasses.replace(design, encoder="mlp", embed=design.critic)
            self.critic_encoder = Encoder(keys[1], wide, (design.critic_inputs,))
        self.trunk = _side_by_side(keys[2], features, design.actor, 0 if alone else design.critic)
        self.actor = Dense(keys[3], design.actor, design.actions, gain=0.01)
        self.critic = Dense(keys[4], design.critic, 1, gain=1.0)
        self.design = design

    def start(self) -> Carry:
        """The memory of one seat at the start of a game."""
        return tuple(cell.start() for cell in self.cells)

    def step(self, carry: Carry, observation: Array, dtype: Any = jnp.float32) -> tuple[Carry, Array]:
        """One decision of a batch: the new memories and the features the heads read."""
        own, x = self._seen(observation, dtype)
        after = []
        for cell, memory in zip(self.cells, carry, strict=True):
            memory = cell.gate(memory, cell.into(x, dtype), cell.back(memory[0], dtype))
            after.append(memory)
            x = memory[0]
        return tuple(after), self._told(own, x, dtype)

    def unroll(self, carry: Carry, observations: Array, fresh: Array, dtype: Any = jnp.float32) -> tuple[Carry, Array]:
        """Whole sequences [time, ..., *inputs]: the memories at the end, and features [time, ..., features].

        `fresh` bool [time, ...]: a new game began before this decision, so the memory is empty.
        """
        own, x = self._seen(observations, dtype)
        after = []
        for cell, memory in zip(self.cells, carry, strict=True):
            memory, x = recur(cell, memory, cell.into(x, dtype), fresh, dtype)
            after.append(memory)
        return tuple(after), self._told(own, x, dtype)

    def _seen(self, observation: Array, dtype: Any) -> tuple[Array, Array]:
        """What the heads and what the memory read of an observation."""
        own = self.encoder(observation, dtype)
        return own, own if self.public is None else self.public(observation[..., self.design.private :], dtype)

    def _told(self, own: Array, remembered: Array, dtype: Any) -> Array:
        return remembered if self.mix is None else own * (1 + self.mix(remembered, dtype))

    def heads(
        self, features: Array, everything: Array | None = None, dtype: Any = jnp.float32, key: Array | None = None
    ) -> tuple[Array, Array]:
        """(logits float32 [..., actions], value float32 [...]); a key switches dropout on."""
        activate = activation(self.design)
        both = activate(self.trunk(features, dtype))
        mine = dropout(both[..., : self.design.actor], self.design.dropout, key)
        if self.critic_encoder is None:
            judged = both[..., self.design.actor :]
        else:
            assert everything is not None
            judged = self.critic_encoder(everything, dtype)
        return self.actor.precisely(mine, dtype), self.critic.precisely(judged, dtype)[..., 0]


def new_networks(keys: Array, design: Design) -> Network:
    """One fresh network per key, stacked; made on the CPU, where nothing needs tuning first.

    Layer by layer: as one program it would be compiled anew for every design, and for longer than all the rest takes.
    """
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        return eqx.filter_vmap(lambda key: Network(key, design))(keys)


@cache
def skeleton(design: Design) -> Network:
    """The shapes and types of a network's arrays. To find them costs a fifth of a second, and files are read often."""
    return eqx.filter_eval_shape(Network, jax.eval_shape(lambda: jax.random.key(0)), design)


def remembering(networks: Network, keys: Array, cell: Literal["gru", "lstm"], hidden: int, private: int) -> Network:
    """Stacked networks without a memory as ones with a public memory, which at first decide exactly as before."""
    design = dataclasses.replace(networks.design, cell=cell, hidden=hidden, hears="every", private=private)
    grown = new_networks(keys, design)
    known = [
        jax.tree.unflatten(jax.tree.structure(new), jax.tree.leaves(old))
        for new, old in zip(_without_memory(grown), _without_memory(networks), strict=True)
    ]
    return eqx.tree_at(_without_memory, grown, known, is_leaf=lambda part: part is None)


def _without_memory(network: Network) -> list[Any]:
    return [network.encoder, network.trunk, network.actor, network.critic, network.critic_encoder]


def _public(design: Design) -> tuple[int, ...]:
    return (design.inputs[0] - design.private,)


LEAK = 0.2  # slope of the leaky rectifiers below zero, in the networks of Carroll et al.
ACTIVATIONS = {
    "relu": jax.nn.relu,
    "gelu": jax.nn.gelu,
    "leaky": lambda x: jax.nn.leaky_relu(x, LEAK),
    "tanh": jnp.tanh,
}


def activation(design: Design) -> Any:
    return ACTIVATIONS[design.activation]


def _side_by_side(key: Array, inputs: int, actor: int, critic: int) -> Dense:
    """Two layers in one matrix, each orthogonal on its own."""
    mine, other = jax.random.split(key)
    layer = Dense(mine, inputs, actor, gain=2.0)
    if critic == 0:
        return layer
    second = Dense(other, inputs, critic, gain=2.0)
    joined = jnp.concatenate([layer.weight, second.weight], axis=1)
    return eqx.tree_at(lambda d: (d.weight, d.bias), layer, (joined, jnp.zeros(actor + critic)))
