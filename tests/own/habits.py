"""Two players of the smallest Hanabi whom anyone can tell apart by any single move of theirs."""

import equinox as eqx
import jax.numpy as jnp

DISCARD, PLAY, HINT = 0, 2, 4  # the first action of each kind, with two cards in hand
TOKENS = 3  # with all of them nothing may be discarded


class Habit(eqx.Module):
    """Always plays its first card, or never plays one."""

    plays: bool = True
    name = "habit"
    hears = "own"

    def start(self):
        return None

    def act(self, memory, view, key):
        return memory, jnp.int32(PLAY) if self.plays else jnp.where(view.info < TOKENS, DISCARD, HINT)
