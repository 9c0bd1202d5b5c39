"""Timing compiled loops: warm up once, then take the best of several runs (the others met noise)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax


class Timing(NamedTuple):
    compile_seconds: float
    seconds: float  # wall clock of the best run
    cpu_seconds: float  # processor time of that run, all threads
    result: Any


def measure(function: Callable[..., Any], *arguments: Any, repeats: int = 3) -> Timing:
    """Compiles `function`, runs it once to warm up, then `repeats` times."""
    begun = time.perf_counter()
    compiled = jax.jit(function).lower(*arguments).compile()
    compile_seconds = time.perf_counter() - begun
    result = jax.block_until_ready(compiled(*arguments))
    runs = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        result = jax.block_until_ready(compiled(*arguments))
        runs.append((time.perf_counter() - wall, time.process_time() - cpu))
    seconds, cpu_seconds = min(runs)
    return Timing(compile_seconds, seconds, cpu_seconds, result)
