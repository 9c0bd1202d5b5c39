"""Football is what it was: states, what steps tell and observations equal recorded ones, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.worlds.football import encode, pitch
from coplay.worlds.football.actions import SCALE
from tests.golden.football.record import MATCHES, SPECS, flat, seen
from tests.worlds.football.matches import small

RECORDED = np.load(Path(__file__).parents[2] / "golden" / "football" / "matches.npz")


@pytest.mark.parametrize("name", SPECS)
def test_matches_go_as_they_were_recorded(name):
    """Among the actions are illegal ones, after which nothing happens, and there are some after the end."""
    game = small(SPECS[name])

    def turn(states: Any, actions: Any) -> Any:
        after = jax.vmap(game.step)(states, actions)
        return after.state, (flat(after), seen(game, after.state))

    start = jax.vmap(game.reset)(jax.random.split(jax.random.key(7), MATCHES[name]))
    np.testing.assert_array_equal(flat(start), RECORDED[f"{name}_start"])
    actions = jnp.asarray(RECORDED[f"{name}_actions"], jnp.int32)
    steps, observations = jax.jit(lambda start: jax.lax.scan(turn, start, actions)[1])(start)
    np.testing.assert_array_equal(steps, RECORDED[f"{name}_steps"])
    np.testing.assert_array_equal(observations, RECORDED[f"{name}_observations"])


FULLS = (2 * pitch.LENGTH, pitch.WIDTH, 10 * pitch.METRE, encode.RUNNING, pitch.SHOT_SPEED, SCALE, encode.FULL, 5, 1)


@pytest.mark.parametrize("full", FULLS)
def test_the_encodings_arithmetic_is_a_division(full):
    number = np.arange(-2 * full, 2 * full + 1, dtype=np.int64)
    shown = np.minimum(np.maximum(number * encode.times(full), 0) >> encode.SHIFT, encode.FULL)
    np.testing.assert_array_equal(shown, np.clip(number * encode.FULL // full, 0, encode.FULL))
    assert 2 * (pitch.LENGTH + 2 * pitch.MARGIN) * encode.times(pitch.WIDTH) < 2**31, "it fits into 32 bits"
