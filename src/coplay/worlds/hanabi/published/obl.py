"""The networks of off-belief learning (Hu et al. 2021), as published or as JaxMARL translated them: `obl:FILE`.

For two players and the standard deck. A public memory (two LSTM layers) hears every turn and sees what all seats see; a
private network sees the whole view; their product says what each action is worth. It plays the best legal one.
"""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game
from coplay.nets.actors import Weights, checked, dense, dense_shapes
from coplay.nets.file import read_safetensors
from coplay.worlds.hanabi.bots.standard_game import require_standard_game
from coplay.worlds.hanabi.encode import jaxmarl
from coplay.worlds.hanabi.published.parts import Memory, blank, from_torch, lstm, lstm_shapes
from coplay.worlds.hanabi.view import View

Array = jax.Array

INPUTS, PRIVATE, ACTIONS, LAYERS = 658, 125, 21, 2  # the 21st action is to wait
PUBLISHED = {"priv_net.0": "priv_net_dense_0", "priv_net.2": "priv_net_dense_1", "priv_net.4": "priv_net_dense_2"}
PUBLISHED |= {"publ_net.0": "publ_net_dense_0"}
WHAT = (
    "These are the files of OBL as published (.pthw), or as JaxMARL translated them (safetensors, named icml_OBL1 to "
    "icml_OBL5)."
)


class Obl(eqx.Module):
    """A published network as a policy."""

    weights: Weights
    name: str = eqx.field(static=True)
    hears = "every"

    def start(self) -> Memory:
        return blank(self.weights, LAYERS)

    def act(self, memory: Memory, view: View, key: Array) -> tuple[Memory, Array]:
        del key
        memory, worth = self.advantages(memory, jaxmarl(view))
        legal = view.legal
        return memory, jnp.argmax(jnp.where(legal, worth[: legal.size], -jnp.inf)).astype(jnp.int32)

    def advantages(self, memory: Memory, seen: Array) -> tuple[Memory, Array]:
        """The memory after an observation [658], and what every action is worth [21]."""
        own = seen
        for layer in range(3):
            own = jax.nn.relu(dense(self.weights, f"priv_net_dense_{layer}", own))
        public = jax.nn.relu(dense(self.weights, "publ_net_dense_0", seen[PRIVATE:]))
        after, public = lstm(self.weights, memory, public)
        return after, dense(self.weights, "fc_a", own * public)


def load_obl(place: str, game: Game) -> Obl:
    """The network in a file, ready for `game`."""
    require_standard_game(f"obl:{place}", game, 2, 2)
    if Path(place).suffix == ".safetensors":
        weights = {name.removeprefix("params,"): tensor for name, tensor in read_safetensors(place)[0].items()}
    else:
        weights = {}
        for name, tensor in from_torch(place).items():
            layer, _, kind = name.rpartition(",")
            weights[f"{PUBLISHED.get(layer, layer)},{kind}"] = tensor
    hidden = weights["fc_a,kernel"].shape[0] if "fc_a,kernel" in weights else 512
    return Obl(checked(f"obl:{place}", weights, shapes(hidden), WHAT), Path(place).stem)


def shapes(hidden: int) -> dict[str, tuple[int, ...]]:
    """What such a file holds."""
    inputs = {"priv_net_dense_0": INPUTS, "priv_net_dense_1": hidden, "priv_net_dense_2": hidden}
    inputs |= {"publ_net_dense_0": INPUTS - PRIVATE}
    heads = dense_shapes({"fc_a": hidden}, ACTIONS)
    return dense_shapes(inputs, hidden) | lstm_shapes(LAYERS, hidden) | heads
