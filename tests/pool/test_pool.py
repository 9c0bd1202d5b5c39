"""The pool: every shipped partner is the one that was measured, and plays."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli.pool import app
from coplay.files import digest_of
from coplay.games import make
from coplay.nets.file import critic_file, read_safetensors
from coplay.player import AgentError
from coplay.pool import pool


def game_of(one: pool.Entry):
    """Its game; a kitchen for a short time only."""
    return make(one.game, horizon=20) if one.game.startswith("overcooked") else make(one.game)


@pytest.mark.parametrize("name", list(pool.entries()))
def test_every_file_is_the_one_that_was_measured(name: str):
    pool.verify(pool.entry(name))


@pytest.mark.parametrize("name", list(pool.entries()))
def test_every_file_is_kept_small(name: str):
    """The matrices of an actor in int8, and no critic."""
    tensors, _ = read_safetensors(pool.entry(name).path)
    matrices = {key: tensor.dtype for key, tensor in tensors.items() if tensor.ndim == 2}
    assert set(matrices.values()) == {np.dtype(np.int8)}
    assert not [key for key in tensors if key.startswith("critic")]


@pytest.mark.parametrize("name", ["hanabi-2p-ippo-0", "cramped_room-ippo-0"])
def test_a_partner_plays_without_an_illegal_move(name: str):
    one = pool.entry(name)
    result = coplay.play(game_of(one), f"pool:{name}", games=8, seed=1, engine="lockstep")
    assert not result.forfeits
    assert result.names[0] == f"pool:{name}"


def test_a_hanabi_partner_scores_what_the_pool_says():
    one = pool.entry("hanabi-2p-ippo-0")
    scores = coplay.play(game_of(one), f"pool:{one.id}", games=400, seed=5).scores
    assert one.self_play is not None
    mean, _, _ = one.self_play
    assert abs(scores.mean() - mean) < 4 * scores.std() / 20


def test_a_changed_file_is_refused(tmp_path):
    one = pool.entry("cramped_room-ippo-0")
    changed = tmp_path / one.path.name
    changed.write_bytes(one.path.read_bytes() + b"x")
    with pytest.raises(AgentError, match="not the partner that was measured"):
        pool.verify(dataclasses.replace(one, path=changed))
    with pytest.raises(AgentError, match="missing from the pool"):
        pool.verify(dataclasses.replace(one, path=tmp_path / "gone.safetensors"))


def test_a_critic_beside_it_is_checked_too(tmp_path):
    one = pool.entry("cramped_room-ippo-0")
    weights = tmp_path / one.path.name
    weights.write_bytes(one.path.read_bytes())
    beside = dataclasses.replace(one, path=weights)
    pool.verify(beside)
    with pytest.raises(AgentError, match=r"critic\.safetensors is missing"):
        pool.verify(dataclasses.replace(beside, critic_sha256="0" * 64))
    critic_file(weights).write_bytes(b"anybody's")
    with pytest.raises(AgentError, match="not any that is recorded"):
        pool.verify(beside)
    pool.verify(dataclasses.replace(beside, critic_sha256=digest_of(critic_file(weights))))


def test_mistakes_are_explained():
    with pytest.raises(AgentError, match="Did you mean 'hanabi-2p-ippo-0'"):
        coplay.agent("pool:hanabi-2p-ippo0", make("hanabi"))
    with pytest.raises(AgentError, match=r"was trained on hanabi, not on hanabi\?players=3"):
        coplay.agent("pool:hanabi-2p-ippo-0", make("hanabi", players=3))
    with pytest.raises(AgentError, match=r"was trained on overcooked\?layout=cramped_room, not on .*layout=c"):
        coplay.agent("pool:cramped_room-ippo-0", make("overcooked", layout="coordination_ring"))


def test_a_partner_is_shown_with_games_and_interval():
    shown = CliRunner().invoke(app, ["show", "hanabi-2p-hgroup-bc"]).output
    assert "self_play      12.26 ± 0.23 (standard error), 2,000 games, 95 % interval 11.81 to 12.71" in shown
    assert "best_response  18.08 ± 0.13 (standard error), 2,000 games" in shown
    assert "best_response  not trained yet" in CliRunner().invoke(app, ["show", "cramped_room-fcp"]).output


def test_partners_of_a_game_are_found():
    two = pool.of_game(make("hanabi"))
    assert {"pool:hanabi-2p-ippo-0", "pool:hanabi-2p-ippo-1"} <= set(two)
    assert all(spec.startswith("pool:hanabi-2p-") for spec in two)
    clones = ["community-bc-0", "community-bc-1", "hgroup-bc", "human-bc"]
    assert pool.of_game(make("hanabi"), ["bc"]) == [f"pool:hanabi-2p-{name}" for name in clones]
    assert pool.of_game(make("hanabi", players=4)) == []
    assert "pool:cramped_room-ippo-1" in pool.of_game(make("overcooked", layout="cramped_room"))


def test_a_partner_plays_shorter_games_and_no_other_map():
    short = make("overcooked", layout="cramped_room", horizon=40)
    assert pool.of_game(short) == pool.of_game(make("overcooked"))
    assert not set(pool.of_game(short)) & set(pool.of_game(make("overcooked", layout="coordination_ring", horizon=40)))
    assert pool.of_game(make("hanabi", colors=4)) == []  # looks different to a network
    assert pool.of_game(make("hanabi-small")) == []
