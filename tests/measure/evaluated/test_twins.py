"""Two names for one player count once; two players who only score alike do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coplay
from coplay.report.pages.evaluation import write_report
from coplay.report.terminal import print_evaluation

GAME: Any = coplay.make("hanabi-very-small")


class Plays:
    """The first legal move, or the last."""

    def __init__(self, place: int) -> None:
        self.place = place

    def act(self, view: Any) -> int:
        return int(np.flatnonzero(view.legal)[self.place])


PARTNERS = {"first": Plays(0), "last": Plays(-1), "first again": Plays(0)}


def test_who_plays_like_another_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = coplay.evaluate(GAME, "simplebot", partners=PARTNERS, games=20, out=tmp_path / "three")
    two = {name: PARTNERS[name] for name in ("first", "last")}
    without = coplay.evaluate(GAME, "simplebot", partners=two, games=20, out=tmp_path / "two")
    assert found.twins == {"first again": "first"}
    assert not without.twins
    assert found.overall == without.overall
    assert [one.partner for one in found.partners] == list(PARTNERS)  # each keeps a line of its own
    print_evaluation(found)
    words = "first again plays like first, move for move: over all partners the two count once."
    assert words in capsys.readouterr().out
    assert words in (write_report(found).folder / "report.html").read_text()


def test_equal_scores_are_not_enough(tmp_path: Path):
    kitchen = coplay.make("overcooked", layout="cramped_room", horizon=8)
    found = coplay.evaluate(kitchen, "stay", partners=["random", "pot-filler"], games=20, out=tmp_path)
    assert {one.mean.value for one in found.partners} == {0.0}
    assert not found.twins


def test_few_games_tell_nothing(tmp_path: Path):
    assert not coplay.evaluate(GAME, "simplebot", partners=PARTNERS, games=19, out=tmp_path).twins
