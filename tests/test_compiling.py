"""What is compiled in haste gives the same numbers, wherever it is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay import compiling as module
from coplay.compiling import quick_jit


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What was found out about the compiler is found out again, before and after."""
    module.quick_options.cache_clear()
    yield
    module.quick_options.cache_clear()


def scaled(factor: int, values: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """With an argument that is no array, as games and seats are."""
    return {name: jnp.cumsum(value) * factor for name, value in values.items()}


def test_the_numbers_are_those_of_the_function_itself():
    values = {"a": jnp.arange(5), "b": jnp.linspace(0, 1, 7)}
    jax.tree.map(np.testing.assert_array_equal, quick_jit(scaled)(3, values), scaled(3, values))


def test_options_that_the_compiler_does_not_know_are_left_out(forgotten, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_OPTIONS", {"xla_no_such_option": True})
    assert module.quick_options() is None
    assert int(quick_jit(lambda number: number + 1)(jnp.int32(1))) == 2


def test_other_devices_are_left_alone(forgotten, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert module.quick_options() is None


def test_whoever_wants_no_optimization_gets_none(forgotten):
    assert jax.config.read("jax_disable_most_optimizations")  # as all tests do
    assert module.quick_options() == {"xla_cpu_use_fusion_emitters": False}


RECORDED = [
    "worlds/hanabi/test_reference.py::test_every_bit_of_every_seat_agrees_with_the_reference_engine[hle_full2p]",
    "worlds/overcooked/test_golden.py::test_a_recorded_episode_replays[cramped_room__oai_old]",
]


def test_games_compiled_as_users_compile_them_are_the_recorded_ones():
    """The other tests compile in haste; these once more as everybody else does."""
    tests = [str(Path(__file__).parent / name) for name in RECORDED]
    as_usual = {"XLA_FLAGS": "", "JAX_DISABLE_MOST_OPTIMIZATIONS": "false", "PYTEST_ADDOPTS": ""}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests],
        env={**os.environ, **as_usual},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    assert "2 passed" in ran.stdout
