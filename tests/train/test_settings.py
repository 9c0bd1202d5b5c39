"""Settings: read from texts, checked, and explained when they are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.train import train
from coplay.train.recipe import LearnerSettings, recipe_named
from coplay.train.run import resolve
from coplay.train.settings import TrainError, fill_settings, listed


def read(**given: Any) -> LearnerSettings:
    return fill_settings(LearnerSettings, given, "ippo")


def test_a_list_may_count():
    assert listed("smartbot, run:a-{9..11}.safetensors,x") == [
        "smartbot",
        *(f"run:a-{number}.safetensors" for number in (9, 10, 11)),
        "x",
    ]


def test_texts_are_read_by_the_type_of_the_default():
    found = read(games="64", total_turns="1e6", anneal="yes", cell="gru", learning_rate="0.01", bfloat16=False)
    assert found.games == 64
    assert isinstance(found.games, int)
    assert found.total_turns == 1e6
    assert found.anneal is True
    assert found.bfloat16 is False
    assert found.cell == "gru"
    assert read(games="1e3").games == 1000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"learning_rat": 1}, "unknown setting 'learning_rat'.*Did you mean 'learning_rate'"),
        ({"games": "many"}, "games='many' should be a whole number"),
        ({"games": 2.5}, "games=2.5 should be a whole number"),
        ({"games": "inf"}, "games='inf' should be a whole number"),
        ({"games": "nan"}, "games='nan' should be a whole number"),
        ({"games": 0}, "games=0: must be greater than 0"),
        ({"games": 10, "minibatches": 4}, "minibatches=4 equal parts; try games=12, or minibatches=2"),
        ({"total_turns": "nan"}, "total_turns=nan: must be greater than 0"),
        ({"total_turns": "inf"}, "total_turns=inf: a run has an end"),
        ({"bundle": 0}, "bundle=0: must be greater than 0"),
        ({"embed": -1}, "embed=-1: must be greater than 0"),
        ({"entropy": "nan"}, "entropy=nan: must not be below 0"),
        ({"mercy": -1}, "mercy=-1.0: must not be below 0"),
        ({"learning_rate": -1}, "learning_rate=-1.0: must be greater than 0"),
        ({"discount": 1.5}, "discount=1.5: must be between 0 and 1"),
        ({"anneal": "perhaps"}, "anneal='perhaps' should be true or false"),
        ({"cell": "rnn"}, "cell='rnn' should be one of none, gru, lstm"),
        ({"hears": 3}, "hears=3 should be one of own, every"),
    ],
)
def test_mistakes_are_explained(given: dict[str, Any], words: str):
    with pytest.raises(TrainError, match=words):
        read(**given)


def test_an_unknown_recipe_is_told_its_nearest_name():
    with pytest.raises(TrainError, match=r"unknown recipe 'otherplay'.*Did you mean 'other_play'"):
        recipe_named("otherplay")


def test_presets_come_before_what_is_given():
    game = coplay.make("hanabi")
    module = recipe_named("ippo")
    assert resolve(module, "ippo", game, {"preset": "high-entropy"}).cell == "gru"
    assert resolve(module, "ippo", game, {"preset": "high-entropy", "cell": "lstm"}).cell == "lstm"
    with pytest.raises(TrainError, match="unknown preset 'fast'; its presets are high-entropy"):
        resolve(module, "ippo", game, {"preset": "fast"})


def test_the_defaults_are_the_usual_baselines():
    found = resolve(recipe_named("ippo"), "ippo", coplay.make("hanabi"), {})
    assert (found.games, found.turns, found.epochs, found.minibatches) == (1024, 128, 4, 4)
    assert (found.discount, found.trace, found.clip, found.entropy) == (0.99, 0.95, 0.2, 0.01)
    assert (found.embed, found.actor, found.critic, found.cell) == (512, 512, 512, "none")
    kitchen = resolve(recipe_named("ippo"), "ippo", coplay.make("overcooked", layout="cramped_room"), {})
    assert (kitchen.games, kitchen.turns, kitchen.epochs, kitchen.minibatches) == (256, 256, 4, 64)
    assert (kitchen.learning_rate, kitchen.gradient_norm, kitchen.embed) == (2.5e-4, 0.25, 128)


def test_mistakes_leave_no_folder(tmp_path: Path):
    for recipe, game, settings, words in (
        ("ippo", "hanabi-very-small", {"games": 3}, "cannot be cut"),
        ("ippo", "hanabi-very-small", {"seeds": 0}, "seeds=0: train at least one"),
        ("ippo", "chess", {}, "unknown game 'chess'"),
    ):
        with pytest.raises(ValueError, match=words):
            train(recipe, game, tmp_path / "run", **settings)  # pyright: ignore[reportArgumentType]
    assert not (tmp_path / "run").exists()


def test_a_recipe_that_cannot_begin_leaves_the_folder_free(tmp_path: Path):
    """A second try with the right words must not be told that the folder already holds a run."""
    for _ in range(2):
        with pytest.raises(TrainError, match="other_play would be ippo"):
            train("other_play", "hanabi-very-small", tmp_path)
    with pytest.raises(TrainError, match="other_play needs critic_sees=own"):
        train("other_play", "hanabi-small", tmp_path, critic_sees="all")
