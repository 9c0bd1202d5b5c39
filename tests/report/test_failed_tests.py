"""Unit tests of collaboration within an evaluation: kept in the folder, shown on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import coplay
from coplay.measure.evaluated_tests import has_tests, keep_tests, results_of_tests, run_tests
from coplay.measure.robustness import Outcome, Robustness
from coplay.measure.robustness.unit_test import UnitTest
from coplay.measure.run_folder import RunFolder
from coplay.play.episode import Episodes
from coplay.play.episode_file import load
from coplay.report.failed_tests import failed_section, passed_share


def outcome(name: str, episodes: Episodes, passed: list[list[bool]]) -> Outcome:
    def never(*_: object) -> Any:
        raise AssertionError("a test that was played is not played again")

    test = UnitTest(name, "state", f"do the {name}", "random", never, 0, len(passed), never, never)
    return Outcome("hanabi 2p", test, np.array(passed), episodes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Results of four tests with games of a small deck."""
    run = RunFolder(tmp_path_factory.mktemp("tests") / "run")
    games = coplay.play(coplay.make("hanabi-very-small"), "random", games=4, seed=0, engine="lockstep")
    tests = {
        "obvious": [[True, True], [True, True]],
        "hard": [[False, True], [False, False]],
        "hardest": [[False, False], [False, False]],
        "easy": [[True, True], [True, False]],
    }
    result = Robustness("random", tuple(outcome(name, games, passed) for name, passed in tests.items()))
    keep_tests(run, result, rollouts=2, seed=0)
    return run


def test_the_folder_keeps_every_test_and_its_failed_games(folder: RunFolder):
    found = results_of_tests(folder)
    assert found is not None
    by_name = {one["test"]: one for one in found["tests"]}
    assert {name: one["score"] for name, one in by_name.items()} == {
        "obvious": 1,
        "hard": 0.25,
        "hardest": 0,
        "easy": 0.75,
    }
    assert by_name["obvious"]["failed_games"] == ""
    assert len(load(folder / by_name["hard"]["failed_games"])) == 3
    assert len(load(folder / by_name["easy"]["failed_games"])) == 1


def test_tests_are_not_played_again(folder: RunFolder):
    before = (folder / "robustness/tests.json").read_bytes()
    said: list[str] = []
    run_tests(folder, coplay.make("hanabi", players=2), "no such agent", rollouts=2, say=said.append)
    assert not said
    assert (folder / "robustness/tests.json").read_bytes() == before


def test_the_page_shows_what_was_failed_and_lets_one_watch(folder: RunFolder):
    found = results_of_tests(folder)
    assert found is not None
    part = ElementTree.fromstring(failed_section(folder, found))
    assert [node.text for node in part.iter("h2")] == ["The tests it failed"]
    rows = [node.text for node in part.iter("td") if node.get("class") == "name"]
    assert rows == ["hardest", "hard", "easy"]
    frames = list(part.iter("iframe"))
    assert len(frames) == 2
    assert 'id="step"' in frames[0].attrib["srcdoc"]
    assert "coplay replay robustness/easy.safetensors" in "".join(part.itertext())


def test_nothing_failed_is_said_and_nothing_asked_is_nothing_said(folder: RunFolder, tmp_path: Path):
    found = results_of_tests(folder)
    assert found is not None
    fine = found | {"tests": [one | {"score": 1.0} for one in found["tests"]]}
    assert "The tests it passed" in failed_section(folder, fine)
    assert passed_share(fine) == f"{len(fine['tests'])} of {len(fine['tests'])}"
    assert results_of_tests(RunFolder(tmp_path)) is None
    assert failed_section(folder, None) == ""


@pytest.mark.slow
def test_an_evaluation_plays_the_whole_suite(tmp_path: Path):
    run = RunFolder(tmp_path)
    run_tests(run, coplay.make("hanabi", players=2), "random", rollouts=2, say=lambda line: None)
    found = results_of_tests(run)
    assert found is not None
    assert len(found["tests"]) >= 10
    assert "The tests it failed" in failed_section(run, found)


def test_games_without_a_suite_are_let_be(tmp_path: Path):
    assert has_tests(coplay.make("overcooked", layout="coordination_ring"))
    for game in (coplay.make("hanabi", players=5), coplay.make("overcooked", layout="cramped_room")):
        assert not has_tests(game)
        run_tests(RunFolder(tmp_path / "new"), game, "random", say=lambda line: None)
    assert not (tmp_path / "new").exists()
