"""The teammates of JaxAHT in kitchens (Overcooked-v1), folders that its runs saved with Orbax: `jaxaht:FOLDER?at=0`.

IPPO, BRDiv, LBRDiv, CoMeDi and FCP save one kind of actor: two dense layers of 64 with tanh over the whole kitchen, as
JaxMARL shows it; some runs have a GRU. A folder holds all networks of a run: `key` says which (`final_params`, of
populations `final_params_conf`; `checkpoints` are those on the way) and `at` which of these (a seed, a member of the
population, `2:-1` for the last checkpoint of seed 2). Actions are drawn; `greedy=true` takes the likeliest.
"""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game
from coplay.nets.actors import Activation, Feed, Gated, feed, gated, read_run, sizes_of
from coplay.player import AgentError
from coplay.worlds.overcooked import Overcooked, View
from coplay.worlds.overcooked.encode import jaxmarl

Array = jax.Array

WHAT = "Read are the actors of JaxAHT's IPPO, BRDiv, LBRDiv, CoMeDi and FCP: two dense layers, with a GRU or without."
LAYERS = 26  # that JaxMARL shows of every cell


class JaxAht(eqx.Module):
    """A teammate as a policy."""

    network: Feed | Gated
    name: str = eqx.field(static=True)
    greedy: bool = eqx.field(static=True)
    hears = "own"

    def start(self) -> Array | tuple[()]:
        return self.network.start()

    def act(self, memory: Array | tuple[()], view: View, key: Array) -> tuple[Array | tuple[()], Array]:
        memory, logits = self.network(memory, jaxmarl(view).astype(jnp.float32).reshape(-1))  # pyright: ignore
        chosen = jnp.argmax(logits) if self.greedy else jax.random.categorical(key, logits)
        return memory, chosen.astype(jnp.int32)


def load_jaxaht(
    place: str, game: Game, *, at: str = "", key: str = "", greedy: bool = False, activation: Activation = "tanh"
) -> JaxAht:
    """One network of a run, ready for `game`."""
    label = f"jaxaht:{place}"
    if not isinstance(game, Overcooked):
        other = " Those for Hanabi are read by jaxmarl:FOLDER." if game.name == "hanabi" else ""
        raise AgentError(f"{label}: these networks play overcooked, not {game.name}.{other}")
    if game.players != 2 or game.kitchen.places["T"] or game.dynamics != "old":
        raise AgentError(
            f'{label}: these networks play with 2 chefs, onions alone and dynamics="old", as JaxMARL\'s kitchens do.'
        )
    found = read_run(label, place, key, at)
    inputs, seen = game.kitchen.num_cells * LAYERS, found["Dense_0,kernel"].shape[0]
    if seen != inputs:
        kitchen = game.kitchen
        raise AgentError(
            f"{label}: it was trained in a kitchen of another size than {kitchen.name} with its {kitchen.width} x "
            f"{kitchen.height} cells ({seen} numbers instead of {inputs}); give the game the layout of its run."
        )
    sizes = sizes_of(found, inputs)
    build = gated if any(name.startswith("gru,") for name in found) else feed
    network = build(label, found, sizes, game.num_actions, WHAT, activation)
    return JaxAht(network, "-".join(filter(None, (Path(place).parent.name, key, at.replace(":", "-")))), greedy)
