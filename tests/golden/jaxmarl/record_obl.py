"""What JaxMARL's OBL module makes of drawn weights and observations: obl.npz. Runs where flax is, not here:

python record_obl.py PATH_TO_JAXMARL_SRC obl.npz      (PATH holds the folder jaxmarl/: the unpacked wheel 0.2.0)
"""

import sys
import zlib
from importlib.machinery import SourceFileLoader

import jax
import jax.numpy as jnp
import numpy as np

GAMES, TURNS, INPUTS, PRIVATE = 10, 100, 658, 125


def obl_agent(source):
    """Its class without importing its environments."""
    if not hasattr(jax, "tree_map"):  # JAX has taken it away since
        jax.tree_map = jax.tree.map  # pyright: ignore[reportAttributeAccessIssue]
    place = f"{source}/jaxmarl/environments/hanabi/pretrained/obl_r2d2_agent.py"
    return SourceFileLoader("obl", place).load_module().OBLAgentR2D2()


def main(source, file):
    from flax.traverse_util import flatten_dict, unflatten_dict  # pyright: ignore[reportMissingImports]

    agent = obl_agent(source)
    carry = agent.initialize_carry(jax.random.key(0), (GAMES,))
    seen = (jnp.zeros((GAMES, INPUTS)), jnp.zeros((GAMES, INPUTS - PRIVATE)))
    shapes = flatten_dict(jax.eval_shape(agent.init, jax.random.key(0), carry, seen), sep=",")
    weights = {}
    for name, leaf in shapes.items():
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        weights[name] = (rng.standard_normal(leaf.shape) / np.sqrt(leaf.shape[0])).astype(np.float32)
    params = unflatten_dict(weights, sep=",")
    observations = (np.random.default_rng(0).random((TURNS, GAMES, INPUTS)) < 0.2).astype(np.float32)
    advantages = []
    with jax.default_matmul_precision("highest"):
        for one in observations:
            carry, worth = agent.apply(params, carry, (one, one[..., PRIVATE:]))
            advantages.append(np.asarray(worth))
    np.savez_compressed(file, advantages=np.stack(advantages))


if __name__ == "__main__":
    main(*sys.argv[1:])
