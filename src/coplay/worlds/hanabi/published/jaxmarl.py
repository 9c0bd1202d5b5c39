"""Actors that JaxMARL, AH2AC2 and JaxAHT trained in Hanabi: `jaxmarl:FILE`, safetensors, pickles, folders of Orbax.

Three networks, told apart by their layers: JaxMARL's feed-forward IPPO (AH2AC2's `ippo` and `br_bc`, too), its
recurrent IPPO (a GRU; AH2AC2's `fcp`), and AH2AC2's clones of people and what it trained from them (`bc`, `hdr_ippo`:
an LSTM between normalised layers). They read the view as JaxMARL encodes it. The likeliest action is taken, as in
AH2AC2's evaluation; `greedy=false` draws it, as in training.
"""

from __future__ import annotations

import re
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.nets.actors import (
    ACTIVATIONS,
    Activation,
    Feed,
    Gated,
    Weights,
    checked,
    dense,
    feed,
    gated,
    in_a_row,
    read_run,
    sizes_of,
)
from coplay.nets.file import read_safetensors
from coplay.nets.pickle_file import read_pickle
from coplay.player import AgentError
from coplay.worlds.hanabi.bots.standard_game import require_standard_game
from coplay.worlds.hanabi.encode import jaxmarl, sections
from coplay.worlds.hanabi.published.parts import Memory, blank, lstm, lstm_shapes
from coplay.worlds.hanabi.view import View

Array = jax.Array

WHAT = "These are actors of JaxMARL's IPPO for Hanabi, of AH2AC2 and of JaxAHT."
CELL = re.compile(r"(?:\w+,)*\w*?(GRU|Lstm|LSTM)Cell\w*_(\d+),([ih][rzifgon]),(kernel|bias)")
PICKLES = {".pkl", ".pickle"}
EPSILON = 1e-6  # of Flax's normalisation


class Normed(eqx.Module):
    """Normalised dense layers, an LSTM, dense layers and the head."""

    weights: Weights
    before: int = eqx.field(static=True)
    memories: int = eqx.field(static=True)
    after: int = eqx.field(static=True)
    activation: Activation = eqx.field(static=True)

    def start(self) -> Memory:
        return blank(self.weights, self.memories)

    def __call__(self, memory: Memory, x: Array) -> tuple[Memory, Array]:
        act = ACTIVATIONS[self.activation]
        for layer in range(self.before):
            x = act(self._normed(layer, dense(self.weights, f"Dense_{layer}", x)))
        memory, x = lstm(self.weights, memory, x)
        for layer in range(self.before, self.before + self.after):
            x = act(dense(self.weights, f"Dense_{layer}", x))
        return memory, dense(self.weights, f"Dense_{self.before + self.after}", x)

    def _normed(self, layer: int, x: Array) -> Array:
        centred = x - x.mean()
        scale, bias = (self.weights[f"LayerNorm_{layer},{kind}"] for kind in ("scale", "bias"))
        return centred / jnp.sqrt((centred**2).mean() + EPSILON) * scale + bias


class JaxMarl(eqx.Module):
    """A published actor as a policy."""

    network: Feed | Gated | Normed
    name: str = eqx.field(static=True)
    greedy: bool = eqx.field(static=True)
    hears = "every"

    def start(self) -> Array | Memory | tuple[()]:
        return self.network.start()

    def act(self, memory: Array | Memory, view: View, key: Array) -> tuple[Array | Memory | tuple[()], Array]:
        memory, logits = self.network(memory, jaxmarl(view))  # pyright: ignore[reportArgumentType]
        legal = view.legal
        logits = jnp.where(legal, logits[: legal.size], -jnp.inf)
        # Off turn nothing is legal, and nothing is drawn.
        drawn = jax.random.categorical(key, jnp.where(legal.any(), logits, 0.0))
        return memory, (jnp.argmax(logits) if self.greedy else drawn).astype(jnp.int32)


def load_jaxmarl(
    place: str, game: Game, *, greedy: bool = True, activation: Activation | None = None, key: str = "", at: str = ""
) -> JaxMarl:
    """The actor in a file, ready for `game`; of a run of JaxAHT, a folder, the one at `at` among those called `key`.

    AH2AC2's networks with an LSTM have their activation in a .yaml file beside, the others ReLU; `activation` says it
    where it is another.
    """
    label = f"jaxmarl:{place}"
    require_standard_game(label, game, 2, 5)
    found = read_run(label, place, key, at) if Path(place).is_dir() else _read(label, place)
    inputs = sum(sections(game).values())  # pyright: ignore[reportArgumentType]
    seen = found["Dense_0,kernel"].shape
    if len(seen) != 2 or seen[0] != inputs:
        raise AgentError(
            f"{label}: its first layer has shape {seen}, but with {game.players} players it reads {inputs} entries; "
            "make the game with the number of players it was trained with."
        )
    sizes, actions = sizes_of(found, inputs), game.num_actions + 1
    if any(name.startswith("lstm,") for name in found):
        network = _normed(label, found, sizes, actions, activation or _beside(label, Path(place)))
    elif any(name.startswith("gru,") for name in found):
        network = gated(label, found, sizes, actions, WHAT, activation or "relu")
    else:
        network = feed(label, found, sizes, actions, WHAT, activation or "relu")
    return JaxMarl(network, Path(place).stem, greedy)


def _read(label: str, place: str) -> dict[str, np.ndarray]:
    pickled = Path(place).suffix in PICKLES
    return _actor(label, _below_params(read_pickle(place)) if pickled else read_safetensors(place)[0])


def _below_params(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Whatever the parameters lie in (a runner's state, a dictionary of agents) is left out."""
    return {"params," + name.rpartition("params,")[2]: one for name, one in found.items()}


def _actor(label: str, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The layers of the actor by short names: memories are called as in parts.py."""
    actor = {name.removeprefix("params,actor,"): one for name, one in found.items() if name.startswith("params,actor,")}
    layers = actor or {name.removeprefix("params,"): one for name, one in found.items()}
    named: dict[str, np.ndarray] = {}
    cells = sorted({cell[2] for cell in map(CELL.fullmatch, layers) if cell is not None}, key=int)
    for name, one in layers.items():
        cell = CELL.fullmatch(name)
        if cell is None:
            named[name] = one
        elif cell[1] == "GRU":
            named[f"gru,{cell[3]},{cell[4]}"] = one
        else:
            named[f"lstm,l{cells.index(cell[2])},{cell[3]},{cell[4]}"] = one
    if "Dense_0,kernel" not in named:
        raise AgentError(f"{label}: it has no layer Dense_0 but {', '.join(sorted(named)[:4])} ... {WHAT}")
    return named


def _normed(label: str, found: dict[str, np.ndarray], sizes: list[int], actions: int, activation: Activation) -> Normed:
    before = len([name for name in found if re.fullmatch(r"LayerNorm_\d+,scale", name)])
    layers = len({name.split(",")[1] for name in found if name.startswith("lstm,")})
    kernels = [found.get(f"lstm,l{layer},hi,kernel", np.zeros(0)).shape[0] for layer in range(layers)]
    if len(set(kernels)) != 1 or before < 1 or before >= len(sizes) - 1:
        raise AgentError(f"{label}: its memories have sizes {kernels}; only memories of one size are read. {WHAT}")
    (hidden,) = set(kernels)
    shapes = in_a_row(sizes[: before + 1], sizes[before])
    shapes |= {
        f"LayerNorm_{layer},{kind}": (sizes[layer + 1],) for layer in range(before) for kind in ("scale", "bias")
    }
    shapes |= lstm_shapes(layers, hidden, inputs=sizes[before])
    shapes |= in_a_row([hidden, *sizes[before + 1 :]], actions, first=before)
    return Normed(checked(label, found, shapes, WHAT), before, layers, len(sizes) - 2 - before, activation)


def _beside(label: str, path: Path) -> Activation:
    """The activation in the settings that AH2AC2 keeps beside its weights."""
    settings = path.with_suffix(".yaml")
    said = re.search(r"^\s*act_fn:\s*['\"]?(\w+)", settings.read_text(), re.MULTILINE) if settings.is_file() else None
    if said is None:
        raise AgentError(
            f"{label}: its activation stands in {settings.name}, which should lie beside it; or say it, "
            "?activation=gelu, which AH2AC2's published networks have."
        )
    return "gelu" if said[1] == "gelu" else "relu"  # as there: whatever is not known is relu
