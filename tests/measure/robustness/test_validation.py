"""Whole games with held-out partners, beside the unit tests."""

from __future__ import annotations

import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.robustness import read_validation, validate
from coplay.measure.robustness.run import face_of
from coplay.report.pages.robustness import write_robustness
from coplay.worlds.overcooked.bots.theory_of_mind.parameters import set_names, training_sets, validation_sets
from tests.measure.robustness.test_run import idle

GAME = "overcooked?layout=centre_pots&horizon=60"


def test_every_partner_is_met_in_every_seat_and_the_page_stands_beside_the_unit_tests():
    result = idle()
    found = validate(GAME, "stay", ["greedy-cook", "random"], 2, out=result.folder)
    met = [(one.partner, one.seat) for one in found.partners]
    assert met == [("greedy-cook", 0), ("greedy-cook", 1), ("random", 0), ("random", 1)]
    alone = coplay.play(coplay.make(GAME), ["stay", "greedy-cook"], games=2, engine="lockstep", progress=False)
    assert found.partners[0].mean == alone.scores.mean()
    (reward,) = found.rewards
    assert reward.score.value == pytest.approx(sum(one.mean for one in found.partners) / 4)
    assert read_validation(result.folder) == found
    write_robustness(result)
    assert "Validation reward" in (result.folder / "report.html").read_text()
    assert (result.folder / "validation.csv").read_text().count("\n") == 5


def test_the_papers_validation_agents_are_ten_that_nobody_trains_with():
    game = coplay.make(GAME)
    held = face_of(game).validators(game)
    assert held == [f"theory-of-mind?params={name}" for name in validation_sets()]
    assert len(held) == 10
    assert not set(validation_sets()) & set(training_sets())
    assert {*validation_sets(), *training_sets()} == {name for name in set_names() if name.startswith("manual")}


def test_where_nobody_is_held_out_partners_must_be_named(tmp_path):
    with pytest.raises(MeasureError, match="nobody is held out to validate with; name partners"):
        validate("hanabi", "iggi", out=tmp_path)
    with pytest.raises(MeasureError, match="iggi is one of the partners"):
        validate("hanabi", "iggi", ["iggi"], out=tmp_path)
    with pytest.raises(MeasureError, match="holds no validation reward"):
        read_validation(tmp_path)
