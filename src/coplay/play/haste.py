"""A jit for programs that are compiled for longer than they run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import equinox as eqx
import jax

# Of XLA's two ways to write code for a CPU the older one, and LLVM's next to last level: two thirds of the time, and
# what they make of the rules, the scripted agents and the networks runs as fast and gives the same numbers.
_OPTIONS = {"xla_cpu_use_fusion_emitters": False, "xla_backend_optimization_level": 2}


def hasty_jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """`equinox.filter_jit`, quicker to compile on a CPU."""

    @cache
    def compiled() -> Callable[..., Any]:  # made at the first call: importing a module must not start a device
        return eqx.filter_jit(function, compiler_options=_options())  # pyright: ignore[reportCallIssue]

    @wraps(function)
    def call(*args: Any) -> Any:
        return compiled()(*args)

    return call


@cache
def _options() -> dict[str, Any] | None:
    """None where they do not apply: on other devices, and where XLA no longer knows them."""
    if jax.default_backend() != "cpu":
        return None
    try:
        jax.jit(lambda: 0, compiler_options=_OPTIONS)()
    except jax.errors.JaxRuntimeError:
        return None
    return _OPTIONS
