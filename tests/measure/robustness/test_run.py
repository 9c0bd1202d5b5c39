"""The runner: scores, categories, intervals, failures to look at."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.robustness import Robustness, failed, read_robustness, robustness
from coplay.report.replay import page
from coplay.rollouts.episode_file import load, save
from tests.measure.study.posted import Posted


@cache
def idle() -> Robustness:
    return robustness("overcooked?layout=centre_pots", "stay", 3)


def test_a_chef_who_stands_still_fails_where_only_it_could_help():
    scores = {one.test: one.score.value for one in idle().tests}
    for test in ("1bi", "3ai", "3aii", "3aiii", "4a", "4b", "4c"):
        assert scores[test] == 0


def test_categories_are_means_over_tests():
    for one in idle().categories:
        mine = [other.score.value for other in idle().tests if other.category == one.category]
        assert one.score.value == pytest.approx(np.mean(mine))
        assert one.tests == len(mine)
        assert one.score.low <= one.score.value <= one.score.high


def test_one_row_per_game():
    assert len(idle().games) == (105 + 8) * 3
    assert {row.rollout for row in idle().games} == {0, 1, 2}


def test_failures_are_kept_and_replay(tmp_path):
    failure = next(failure for failure in failed(idle()) if failure.test.name == "4c")
    assert len(failure.episodes) == len(failure.starts) == 6 * 3
    save(failure.episodes, tmp_path / "failed.safetensors")
    again = load(tmp_path / "failed.safetensors")
    assert "<svg" in page(again, 0)


def test_the_same_seed_gives_the_same_result_wherever_it_is_played():
    place = Posted()
    again = robustness("overcooked?layout=centre_pots", "stay", 3, on=place)
    assert place.done == len({one.partner for one in idle().tests})
    assert again.rows() == idle().rows()
    for one, other in zip(idle().outcomes, again.outcomes, strict=True):
        assert (one.passed == other.passed).all()


@pytest.mark.parametrize(
    ("games", "rollouts", "words"),
    [
        ("overcooked?layout=centre_pots", 0, "rollouts must be a whole number of at least 1; got 0"),
        ([], 1, "no games given"),
    ],
)
def test_bad_questions_are_told(games, rollouts: int, words: str):
    with pytest.raises(MeasureError, match=words):
        robustness(games, "stay", rollouts)


def test_unknown_categories_are_told():
    with pytest.raises(MeasureError, match="no tests of category 'mood'"):
        idle().category("mood")


def test_games_without_a_suite_are_told():
    with pytest.raises(MeasureError, match="no unit tests"):
        robustness(coplay.make("overcooked", layout="cramped_room"), "stay", 1)


def test_filling_batches_up_changes_nothing():
    game = coplay.make("hanabi", players=2)
    one, other = robustness(game, "iggi", 2), robustness(game, "iggi", 2, room=30)
    assert one.rows() == other.rows()
    assert one.games == other.games


def test_a_cut_run_plays_what_is_missing_and_comes_to_the_same(tmp_path: Path):
    game, out = coplay.make("hanabi", players=2), tmp_path / "out"
    whole = robustness(game, "iggi", 2, out=out)
    lines = (out / "games.csv").read_text().splitlines(keepends=True)
    (out / "games.csv").write_text("".join(lines[: len(lines) // 2]))
    said: list[str] = []
    again = robustness(game, "iggi", 2, out=out, say=said.append)
    assert 0 < sum(line.startswith("[") for line in said) < len(whole.tests)
    assert again == whole == read_robustness(out)
    assert repr(whole).startswith(f"<iggi in {len(whole.tests)} unit tests: state ")
