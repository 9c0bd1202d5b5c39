"""A community of convention players: recipes, and games that the engine plays again."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from coplay.data import DataError, parts, read, verify
from coplay.data.recording import record
from coplay.player import AgentError
from coplay.worlds.hanabi.community.recipe import parse, read_community
from coplay.worlds.hanabi.community.table_game import play_number

TWO = 'name = "two"\nshare = { 2 = 1.0 }\n'


@pytest.mark.parametrize("players", [2, 3])
def test_the_engine_plays_the_games_of_the_community_again(players: int, tmp_path: Path):
    games = record(f"hanabi?players={players}", ["community"], 10, tmp_path / "games.safetensors", seed=5)
    assert len(games) == 10
    again = read(tmp_path / "games.safetensors")  # checks every move and score
    assert not verify(again)
    np.testing.assert_array_equal(again.extra["level"], games.extra["level"])
    assert games.scores.mean() > 12  # they play by conventions
    assert len(np.unique(games.extra["kind"])) > 1


def test_processes_record_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parts, "SIZE", 3)
    alone = record("hanabi", ["community"], 6, tmp_path / "alone.safetensors")
    shared = record("hanabi", ["community"], 6, tmp_path / "shared.safetensors", jobs=2)
    np.testing.assert_array_equal(alone.actions, shared.actions)


def test_a_slip_rate_changes_games_and_a_member_without_slips_repeats_his():
    still = parse(f"[[kinds]]\n{TWO}level = 5\nslip = 0.0\n")
    slipping = parse(f"[[kinds]]\n{TWO}level = 5\nslip = 0.3\n")
    assert play_number(still, 2, 0, 1).actions == play_number(still, 2, 0, 1).actions
    assert play_number(still, 2, 0, 1).actions != play_number(slipping, 2, 0, 1).actions


def test_convention_players_by_name_make_a_community(tmp_path: Path):
    names = ["hgroup", "hgroup?level=2&slip=0.1"]
    games = record("hanabi", names, 6, tmp_path / "games.safetensors", seed=2)
    assert set(games.extra["kind"].reshape(-1).tolist()) == {0, 1}
    levels = np.where(games.extra["kind"] == 1, 2, games.extra["level"])
    np.testing.assert_array_equal(levels, games.extra["level"])


def test_members_are_drawn_by_their_shares():
    text = f'[[kinds]]\n{TWO}level = [1, 2]\n[[kinds]]\nname = "other"\nshare = {{ 2 = 3.0, 3 = 1.0 }}\nlevel = 4\n'
    community, luck = parse(text), random.Random(0)
    kinds = [member.kind for _ in range(400) for member in community.seat(2, luck)]
    assert 0.68 < np.mean(kinds) < 0.82
    assert {member.level for _ in range(20) for member in community.seat(3, luck)} == {4}
    with pytest.raises(AgentError, match="no members for 5 players"):
        community.seat(5, luck)


@pytest.mark.parametrize(
    ("line", "words"), [("level = 7", "level 7 is none of 1 to 5"), ("lvl = 3", "unknown habit 'lvl'")]
)
def test_mistakes_in_a_recipe_are_named(line: str, words: str, tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(f"[[kinds]]\n{TWO}{line}\n")
    with pytest.raises(AgentError, match=words):
        read_community(file)


def test_communities_know_the_standard_rules_only(tmp_path: Path):
    with pytest.raises(DataError, match="standard rules"):
        record("hanabi-small", ["community"], 4, tmp_path / "games.safetensors")


def test_a_shipped_recipe_has_members_for_two_and_three():
    community = read_community("community")
    for players in (2, 3):
        assert len(community.seat(players, random.Random(0))) == players
