"""Published networks load, compute what their papers describe, and cook."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.nets.policy import NetPolicy, reader
from coplay.player import AgentError, Policy
from coplay.worlds.overcooked.bots.carroll import Carroll, load_carroll
from tests.worlds.overcooked.kitchens import STAY, make


def convolution_weights(width: int, height: int, seed: int = 0) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(seed)
    shapes = {"conv0": (5, 5, 20, 25), "conv1": (3, 3, 25, 25), "conv2": (3, 3, 25, 25)}
    shapes |= {"d0": ((width - 2) * (height - 2) * 25, 64), "d1": (64, 64), "d2": (64, 64), "out": (64, 6)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}_w"] = chance.normal(0, 0.1, shape).astype(np.float32)
        weights[f"{name}_b"] = chance.normal(0, 0.1, shape[-1]).astype(np.float32)
    return weights


def clone_weights(bias: list[float]) -> dict[str, np.ndarray]:
    sizes = (62, 64, 64, 6)
    weights = {f"w{i}": np.zeros(sizes[i : i + 2], np.float32) for i in range(3)}
    return weights | {"b0": np.zeros(64), "b1": np.zeros(64), "b2": np.asarray(bias, np.float32)}


def saved(folder: Path, name: str, weights: dict[str, np.ndarray]) -> Path:
    np.savez(folder / name, **weights)  # pyright: ignore[reportArgumentType]
    return folder / name


def by_hand(weights: dict[str, np.ndarray], x: np.ndarray) -> np.ndarray:
    """The network of the data's README, one loop at a time."""

    def leaky(values: np.ndarray) -> np.ndarray:
        return np.where(values > 0, values, 0.2 * values)

    for name, same in (("conv0", True), ("conv1", True), ("conv2", False)):
        kernel = weights[f"{name}_w"]
        size = kernel.shape[0]
        around = size // 2 if same else 0
        padded = np.pad(x, ((around, around), (around, around), (0, 0)))
        width, height = padded.shape[0] - size + 1, padded.shape[1] - size + 1
        rows = [
            [np.einsum("xyc,xycf->f", padded[i : i + size, j : j + size], kernel) for j in range(height)]
            for i in range(width)
        ]
        x = leaky(np.asarray(rows) + weights[f"{name}_b"])
    x = x.reshape(-1)
    for name in ("d0", "d1", "d2"):
        x = leaky(x @ weights[f"{name}_w"] + weights[f"{name}_b"])
    return x @ weights["out_w"] + weights["out_b"]


def test_a_convolutional_network_is_what_its_description_says(tmp_path):
    weights = convolution_weights(5, 4)
    path = saved(tmp_path, "ppo_sp__cramped_room.npz", weights)
    seen = make(encoding="lossless_2019")
    state = seen.place([(1, 1), (3, 2)], [2, 1], [1, 2], objects={(2, 0): (3, 3, 0, 5), (0, 0): 1})
    # Whatever the game shows others, the network reads its own encoding.
    for game in (seen, make()):
        policy = load_carroll(path, game)
        assert isinstance(policy, Policy)
        assert (policy.name, policy.hears, policy.unstuck) == ("ppo_sp", "own", False)
        expected = by_hand(weights, np.asarray(seen.encode(seen.view(state, 1)), np.float64))
        np.testing.assert_allclose(eqx.filter_jit(policy.network)(game.view(state, 1)), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", ["convolutions", "clone"])
def test_a_published_network_told_as_ours_says_the_same(kind, tmp_path):
    chance = np.random.default_rng(1)
    weights = convolution_weights(5, 4)
    if kind == "clone":
        weights = {name: chance.normal(0, 0.3, w.shape) for name, w in clone_weights([0.0] * 6).items()}
    game = make(random_starts=1.0)
    published = load_carroll(saved(tmp_path, "some__cramped_room.npz", weights), game)
    network = published.as_network(game)
    ours = NetPolicy(network, reader(game, network.design.inputs))

    @jax.jit
    def say(key, seat):
        view = game.view(game.reset(key), seat)
        return ours.think(ours.start(), view)[1], published.network(view)

    for seed in range(2):
        np.testing.assert_allclose(*say(jax.random.key(seed), seed % 2), rtol=1e-3, atol=1e-4)


def test_actions_are_sampled_or_greedy(tmp_path):
    game = make()
    path = saved(tmp_path, "bc_train__cramped_room.npz", clone_weights([0, 0, 0, 0.5, 0, 0]))
    view = game.view(game.reset(jax.random.key(0)), 0)

    def actions(policy: Carroll) -> np.ndarray:
        choose = jax.jit(jax.vmap(lambda key: policy.act(policy.start(), view, key)[1]))
        return np.asarray(choose(jax.random.split(jax.random.key(0), 600)))

    odds = np.exp([0, 0, 0, 0.5, 0, 0])
    counts = np.bincount(actions(load_carroll(path, game)), minlength=6)
    np.testing.assert_allclose(counts / 600, odds / odds.sum(), atol=0.06)
    assert set(actions(load_carroll(path, game, greedy=True))) == {3}


def test_a_proxy_that_stands_still_tries_something_else(tmp_path):
    game = make()
    path = saved(tmp_path, "bc_test__cramped_room.npz", clone_weights([0, 0, 0, 0, 50, 0]))
    view = game.view(game.reset(jax.random.key(0)), 0)

    def series(policy: Carroll) -> list[int]:
        memory, chosen, act = policy.start(), [], eqx.filter_jit(policy.act)
        for step in range(6):
            memory, action = act(memory, view, jax.random.key(step))
            chosen.append(int(action))
        return chosen

    proxy = series(load_carroll(path, game))
    assert proxy[:4] == [STAY] * 4
    assert proxy[4] != STAY
    assert proxy[5] != proxy[4]  # what was just tried is ruled out too, since nothing has moved in this test
    assert series(load_carroll(path, game, unstuck=False)) == [STAY] * 6


def test_a_whole_game_is_played_by_both_kinds(tmp_path):
    game = make(horizon=8)
    network = load_carroll(saved(tmp_path, "pbt__cramped_room.npz", convolution_weights(5, 4)), game)
    proxy = load_carroll(saved(tmp_path, "bc_test__cramped_room.npz", clone_weights([0.0] * 6)), game)
    episodes = coplay.play(game, [network, proxy], games=3, progress=False)
    assert episodes.names == ("pbt", "bc_test")
    assert episodes.lengths.tolist() == [8] * 3
    assert not episodes.forfeits


def test_wrong_files_and_kitchens_are_refused_in_words(tmp_path):
    game = make()
    good = convolution_weights(5, 4)
    (tmp_path / "text__cramped_room.npz").write_text("no network")
    refusals = [
        ("absent__cramped_room.npz", "there is no such file"),
        ("text__cramped_room.npz", "not an .npz file"),
        (saved(tmp_path, "ppo_sp__random0.npz", good), "a network for forced_coordination, but .* is cramped_room"),
        (saved(tmp_path, "ppo_sp__my_kitchen.npz", good), "a network for my_kitchen"),
        (saved(tmp_path, "other__cramped_room.npz", {"x": np.zeros(3)}), "conv0_w is missing"),
        (saved(tmp_path, "wide__cramped_room.npz", convolution_weights(8, 5)), r"d0_w has shape \(450, 64\)"),
    ]
    for path, words in refusals:
        with pytest.raises(AgentError, match=words):
            load_carroll(tmp_path / path, game)
    path = saved(tmp_path, "ppo_sp__cramped_room.npz", good)
    for other, words in (
        (make(chefs=3), "with 2 chefs"),
        (make(layout="you_shall_not_pass", dynamics="new"), "no tomatoes"),
        (coplay.make("hanabi"), "play overcooked, not hanabi"),
    ):
        with pytest.raises(AgentError, match=words):
            load_carroll(path, other)


def test_published_networks_cook(shared):
    models = shared / "data/overcooked/models"
    if not models.is_dir():
        pytest.skip("needs the published networks (../shared/data/overcooked/models)")
    game = make()
    pair = [load_carroll(models / f"{kind}__cramped_room.npz", game) for kind in ("bc_train_best_loss", "ppo_bc_test")]
    assert coplay.play(game, pair, games=4, progress=False).scores.mean() > 80  # 133 ± 5 in the documentation's table


def test_every_published_network_loads(shared):
    for path in sorted((shared / "data/overcooked/models").glob("*.npz")):
        kind, _, layout = path.stem.partition("__")
        policy = load_carroll(path, make(layout=layout))
        assert policy.name == kind
        assert policy.unstuck == kind.startswith("bc_")
        assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(policy))
