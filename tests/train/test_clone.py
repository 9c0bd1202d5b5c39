"""Lessons for networks without a memory."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from coplay.train.clone import Lessons, in_stretches


def test_stretches_hold_every_decision_once_and_nothing_beyond_the_end():
    turns = np.asarray([5, 3, 8])
    action = np.arange(3 * 8 * 2).reshape(3, 8, 2)
    counts = np.broadcast_to((np.arange(8) < turns[:, None])[..., None], action.shape)
    whole = Lessons(*map(jnp.asarray, (action[..., None], counts[..., None], action, counts, turns)))
    cut = in_stretches(whole, 3)
    assert cut.turns.tolist() == [3, 2, 3, 3, 3, 2]
    assert cut.observation.shape == (6, 3, 2, 1)
    np.testing.assert_array_equal(np.sort(cut.action[cut.counts]), np.sort(action[counts]))
    np.testing.assert_array_equal(np.asarray(cut.counts).any(-1).sum(1), cut.turns)
