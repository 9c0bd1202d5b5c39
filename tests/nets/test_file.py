"""A player's file: what is saved is what plays, and a wrong file is named and explained."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.agents.spec import agent
from coplay.nets.file import load_policy, read_safetensors, save_critic, save_policy, write_safetensors
from coplay.nets.network import Network
from coplay.nets.policy import observation_scale, reader
from coplay.player import AgentError
from tests.train.toy import design, random_network

GAME: Any = coplay.make("hanabi-very-small")
READ: Any = reader(GAME)


def network(**changes: Any) -> Network:
    return random_network(design(READ, scale=observation_scale(READ), **changes))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "player.safetensors"
    save_policy(place, network(cell="lstm", hears="every"), READ, {"recipe": "none"})
    return place


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 0), ("float16", 1e-3), ("int8", 1e-2)])
def test_a_network_comes_back_from_its_file(tmp_path: Path, precision: Any, tolerance: float):
    before = network(cell="lstm", hears="every")
    save_policy(tmp_path / "a.safetensors", before, READ, {}, precision)
    after = load_policy(str(tmp_path / "a.safetensors"), GAME).network
    assert after.design == before.design
    for mine, other in zip(jax.tree.leaves(after), jax.tree.leaves(before), strict=True):
        assert mine.dtype == np.float32
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_a_player_needs_no_critic_and_gets_a_new_one_to_learn_on(tmp_path: Path, precision: Any):
    before = network(cell="gru")
    for name, critic in (("whole", True), ("actor", False)):
        save_policy(tmp_path / name, before, READ, {}, precision, critic)
    whole, actor = (load_policy(str(tmp_path / name), GAME).network for name in ("whole", "actor"))
    seen = jnp.asarray(np.random.default_rng(0).integers(0, 255, (5, *READ.observation_shape), np.uint8))
    carry = jax.tree.map(lambda leaf: jnp.zeros((5, *leaf.shape)), before.start())
    answers = [one.heads(one.step(carry, seen)[1]) for one in (whole, actor)]
    np.testing.assert_array_equal(answers[0][0], answers[1][0])
    assert np.std(np.asarray(answers[1][1])) > 0  # alive
    assert (tmp_path / "actor").stat().st_size < (tmp_path / "whole").stat().st_size


@pytest.mark.parametrize("precision", ["float32", "int8"])
@pytest.mark.parametrize("changes", [{"cell": "gru"}, {"critic_inputs": 9}], ids=["shared", "apart"])
def test_a_critic_in_a_file_of_its_own_is_found(tmp_path: Path, precision: Any, changes: dict[str, Any]):
    before = network(**changes)
    save_policy(tmp_path / "whole.safetensors", before, READ, {}, precision)
    save_policy(tmp_path / "actor.safetensors", before, READ, {}, precision, critic=False)
    save_critic(tmp_path / "actor.safetensors", before, precision)
    whole, joined = (load_policy(str(tmp_path / f"{name}.safetensors"), GAME).network for name in ("whole", "actor"))
    for mine, other in zip(jax.tree.leaves(joined), jax.tree.leaves(whole), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_a_critic_of_another_file_is_refused(tmp_path: Path):
    file = tmp_path / "actor.safetensors"
    save_policy(file, network(), READ, {}, critic=False)
    save_critic(file, network())
    save_policy(file, network(), READ, {"recipe": "another"}, critic=False)
    with pytest.raises(AgentError, match=r"actor\.critic\.safetensors is no critic of actor\.safetensors"):
        load_policy(str(file), GAME)


def test_a_spec_names_a_file_and_how_to_play(file: Path):
    greedy: Any = agent(f"run:{file}", GAME)
    drawing: Any = agent(f"run:{file}?greedy=false", GAME)
    assert greedy.greedy
    assert not drawing.greedy
    assert greedy.name == "player"
    assert greedy.hears == "every"
    with pytest.raises(AgentError, match=r"unknown option 'greddy'.*Did you mean 'greedy'"):
        agent(f"run:{file}?greddy=1", GAME)


def test_numbers_without_axes_keep_their_shape(tmp_path: Path):
    write_safetensors(tmp_path / "a", {"turn": np.asarray(7, np.int32), "row": np.ones((1, 2)).T}, {})
    found, _ = read_safetensors(tmp_path / "a")
    assert found["turn"].shape == ()
    assert found["row"].shape == (2, 1)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (coplay.make("hanabi-very-small", players=3), "trained on hanabi-very-small with 2 players, not on .* with 3"),
        (coplay.make("overcooked"), "trained on hanabi-very-small with 2 players, not on overcooked"),
        (coplay.make("hanabi-small"), "reads observations of shape"),
    ],
)
def test_a_file_for_another_game_is_refused(file: Path, other: Any, words: str):
    with pytest.raises(AgentError, match=words):
        agent(f"run:{file}", other)


def test_a_file_that_is_no_player_is_refused(file: Path, tmp_path: Path):
    tensors, metadata = read_safetensors(file)
    some = dict(tensors)
    del some["critic.bias"]
    write_safetensors(tmp_path / "lacking", some, metadata)
    write_safetensors(tmp_path / "misshapen", {**tensors, "critic.bias": np.zeros(3)}, metadata)
    write_safetensors(tmp_path / "foreign", tensors, {})
    (tmp_path / "text").write_text("not a network")
    (tmp_path / "cut").write_bytes(file.read_bytes()[:-8])
    for name, words in (
        ("lacking", r"lacks the tensor critic\.bias; the file is damaged or from another version"),
        ("misshapen", r"tensor critic\.bias has shape \(3,\), not \(1,\)"),
        ("foreign", "is no trained player: its metadata lacks format"),
        ("text", "is no safetensors file or is damaged"),
        ("cut", "is no safetensors file or is damaged"),
        ("missing", "no such file"),
    ):
        with pytest.raises(AgentError, match=words):
            agent(f"run:{tmp_path / name}", GAME)


def test_a_full_disk_leaves_the_old_file(file: Path, monkeypatch: Any):
    before = file.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device\. What was there before is untouched"):
        save_policy(file, network(), READ, {})
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]
