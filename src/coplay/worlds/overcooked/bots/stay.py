"""A chef who never does anything: the weakest partner, and a piece of furniture to walk around."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game
from coplay.player import AgentError
from coplay.worlds.overcooked import Overcooked, View
from coplay.worlds.overcooked.rules import STAY

Array = jax.Array


class Stay(eqx.Module):
    """Always the action "stay"."""

    game: Game = eqx.field(static=True)
    name: str = eqx.field(static=True, default="stay")
    hears = "own"

    def __check_init__(self) -> None:
        if not isinstance(self.game, Overcooked):
            raise AgentError(f"stay plays overcooked, not {self.game.name}: no other game lets a player do nothing.")

    def start(self) -> None:
        return None

    def act(self, memory: None, view: View, key: Array) -> tuple[None, Array]:
        del view, key
        return memory, jnp.int32(STAY)
