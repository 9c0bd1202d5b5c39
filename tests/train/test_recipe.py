"""What recipes share."""

from __future__ import annotations

import dataclasses

import pytest

from coplay.train.recipe import KITCHEN, LearnerSettings, games_per_partner
from coplay.train.settings import TrainError


def test_every_partner_has_an_equal_share():
    assert games_per_partner(LearnerSettings(games=192, minibatches=64), 12) == 16


def test_the_number_of_games_proposed_fits_partners_and_minibatches():
    kitchen = LearnerSettings(**KITCHEN)
    with pytest.raises(TrainError, match="games=256 cannot be shared equally by 12 partners; try games=384"):
        games_per_partner(kitchen, 12)
    assert games_per_partner(dataclasses.replace(kitchen, games=384), 12) == 32
