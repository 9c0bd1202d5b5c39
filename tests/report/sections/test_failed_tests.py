"""Unit tests of collaboration within an evaluation: kept in the folder, shown on the page."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import coplay
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.evaluated.tests import SuiteResult, has_tests, results_of_tests, run_tests
from coplay.measure.robustness.result import CategoryScore, UnitScore
from coplay.measure.stats import Estimate, bootstrap
from coplay.report.sections.failed_tests import failed_section, passed_share
from coplay.rollouts.episode_file import load, save

PASSED = {
    "obvious": [[True, True], [True, True]],
    "hard": [[False, True], [False, False]],
    "hardest": [[False, False], [False, False]],
    "easy": [[True, True], [True, False]],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four tests with games of a small deck."""
    path = tmp_path_factory.mktemp("tests") / "run"
    games = coplay.play(coplay.make("hanabi-very-small"), "random", games=4, seed=0, engine="lockstep")
    for name in PASSED:
        save(games, path / f"tests/games/{name}.safetensors")
    return path


@pytest.fixture(scope="module")
def found() -> SuiteResult:
    tests = []
    for name, passed in PASSED.items():
        score = bootstrap(np.mean(passed, 0), np.mean)
        failed = tuple(np.flatnonzero(~np.array(passed).reshape(-1)).tolist())
        place = f"tests/games/{name}.safetensors"
        tests.append(UnitScore("hanabi 2p", "state", name, "random", 2, score, f"do the {name}", place, failed))
    return SuiteResult(2, tuple(tests), (CategoryScore("hanabi 2p", "state", 4, Estimate(0.5, 0.4, 0.6, 2)),))


def test_the_page_shows_what_was_failed_and_lets_one_watch(folder: Path, found: SuiteResult):
    part = ElementTree.fromstring(failed_section(folder, found))
    assert [node.text for node in part.iter("h2")] == ["The tests it failed"]
    rows = [node.text for node in part.iter("td") if node.get("class") == "name"]
    assert rows == ["hardest", "hard", "easy"]
    frames = list(part.iter("iframe"))
    assert len(frames) == 2
    assert 'id="step"' in frames[0].attrib["srcdoc"]
    assert f"coplay replay {folder}/tests/games/easy.safetensors --game 3" in "".join(part.itertext())


def test_nothing_failed_is_said_and_nothing_asked_is_nothing_said(folder: Path, found: SuiteResult, tmp_path: Path):
    tests = tuple(dataclasses.replace(one, score=Estimate(1.0, 1.0, 1.0, 2)) for one in found.tests)
    fine = dataclasses.replace(found, tests=tests)
    assert "The tests it passed" in failed_section(folder, fine)
    assert passed_share(fine) == "4 of 4"
    assert results_of_tests(tmp_path) is None
    assert failed_section(folder, None) == ""


def test_folders_written_before_are_read(tmp_path: Path, folder: Path):
    row: dict[str, Any] = {"agent": "random", "where": "hanabi 2p", "category": "state", "score": 0.5, "low": None}
    row |= {"high": None, "tests": 1}
    test = row | {"test": "easy", "partner": "quiet", "starts": 2, "rollouts": 2, "says": "do it"}
    place = "robustness/easy.safetensors"
    save(load(folder / "tests/games/easy.safetensors"), tmp_path / place)
    older = {"rollouts": 2, "seed": 0, "tests": [test | {"failed_games": place}], "categories": [row]}
    (tmp_path / "robustness/tests.json").write_text(json.dumps(older))
    found = results_of_tests(tmp_path)
    assert found is not None
    assert passed_share(found) == "0 of 1"
    assert "Watch it fail: easy" in failed_section(tmp_path, found)


@pytest.mark.slow
def test_an_evaluation_plays_the_whole_suite_once(tmp_path: Path):
    run, said = EvaluationFolder(tmp_path), []
    for _ in range(2):
        run_tests(run, coplay.make("hanabi", players=2), "random", rollouts=2, say=said.append)
    assert len(said) == 1
    found = results_of_tests(tmp_path)
    assert found is not None
    assert len(found.tests) >= 10
    assert "The tests it failed" in failed_section(tmp_path, found)


def test_games_without_a_suite_are_let_be(tmp_path: Path):
    assert has_tests(coplay.make("overcooked", layout="coordination_ring"))
    for game in (coplay.make("hanabi", players=5), coplay.make("overcooked", layout="cramped_room")):
        assert not has_tests(game)
        run_tests(EvaluationFolder(tmp_path / "new"), game, "random", say=lambda line: None)
    assert not (tmp_path / "new").exists()
