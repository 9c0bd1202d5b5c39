"""`coplay study`: the studies of the repository by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.cli.app import app
from coplay.cli.study import StudyError

ROOT = Path(__file__).parents[2]


def test_a_study_has_commands_of_its_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, ["study", "zsc", "page", "--help"])
    assert result.exit_code == 0
    assert "coplay study zsc page" in result.output


def test_a_name_that_is_none_is_told_those_there_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, ["study", "zcs"])
    assert isinstance(result.exception, StudyError)
    there = ", ".join(sorted(file.parent.name for file in (ROOT / "studies").glob("*/__main__.py")))
    assert f"the studies are {there}." in str(result.exception)


def test_outside_the_repository_it_is_said_where_studies_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["study", "zsc"])
    assert "studies are no part of the package" in str(result.exception)
