"""Small files as JaxMARL and AH2AC2 write them, and what Flax's own layers make of them. Runs where flax is, not here:

python record_actors.py FOLDER

The networks are stated here from the published descriptions, with Flax's layers: dense layers (feed-forward IPPO), a
GRU between dense layers (recurrent IPPO), and AH2AC2's normalised layers, LSTM and head. They are narrower than the
published ones.
"""

import sys
import zlib
from pathlib import Path

import flax.linen as nn  # pyright: ignore[reportMissingImports]
import jax
import jax.numpy as jnp
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict  # pyright: ignore[reportMissingImports]
from safetensors.numpy import save_file

TURNS, INPUTS, ACTIONS, HIDDEN = 30, 658, 21, 8


def heads(x, width):
    """The actor's layers, then the critic's: Flax numbers layers in the order in which they are made."""
    own = nn.relu(nn.Dense(width)(x))
    logits = nn.Dense(ACTIONS)(own)
    critic = nn.relu(nn.Dense(HIDDEN)(x))
    nn.Dense(1)(critic)
    return logits


class Feed(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        return carry, heads(nn.relu(nn.Dense(HIDDEN)(x)), HIDDEN)


class ScannedRNN(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        return nn.GRUCell(features=HIDDEN, name="GRUCell_1")(carry, x)


class Gated(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        entering = nn.relu(nn.Dense(HIDDEN)(x))
        carry, shown = ScannedRNN()(carry, entering)
        return carry, heads(shown, 6)


class LstmCellWithHiddenStateReset(nn.OptimizedLSTMCell):
    """Named as AH2AC2's, whose files have this name in them."""


class Normed(nn.Module):
    @nn.compact
    def __call__(self, carry, x):
        x = nn.Dense(12)(x)
        x = nn.gelu(nn.LayerNorm()(x))
        cell = nn.scan(
            LstmCellWithHiddenStateReset,
            variable_broadcast="params",
            in_axes=0,
            out_axes=0,
            split_rngs={"params": False},
        )
        after = []
        for one in carry:
            one, x = cell(HIDDEN)(one, x[None] if x.ndim == 1 else x)
            x = x[0]
            after.append(one)
        x = nn.gelu(nn.Dense(5)(x))
        return tuple(after), nn.Dense(ACTIONS)(x)


class Whole(nn.Module):
    """AH2AC2's HDR-IPPO: the actor has a name of its own."""

    @nn.compact
    def __call__(self, carry, x):
        return Normed(name="actor")(carry, x)


def played(module, params, carry, seen):
    with jax.default_matmul_precision("highest"):
        return jax.lax.scan(lambda now, x: module.apply(params, now, x), carry, seen)[1]


def main(folder):
    nothing = jnp.zeros(HIDDEN)
    seen = (np.random.default_rng(0).random((TURNS, INPUTS)) < 0.2).astype(np.float32)
    answers = {"seen": seen}
    networks = {
        "ippo_ff": (Feed(), (), "params,"),
        "ippo_rnn": (Gated(), nothing, "params,"),
        "bc": (Normed(), ((nothing, nothing),), ""),
        "hdr_ippo": (Whole(), ((nothing, nothing), (nothing, nothing)), "params,"),
    }
    for name, (module, carry, prefix) in networks.items():
        shapes = flatten_dict(jax.eval_shape(module.init, jax.random.key(0), carry, jnp.asarray(seen[0])), sep=",")
        weights = {}
        for layer, leaf in shapes.items():
            rng = np.random.default_rng(zlib.crc32(f"{name} {layer}".encode()))
            weights[layer] = (rng.standard_normal(leaf.shape) / np.sqrt(leaf.shape[0])).astype(np.float32)
        params = unflatten_dict(weights, sep=",")
        answers[name] = played(module, params, carry, jnp.asarray(seen))
        save_file(
            {prefix + layer.removeprefix("params,"): one for layer, one in weights.items()},
            folder / f"{name}.safetensors",
        )
    (folder / "bc.yaml").write_text("preprocessing_features:\n- 12\nact_fn: gelu\ndropout: 0.5\n")
    (folder / "hdr_ippo.yaml").write_text("network:\n  act_fn: gelu\n  dropout: 0.5\n")
    np.savez_compressed(folder / "actors.npz", **answers)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
