"""The pool: every shipped partner is the one that was measured, and plays."""

from __future__ import annotations

import dataclasses

import pytest
from typer.testing import CliRunner

import coplay
from coplay.agents.agent import AgentError
from coplay.games.registry import make
from coplay.pool import pool
from coplay.pool.commands import app


def game_of(one: pool.Entry):
    return make("overcooked", layout=one.layout, horizon=20) if one.layout else make(one.game, players=one.players)


@pytest.mark.parametrize("name", list(pool.entries()))
def test_every_file_is_the_one_that_was_measured(name: str):
    pool.verify(pool.entry(name))


@pytest.mark.parametrize("name", ["hanabi-2p-ippo-0", "cramped_room-ippo-0"])
def test_a_partner_plays_without_an_illegal_move(name: str):
    one = pool.entry(name)
    result = coplay.play(game_of(one), f"pool:{name}", games=8, seed=1, engine="lockstep")
    assert not result.forfeits
    assert result.names[0] == f"pool:{name}"


def test_a_hanabi_partner_scores_what_the_pool_says():
    one = pool.entry("hanabi-2p-ippo-0")
    scores = coplay.play(game_of(one), f"pool:{one.id}", games=400, seed=5).scores
    mean, _, _ = one.self_play
    assert abs(scores.mean() - mean) < 4 * scores.std() / 20


def test_a_changed_file_is_refused(tmp_path, monkeypatch):
    one = pool.entry("cramped_room-ippo-0")
    changed = tmp_path / "agents"
    changed.mkdir()
    (changed / one.file).write_bytes(one.path.read_bytes() + b"x")
    monkeypatch.setattr(pool, "FOLDER", tmp_path)
    with pytest.raises(AgentError, match="not the partner that was measured"):
        pool.verify(one)
    with pytest.raises(AgentError, match="missing from the package"):
        pool.verify(dataclasses.replace(one, file="gone.safetensors"))


def test_mistakes_are_explained():
    with pytest.raises(AgentError, match="Did you mean 'hanabi-2p-ippo-0'"):
        coplay.agent("pool:hanabi-2p-ippo0", make("hanabi"))
    with pytest.raises(AgentError, match="2 players"):
        coplay.agent("pool:hanabi-2p-ippo-0", make("hanabi", players=3))
    with pytest.raises(AgentError, match="cooks in cramped_room"):
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
    assert pool.of_game(make("hanabi"), ["bc"]) == ["pool:hanabi-2p-hgroup-bc", "pool:hanabi-2p-human-bc"]
    assert pool.of_game(make("hanabi", players=4)) == []
    assert "pool:cramped_room-ippo-1" in pool.of_game(make("overcooked", layout="cramped_room"))
