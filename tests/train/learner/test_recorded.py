"""Holding a learner near a reference on recorded games."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import entropy

from coplay.nets.network import Network
from coplay.train.clone import Lessons, log_probs
from coplay.train.learner.recorded import KLOnGames
from tests.train.toy import Toy, design, quick, random_network

GAME: Any = Toy()
assert len(GAME.symmetries) == 2  # made here, not inside a compiled function
SHAPE = design(GAME, cell="gru")
REFERENCE, LEARNER = (random_network(SHAPE, seed=seed) for seed in (5, 6))
GAMES, TURNS = 6, 4


def lessons(same: bool) -> Lessons:
    """Recorded games of the toy, one row per turn; the games all alike or each different, the last turn unrecorded."""
    random = np.random.default_rng(1)
    shape = (1 if same else GAMES, TURNS, 1)
    seen = random.integers(0, 3, (*shape, *GAME.observation_shape), dtype=np.uint8)
    seen[..., GAME.players : GAME.players + 4] = 0  # the mirror changes nothing
    legal = np.ones((*shape, GAME.num_actions), bool)
    action = random.integers(0, GAME.num_actions, shape)
    counts = np.broadcast_to(np.arange(TURNS)[:, None] < TURNS - 1, shape)
    seen, legal, action, counts = (jnp.asarray(part) for part in (seen, legal, action, counts))
    parts = Lessons(seen, legal, action, counts, jnp.full(shape[0], TURNS - 1))
    return jax.tree.map(lambda leaf: jnp.repeat(leaf, GAMES // leaf.shape[0], axis=0), parts)


@quick
def distance(term: KLOnGames, network: Network, turns: Any) -> Any:
    nothing: Any = None  # neither the rows of the rollout nor their logits are looked at
    return term.loss(network, nothing, nothing, turns)


def test_it_is_the_divergence_from_the_reference_over_recorded_decisions():
    found = lessons(same=False)
    got = float(distance(KLOnGames(REFERENCE, found, GAMES, GAME), LEARNER, jnp.float32(0)))
    theirs, mine = (np.exp(np.asarray(log_probs(GAME, network, found))) for network in (REFERENCE, LEARNER))
    kept = np.asarray(found.counts)
    right, reverse = (
        np.mean([entropy(*pair) for pair in zip(p[kept], q[kept], strict=True)])
        for p, q in ((theirs, mine), (mine, theirs))
    )
    assert got == pytest.approx(right, rel=1e-4)
    assert got != pytest.approx(reverse, rel=0.02)


def test_there_is_none_between_a_reference_and_itself():
    term = KLOnGames(REFERENCE, lessons(same=False), GAMES, GAME)
    assert float(distance(term, REFERENCE, jnp.float32(0))) == pytest.approx(0, abs=1e-6)


def test_every_rollout_draws_other_games_and_the_same_again_when_repeated():
    term = KLOnGames(REFERENCE, lessons(same=False), 2, GAME)
    found = [float(distance(term, LEARNER, jnp.float32(turns))) for turns in (0, 128, 256, 0)]
    assert len(set(found[:3])) > 1
    assert found[3] == found[0]
    alike = KLOnGames(REFERENCE, lessons(same=True), 2, GAME)
    same = [float(distance(alike, LEARNER, jnp.float32(turns))) for turns in (0, 128, 256)]
    assert same == pytest.approx([same[0]] * 3, rel=1e-5)
