"""The networks of off-belief learning (Hu et al. 2021) in the form that JaxMARL translated them to: `obl:FILE`.

For two players and the standard deck. A public memory (two LSTM layers) hears every turn and sees what all seats see; a
private network sees the whole view; their product says what each action is worth. It plays the best legal one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.nets.file import read_safetensors
from coplay.player import AgentError
from coplay.worlds.hanabi.bots.standard_game import require_standard_game
from coplay.worlds.hanabi.encode import jaxmarl
from coplay.worlds.hanabi.view import View

Array = jax.Array
Memory = tuple[tuple[Array, Array], ...]  # per layer (cell, shown)

INPUTS, PRIVATE, ACTIONS, LAYERS = 658, 125, 21, 2  # the 21st action is to wait
GATES = ("i", "f", "g", "o")


class Obl(eqx.Module):
    """A published network as a policy."""

    weights: dict[str, Array]
    name: str = eqx.field(static=True)
    hears = "every"

    def start(self) -> Memory:
        nothing = jnp.zeros(self.weights["fc_a,kernel"].shape[0])
        return ((nothing, nothing),) * LAYERS

    def act(self, memory: Memory, view: View, key: Array) -> tuple[Memory, Array]:
        del key
        memory, worth = self.advantages(memory, jaxmarl(view))
        legal = view.legal
        return memory, jnp.argmax(jnp.where(legal, worth[: legal.size], -jnp.inf)).astype(jnp.int32)

    def advantages(self, memory: Memory, seen: Array) -> tuple[Memory, Array]:
        """The memory after an observation [658], and what every action is worth [21]."""
        own = seen
        for layer in range(3):
            own = jax.nn.relu(self._dense(f"priv_net_dense_{layer}", own))
        public = jax.nn.relu(self._dense("publ_net_dense_0", seen[PRIVATE:]))
        after = []
        for layer, (cell, shown) in enumerate(memory):
            cell, shown = self._cell(layer, cell, shown, public)
            after.append((cell, shown))
            public = shown
        return tuple(after), self._dense("fc_a", own * public)

    def _cell(self, layer: int, cell: Array, shown: Array, x: Array) -> tuple[Array, Array]:
        def gate(name: str) -> Array:
            place = f"lstm,l{layer},"
            return x @ self.weights[f"{place}i{name},kernel"] + self._dense(f"{place}h{name}", shown)

        enter, forget, new, show = (gate(name) for name in GATES)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
        return cell, jax.nn.sigmoid(show) * jnp.tanh(cell)

    def _dense(self, name: str, x: Array) -> Array:
        return x @ self.weights[f"{name},kernel"] + self.weights[f"{name},bias"]


def load_obl(place: str, game: Game) -> Obl:
    """The network in a file, ready for `game`."""
    require_standard_game(f"obl:{place}", game, 2, 2)
    found, _ = read_safetensors(place)
    weights = {name.removeprefix("params,"): tensor for name, tensor in found.items()}
    hidden = weights["fc_a,kernel"].shape[0] if "fc_a,kernel" in weights else 512
    for name, shape in shapes(hidden).items():
        if name not in weights or weights[name].shape != shape:
            has = weights[name].shape if name in weights else "nothing"
            raise AgentError(
                f"obl:{place}: {name} should have shape {shape} and has {has}. These are the files of OBL as JaxMARL "
                "translated them (safetensors, named icml_OBL1 to icml_OBL5)."
            )
    kept: dict[str, Any] = {name: jax.device_put(weights[name].astype(np.float32)) for name in shapes(hidden)}
    return Obl(kept, Path(place).stem)


def shapes(hidden: int) -> dict[str, tuple[int, ...]]:
    """What such a file holds."""
    inputs = {"priv_net_dense_0": INPUTS, "priv_net_dense_1": hidden, "priv_net_dense_2": hidden}
    inputs |= {"publ_net_dense_0": INPUTS - PRIVATE}
    inputs |= {f"lstm,l{layer},h{gate}": hidden for layer in range(LAYERS) for gate in GATES}
    found: dict[str, tuple[int, ...]] = {f"{name},kernel": (size, hidden) for name, size in inputs.items()}
    found |= {f"{name},bias": (hidden,) for name in inputs}
    found |= {f"lstm,l{layer},i{gate},kernel": (hidden, hidden) for layer in range(LAYERS) for gate in GATES}
    return found | {"fc_a,kernel": (hidden, ACTIONS), "fc_a,bias": (ACTIONS,)}
