"""Imports single environments of an unpacked `jaxmarl` wheel without its dependencies.

    pip download --no-deps jaxmarl==0.2.0 && unzip jaxmarl-0.2.0-*.whl -d PEER

The package's own __init__ pulls in every environment; empty stand-ins with the right search path avoid that. Of
flax the environments use only `struct.dataclass`, replaced here by a pytree dataclass where flax is not installed.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import sys
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
