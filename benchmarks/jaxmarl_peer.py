"""JaxMARL in a benchmark: single environments without its dependencies, and its training scripts with them.

    pip download --no-deps jaxmarl==0.2.0 && unzip jaxmarl-0.2.0-*.whl -d PEER

The package's own __init__ pulls in every environment; empty stand-ins with the right search path avoid that. Of
flax the environments use only `struct.dataclass`, replaced here by a pytree dataclass where flax is not installed.

A training script (`baselines/IPPO/ippo_*.py` of its repository, not in the wheel) needs the whole package, flax and
distrax. It is a file with `make_train(config)`; what follows the training, and who is told, is not run.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import sys
import time
import types
from pathlib import Path
from typing import Any

import jax


@functools.cache
def load(peer: str, environment: str) -> Any:
    """The module `jaxmarl.environments.<environment>` of the wheel unpacked in `peer`."""
    root = Path(peer)
    if not (root / "jaxmarl" / "environments" / environment.split(".")[0]).is_dir():
        raise SystemExit(f"--peer {peer}: no jaxmarl/environments/{environment} there; unpack the jaxmarl wheel first.")
    for name in ("jaxmarl", "jaxmarl.environments"):
        module = types.ModuleType(name)
        module.__path__ = [str(root / name.replace(".", "/"))]
        sys.modules[name] = module
    if importlib.util.find_spec("flax") is None:
        flax, struct = types.ModuleType("flax"), types.ModuleType("flax.struct")
        struct.dataclass, struct.field, struct.PyTreeNode = _dataclass, _field, object  # pyright: ignore
        flax.struct = struct  # pyright: ignore
        sys.modules.update({"flax": flax, "flax.struct": struct})
    return importlib.import_module(f"jaxmarl.environments.{environment}")


def _field(pytree_node: bool = True, **settings: Any) -> Any:
    return dataclasses.field(metadata={"static": not pytree_node}, **settings)


def _dataclass(cls: type) -> type:
    made = dataclasses.dataclass(frozen=True)(cls)
    made.replace = lambda self, **changes: dataclasses.replace(self, **changes)  # pyright: ignore
    return jax.tree_util.register_dataclass(made)


def trained(script: str, config: dict[str, Any], seeds: int = 1) -> float:
    """Turns per second of all seeds of a training script together, compilation apart; seeds are one vmapped program,
    as its own `main` makes them."""
    spec = importlib.util.spec_from_file_location("peer", Path(script))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = dict(config)
    keys = jax.random.split(jax.random.key(0), seeds)
    train = jax.jit(jax.vmap(module.make_train(config))).lower(keys).compile()
    begun = time.perf_counter()
    jax.block_until_ready(train(keys))
    seconds = time.perf_counter() - begun
    update = config["NUM_ENVS"] * config["NUM_STEPS"]
    return seeds * (config["TOTAL_TIMESTEPS"] // update) * update / seconds
