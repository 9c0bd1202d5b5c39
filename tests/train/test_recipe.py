"""What recipes share."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import coplay
from coplay.train.recipe import LearnerSettings, games_per_partner, recipe_named, shaping_terms
from coplay.train.settings import TrainError
from coplay.worlds.overcooked.training import KITCHEN


def test_every_partner_has_an_equal_share():
    assert games_per_partner(LearnerSettings(games=192, minibatches=64), 12) == 16


def test_the_number_of_games_proposed_fits_partners_and_minibatches():
    kitchen = LearnerSettings(**KITCHEN)
    with pytest.raises(TrainError, match="games=256 cannot be shared equally by 12 partners; try games=384"):
        games_per_partner(kitchen, 12)
    assert games_per_partner(dataclasses.replace(kitchen, games=384), 12) == 32


def test_a_game_without_a_shaped_reward_says_so():
    with pytest.raises(TrainError, match=r"shaping=1e\+06: hanabi has no shaped reward"):
        shaping_terms(LearnerSettings(shaping=1e6), coplay.make("hanabi"))
    (recorded,) = shaping_terms(LearnerSettings(shaping=1e6), coplay.make("overcooked"))[1]
    assert recorded.name == "shaped"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "has no Settings; give it a frozen dataclass"),
        (
            "from coplay.train.recipe import LearnerSettings as Settings",
            r"has no plan; define plan\(context, settings\)",
        ),
        ("import nothing_of_this_name", "importing it failed at line 1: ModuleNotFoundError"),
    ],
)
def test_a_file_that_is_no_recipe_is_told_what_it_lacks(tmp_path: Path, text: str, words: str):
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(TrainError, match=words):
        recipe_named(f"file:{tmp_path}/mine.py")


def test_a_recipe_that_is_not_there_is_told_what_is():
    with pytest.raises(TrainError, match=r"unknown recipe 'ipo'.*file:my_recipe.py.*Did you mean 'ippo'"):
        recipe_named("ipo")
    with pytest.raises(TrainError, match=r"there is no file mine.py"):
        recipe_named("file:mine.py")
