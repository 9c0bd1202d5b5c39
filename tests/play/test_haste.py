"""What is compiled in haste gives the same numbers, wherever it is compiled."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.play import haste
from coplay.play.haste import hasty_jit


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What was found out about the compiler is found out again, before and after."""
    haste._options.cache_clear()
    yield
    haste._options.cache_clear()


def scaled(factor: int, values: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """With an argument that is no array, as games and seats are."""
    return {name: jnp.cumsum(value) * factor for name, value in values.items()}


def test_the_numbers_are_those_of_the_function_itself():
    values = {"a": jnp.arange(5), "b": jnp.linspace(0, 1, 7)}
    jax.tree.map(np.testing.assert_array_equal, hasty_jit(scaled)(3, values), scaled(3, values))


def test_options_that_the_compiler_does_not_know_are_left_out(forgotten, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(haste, "_OPTIONS", {"xla_no_such_option": True})
    assert haste._options() is None
    assert int(hasty_jit(lambda number: number + 1)(jnp.int32(1))) == 2


def test_other_devices_are_left_alone(forgotten, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert haste._options() is None
