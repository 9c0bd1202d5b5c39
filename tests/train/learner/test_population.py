"""What makes members of a population different, and players with a taste of their own."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.nets.policy import masked
from coplay.train.learner.partners import Block, Fellow, Partners, by_rank
from coplay.train.learner.population import PopulationEntropy, TrajectoryDivergence, log_mean
from coplay.train.learner.rollout import Rollout
from coplay.train.learner.rows import Layout
from coplay.train.learner.stage import Recorder
from coplay.train.learner.terms import Scene
from coplay.train.learner.wishes import EVENTS, Wished
from tests.train.toy import (
    Toy,
    collected,
    design,
    opened,
    quick,
    random_network,
    random_rollout,
    stack,
    stage_of,
)

GAME: Any = Toy(simultaneous=True)
GAMES, TURNS, MEMBERS = 3, 6, 3


def scene_of(*networks: Any, game: Any = GAME) -> Scene:
    return Scene(stage_of(game, learners=len(networks)), stack(*networks), jnp.float32(0))


def played(scene: Scene) -> Rollout:
    return random_rollout(GAME, TURNS, GAMES * scene.stage.learners, 2)


@quick
def prepared(term: Any, scene: Scene, memory: Any, rollout: Rollout) -> Any:
    return term.prepare(scene, memory, rollout)


def test_a_move_pays_what_it_is_unlikely_in_the_population():
    networks = [random_network(design(GAME), seed) for seed in range(MEMBERS)]
    scene = scene_of(*networks)
    rollout, term = played(scene), PopulationEntropy(0.5)
    _, after = prepared(term, scene, term.start(scene, GAMES * MEMBERS), rollout)
    rows = rollout.rows
    chances = []
    for network in networks:
        _, features = network.step((), rows.observation)
        told = jax.nn.softmax(masked(network.heads(features)[0], rows.legal))
        chances.append(np.take_along_axis(np.asarray(told), np.asarray(rows.action)[..., None], -1)[..., 0])
    bonus = np.asarray(after.flow.reward - rollout.flow.reward)
    learns = np.asarray(rows.learns)
    np.testing.assert_allclose(bonus[learns], -0.5 * np.log(np.mean(chances, 0))[learns], rtol=1e-4, atol=1e-5)
    assert not bonus[~learns].any()


def test_every_member_remembers_every_game():
    """With a memory, what a member would do depends on the turns before, also of games that it did not play."""
    networks = [random_network(design(GAME, cell="gru"), seed) for seed in range(2)]
    scene = scene_of(*networks)
    rollout, term = played(scene), PopulationEntropy(1.0)
    empty = term.start(scene, GAMES * 2)
    memory, _ = prepared(term, scene, empty, rollout)
    _, again = prepared(term, scene, memory, rollout)
    _, anew = prepared(term, scene, empty, rollout)
    early = ~np.asarray(rollout.rows.fresh)[0] & np.asarray(rollout.rows.learns)[0]
    assert np.abs(np.asarray(again.flow.reward - anew.flow.reward)[0][early]).max() > 1e-4


def divergence(networks: list[Any], kernel: float) -> float:
    scene = scene_of(*networks)
    layout = scene.layout
    rollout, term = played(scene), TrajectoryDivergence(kernel, layout)
    _, after = prepared(term, scene, term.start(scene, GAMES * len(networks)), rollout)
    own = random_network(design(GAME), 0)
    _, features = own.step((), rollout.rows.observation)
    logits = masked(own.heads(features)[0], rollout.rows.legal)
    return float(term.loss(own, after.rows, logits, jnp.float32(0)))


@pytest.mark.parametrize("kernel", [0.0, 0.5, 1.0])
def test_identical_members_do_not_diverge(kernel: float):
    same = [random_network(design(GAME), 0)] * MEMBERS
    assert divergence(same, kernel) == pytest.approx(0, abs=1e-5)
    other = [random_network(design(GAME), seed) for seed in range(MEMBERS)]
    assert abs(divergence(other, kernel)) > 1e-3


def test_moves_near_by_count_and_games_are_kept_apart():
    """The sum over a game of gaps, less by the kernel for every decision between, by hand."""
    rng = np.random.default_rng(0)
    gap = rng.normal(size=(8, 1, 2, 2))
    fresh = np.zeros((8, 1, 2, 1), bool)
    fresh[[0, 5]] = True
    term = TrajectoryDivergence(0.5, Layout("seats", 2, simultaneous=True))
    found = np.asarray(term._spread(jnp.asarray(gap), jnp.asarray(fresh)))
    for t in range(8):
        game = range(5) if t < 5 else range(5, 8)
        np.testing.assert_allclose(found[t], sum(0.5 ** abs(t - u) * gap[u] for u in game), atol=1e-5)


def test_the_mean_of_likelihoods_is_taken_before_the_logarithm():
    assert float(log_mean(jnp.log(jnp.asarray([0.2, 0.6])))) == pytest.approx(np.log(0.4))


def taste(game: Any, state: Any, actions: Any, step: Any) -> Any:
    """Two events per seat: it said 0; it said 1."""
    return (actions[:, None] == jnp.arange(2)).astype(jnp.uint8)


@pytest.mark.parametrize(("simultaneous", "players"), [(True, 2), (False, 3)])
def test_each_learner_is_paid_for_its_own_events_by_its_own_taste(simultaneous: bool, players: int):
    game: Any = Toy(players=players, simultaneous=simultaneous)
    pairs = Partners((Block((Fellow((1, 0)),) * (players - 1), 2 * 6, copies=2),))
    stage = stage_of(game, learners=2, partners=pairs, record=(Recorder(EVENTS, taste),))
    networks = stack(*[random_network(design(game), seed) for seed in range(2)])
    _, rollout, _ = collected(stage, networks, opened(stage, networks, 6, jax.random.key(0)), 6)
    term = Wished(jnp.asarray([[10.0, -20.0], [0.0, 0.0]]), jnp.asarray([0.1, 1.0]))
    _, after = term.prepare(Scene(stage, networks, jnp.float32(0)), (), rollout)
    layout, rows = stage.layout(networks.design), rollout.rows
    pay = np.asarray(layout.to_rows(after.flow.reward, rows.learns))
    before = np.asarray(layout.to_rows(rollout.flow.reward, rows.learns))
    said, learns = np.asarray(rows.action), np.asarray(rows.learns)
    half = rows.action.shape[1] // 2
    liked = np.select([said == 0, said == 1], [10.0, -20.0], 0.0)
    first, second = (slice(0, half), slice(half, None))
    np.testing.assert_allclose(
        pay[:, first][learns[:, first]], (0.1 * before + liked)[:, first][learns[:, first]], atol=1e-5
    )
    np.testing.assert_allclose(pay[:, second], before[:, second], atol=1e-6)


def test_the_worst_partner_counts_most():
    partners = Partners((Block((Fellow((0,)),), 8, copies=8),), priority=1.0)
    returns = jnp.asarray([3.0, 1.0, 2.0, 0.0, 7.0, 9.0, 8.0, 6.0])  # two learners with four partners each
    weights = np.asarray(by_rank(partners, returns, learners=2).weights).reshape(2, 4)
    np.testing.assert_allclose(weights, [[0.4, 1.2, 0.8, 1.6], [1.2, 0.4, 0.8, 1.6]], rtol=1e-5)
    some = Partners(partners.blocks, priority=1.0, ranked=2)
    weights = np.asarray(by_rank(some, returns, learners=2).weights).reshape(2, 4)
    np.testing.assert_allclose(weights, [[2 / 3, 4 / 3, 1, 1], [4 / 3, 2 / 3, 1, 1]], rtol=1e-5)
    assert by_rank(Partners(partners.blocks), returns, learners=2).weights is None
