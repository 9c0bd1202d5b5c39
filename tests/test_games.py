"""Games by name: made from a spec, and named by one that makes them again."""

from __future__ import annotations

from pathlib import Path

import pytest

import coplay
from coplay.game import GameError
from coplay.games import can_be_made_again, family, from_settings, make, settings_of, spec_of
from coplay.registry import plugins

OWN = Path(__file__).parent / "own"


@pytest.mark.parametrize(
    ("spec", "again"),
    [
        ("hanabi", "hanabi"),
        ("hanabi?players=2", "hanabi"),
        ("hanabi?players=4", "hanabi?players=4"),  # the smaller hand follows from it
        ("hanabi?players=4&hand_size=5", "hanabi?players=4&hand_size=5"),
        ("hanabi-small?players=3", "hanabi-small?players=3"),
        ("hanabi?copies=3,2,2,2,2&start_player=1", "hanabi?copies=3,2,2,2,2&start_player=1"),
        ("overcooked?layout=counter_circuit&horizon=200", "overcooked?layout=counter_circuit&horizon=200"),
        (f"file:{OWN}/levers.py:Levers?rounds=5", f"file:{OWN}/levers.py:Levers?rounds=5"),
        (f"file:{OWN}/words.py:Words", f"file:{OWN}/words.py:Words"),
    ],
)
def test_a_game_and_its_spec_lead_to_each_other(spec: str, again: str):
    game = make(spec)
    assert spec_of(game) == again
    assert make(again) == game
    assert can_be_made_again(game)


def test_every_kitchen_is_named_by_its_spec():
    from coplay.worlds.overcooked.kitchen.layouts import library

    for name in library():
        game = make("overcooked", layout=name)
        assert make(spec_of(game)) == game
    drawn = make("overcooked", layout="XPXX\nO1 D\nX2 S\nXXXX", horizon=7)
    assert make(spec_of(drawn)) == drawn


def test_settings_may_be_given_apart_and_players_go_by_their_own_name():
    assert make("hanabi", players=3) == make("hanabi?players=3")
    assert make("overcooked?players=2").players == 2
    assert from_settings("hanabi", settings_of(make("hanabi", players=5))) == make("hanabi?players=5")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("hanbi", "unknown game 'hanbi'; the games are .*hanabi, .*Did you mean 'hanabi'"),
        ("hanabi?plyers=3", "unknown setting 'plyers'.*Did you mean 'players'"),
        ("hanabi?players=many", "players='many' should be a whole number"),
        ("hanabi?players=9", "players=9: hanabi takes a whole number from 2 to 5"),
        ("file:nowhere.py:Game", "there is no file nowhere.py"),
        (f"file:{OWN}/levers.py:Leavers", "no class 'Leavers'.*Did you mean 'Levers'"),
        (f"file:{OWN}/levers.py:First", "First has no reset and step"),
    ],
)
def test_what_cannot_be_made_is_explained(spec: str, words: str):
    with pytest.raises(coplay.GameError, match=words):
        make(spec)


def test_a_game_that_only_lives_in_a_program_says_so():
    kind = type(make(f"file:{OWN}/levers.py:Levers").own)

    class Mine(kind):
        name = "mine"

    game = make(Mine())
    assert game.name == "mine"
    assert not can_be_made_again(game)


def test_games_of_one_family_share_their_agents():
    assert family(make("hanabi-small")) == family(make("hanabi?players=3")) == "hanabi"
    assert family(make("overcooked")) == "overcooked"
    assert family(make(f"file:{OWN}/levers.py:Levers")).startswith("file:")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package beside ours that brings a game and an agent."""
    (tmp_path / "levers_plugin.py").write_text((OWN / "levers.py").read_text())
    about = tmp_path / "levers_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: levers-plugin\nVersion: 1.0\n")
    points = (
        "[coplay.games]\nlevers = levers_plugin:Levers\n\n[coplay.agents]\nfirst-lever = levers_plugin:FirstLever\n"
    )
    (about / "entry_points.txt").write_text(points)
    with (tmp_path / "levers_plugin.py").open("a") as file:
        file.write(
            "\n\nclass FirstLever(First):\n    name = 'first lever'\n\n    def __init__(self, game):\n        pass\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.cache_clear()
    yield
    plugins.cache_clear()


def test_an_installed_package_brings_games_and_agents(installed: None):
    game = make("levers?rounds=2")
    assert (game.players, game.max_steps) == (2, 2)
    assert spec_of(game) == "levers?rounds=2"
    assert (coplay.play(game, "first-lever", games=3).scores == 2).all()


def test_a_kitchen_may_be_named_alone():
    assert make("coordination_ring") == make("overcooked?layout=coordination_ring")
    assert spec_of(make("coordination_ring?horizon=50")) == "overcooked?layout=coordination_ring&horizon=50"
    with pytest.raises(GameError, match="unknown game 'coordination_rin'"):
        make("coordination_rin")
