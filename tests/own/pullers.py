"""Who pulls the rope of `tug.py`: a policy that runs inside compiled loops."""

import equinox as eqx
import jax.numpy as jnp


class Puller(eqx.Module):
    """Always as hard, and counts the turns."""

    force: int = 1
    name: str = "puller"
    hears: str = "every"

    def start(self):
        return jnp.int32(0)

    def act(self, memory, view, key):
        return memory + 1, jnp.int32(self.force)
