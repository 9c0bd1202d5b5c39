"""What partners are made of: a change of anything is found, and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from coplay.challenge import pins
from coplay.challenge.pins import changes, pins_of, pool_hash
from coplay.challenge.rules import read_rules
from tests.serve.harness import rules

HELPER = "ACTION = 0\n"
AGENT = """
import helper
from coplay import Agent

class Mine(Agent):
    def act(self, view):
        return helper.ACTION
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "agent.py").write_text(AGENT)
    return tmp_path / "agent.py"


def pinned(mine: Path) -> pins.Pins:
    return pins_of(read_rules(rules(partners=f'"smartbot", "file:{mine}:Mine"')))


def test_what_is_pinned_is_found_by_its_contents_and_not_by_its_date(mine: Path) -> None:
    before = pinned(mine)
    mine.write_text(AGENT)
    assert pinned(mine) == before
    assert set(before) == {"all", "smartbot", f"file:{mine}:Mine"}
    assert set(before[f"file:{mine}:Mine"]) == {str(mine), str(mine.parent / "helper.py")}


@pytest.mark.parametrize("file", ["agent.py", "helper.py"])
def test_a_change_of_a_partners_file_or_of_what_it_imports_names_both(mine: Path, file: str) -> None:
    before = pinned(mine)
    (mine.parent / file).write_text("ACTION = 1\n")
    after = pinned(mine)
    assert f"file:{mine}:Mine: {mine.parent / file} has other contents" in changes(before, after)
    assert pool_hash(before) != pool_hash(after)


def test_a_file_that_is_gone_is_named(mine: Path) -> None:
    before = pinned(mine)
    (mine.parent / "helper.py").unlink()
    assert changes(before, pinned(mine)) == [f"file:{mine}:Mine: {mine.parent / 'helper.py'} is gone"]


def test_another_version_of_the_package_is_a_change_for_every_partner(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = pinned(mine)
    was = before["all"]["coplay"]
    monkeypatch.setattr(pins, "__version__", "9.9")
    assert changes(before, pinned(mine)) == [f"coplay was {was} and is 9.9"]
