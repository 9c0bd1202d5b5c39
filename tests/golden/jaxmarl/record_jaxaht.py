"""Small runs as JaxAHT saves them with Orbax, and what Flax's own layers make of their networks. Runs where both are:

python record_jaxaht.py FOLDER

The networks are stated here from the published description, with Flax's layers: two dense layers (IPPO and the
populations, whose critics are part of them), and a GRU between dense layers. They are narrower than the published ones
(64). Recorded with JaxAHT's versions: jax 0.5.3, flax 0.10.2, orbax-checkpoint 0.11.1.
"""

import sys
from pathlib import Path

import flax.linen as nn  # pyright: ignore[reportMissingImports]
import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint  # pyright: ignore[reportMissingImports]
from flax.training import orbax_utils  # pyright: ignore[reportMissingImports]

STEPS, INPUTS, ACTIONS, WIDE = 20, 5 * 4 * 26, 6, 8


def heads(x, outputs, layers):
    """Flax numbers layers in the order in which they are made: the actor's come before the critic's."""
    for _ in range(layers):
        x = nn.tanh(nn.Dense(WIDE)(x))
    return nn.Dense(outputs)(x)


class Feed(nn.Module):
    """An actor, then a critic that hears who its partner is, as those of populations do."""

    @nn.compact
    def __call__(self, carry, x):
        logits = heads(x, ACTIONS, 2)
        heads(jnp.concatenate([x, jnp.zeros(3)]), 1, 2)
        return carry, logits


class ScannedRNN(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        return nn.GRUCell(features=WIDE)(carry, x)


class Gated(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        entering = nn.tanh(nn.Dense(WIDE)(x))
        carry, shown = ScannedRNN()(carry, entering)
        logits = heads(shown, ACTIONS, 1)
        heads(shown, 1, 1)
        return carry, logits


def run(folder, name, network, axes, seen):
    """Saves a run with as many networks as the axes say, and answers for the last one."""
    count = int(np.prod(axes))
    start = jnp.zeros(WIDE)
    keys = jax.random.split(jax.random.key(len(name)), count)
    each = [network.init(key, start, seen[0]) for key in keys]
    each = [jax.tree.map(lambda leaf: leaf + 0.05, one) for one in each]  # biases, which are drawn as zeros
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves).reshape(*axes, *leaves[0].shape), *each)
    out = {"final_params_conf" if len(axes) > 1 else "final_params": stacked, "metrics": {"loss": jnp.arange(4.0)}}
    target = folder / name / "saved_train_run"
    orbax.checkpoint.PyTreeCheckpointer().save(target, out, save_args=orbax_utils.save_args_from_target(out))
    for extra in ("_sharding", "ocdbt.process_0/manifest.ocdbt"):  # not needed to read it
        (target / extra).unlink()
    carry, answers = start, []
    for step in seen:
        carry, logits = network.apply(each[-1], carry, step)
        answers.append(logits)
    return np.stack(answers)


def main():
    folder = Path(sys.argv[1]).resolve()
    seen = (jax.random.uniform(jax.random.key(0), (STEPS, INPUTS)) < 0.1).astype(jnp.float32)
    with jax.default_matmul_precision("highest"):
        answers = {
            "ippo": run(folder, "ippo", Feed(), (2,), seen),
            "brdiv": run(folder, "brdiv", Feed(), (1, 2), seen),
            "rnn": run(folder, "rnn", Gated(), (2,), seen),
        }
    answers["seen"] = np.asarray(seen, np.uint8)
    np.savez_compressed(folder / "answers.npz", **answers)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    main()
