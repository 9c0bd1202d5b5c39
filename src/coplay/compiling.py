"""Compiled programs: a jit for those that are compiled for longer than they run, and where they are kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
from jax.experimental.compilation_cache.compilation_cache import reset_cache

# Of XLA's two ways to write code for a CPU the older one, and LLVM's next to last level: two thirds of the time, and
# what they make of the rules, the scripted agents and the networks runs as fast and gives the same numbers.
_LEVEL = "xla_backend_optimization_level"
_OPTIONS = {"xla_cpu_use_fusion_emitters": False, _LEVEL: 2}


def quick_jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """`equinox.filter_jit`, quicker to compile on a CPU."""

    @cache
    def compiled() -> Callable[..., Any]:  # made at the first call: importing a module must not start a device
        return eqx.filter_jit(function, compiler_options=quick_options())  # pyright: ignore[reportCallIssue]

    @wraps(function)
    def call(*args: Any) -> Any:
        return compiled()(*args)

    return call


@cache
def quick_options() -> dict[str, Any] | None:
    """None where they do not apply: on other devices, and where XLA no longer knows them."""
    if jax.default_backend() != "cpu":
        return None
    options = dict(_OPTIONS)
    if jax.config.read("jax_disable_most_optimizations"):
        options.pop(_LEVEL, None)  # whoever wants no optimization at all gets none
    try:
        jax.jit(lambda: 0, compiler_options=options)()
    except jax.errors.JaxRuntimeError:
        return None
    return options


@cache
def keep_compiled() -> None:
    """Keeps compiled programs between runs, unless the user has said where: the second run starts in a moment."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "coplay" / "compiled"
    for name, value in (
        ("JAX_COMPILATION_CACHE_DIR", str(folder)),
        ("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3"),
    ):
        if name not in os.environ:
            os.environ[name] = value  # for processes that this one starts
            jax.config.update(name.lower(), value if name.endswith("DIR") else float(value))
            reset_cache()  # a program that compiled before has looked for a cache already
