"""The page about a closed challenge says what its export says, and nothing that does not agree."""

from __future__ import annotations

import gzip
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.report import write_challenge_report
from coplay.cli import app
from coplay.measure.sequential import anytime_mean
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from tests.serve.harness import House, first_legal, last_legal, rules

BEFORE = Path(__file__).parent / "golden" / "export-of-0001.json.gz"
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    """Two entrants with two partners each; one entrant of a name that is a script. A second challenge beside it."""
    folder = tmp_path_factory.mktemp("closed")
    house = House(f"sqlite:///{folder}/coplay.db", rules(games=4, partners='"random", "iggi"'))
    for name, choose in ((EVIL, last_legal), ("first", first_legal)):
        entrant, _ = house.enter(name)
        with house.database.write() as transaction:
            attempt = open_attempt(transaction, entrant, "eval")
        house.sit(attempt).play(choose)
        house.finish(attempt)
    with house.database.write() as transaction:
        host.new_challenge(transaction, "other", rules())
        host.open_challenge(transaction, "other")
        host.pause_challenge(transaction, "other", reason="of another challenge")
        host.pause_challenge(transaction, "small", reason="the machine moved")
    close_and_score(house.database, "small")
    export = str(folder / "small.json.gz")
    write_export(house.database, "small", export)
    yield house, export
    house.close()


def test_the_page_has_the_board_the_partners_the_cost_and_what_was_checked(
    closed: tuple[House, str], tmp_path: Path
) -> None:
    house, export = closed
    out = tmp_path / "report.html"
    done = CliRunner().invoke(app, ["challenge", "report", export, "--out", str(out)])
    assert done.exit_code == 0, done.output
    page = out.read_text()
    ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    text = re.sub(r"<[^>]+>", " ", page)
    with house.database.read() as transaction:
        lines = board(transaction, "small")
    for line in lines:
        assert f"{line.mean:.3f}" in text
        assert f"{line.low:.3f} to {line.high:.3f}" in text
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    content = json.loads(gzip.decompress(Path(export).read_bytes()))
    tables = [table for attempt in content["attempts"] for table in attempt["tables"]]
    for entrant, attempt in zip((EVIL, "first"), content["attempts"], strict=True):
        assert attempt["entrant"]["name"] == entrant
        for partner in ("random", "iggi"):
            scores = [one["score"] for one in attempt["tables"] if one["partners"] == f'["{partner}"]']
            assert f">{sum(scores) / len(scores):.2f}<" in page
    assert f"{len(tables)} games and {sum(len(one['actions']) for one in tables)} turns in all" in text
    first = content["attempts"][1]["tables"]
    both = [[one["score"] for one in first if one["partners"] == f'["{partner}"]'] for partner in ("random", "iggi")]
    rounds = anytime_mean(np.mean(both, axis=0), 0, 5)
    assert f"{rounds.value:.3f} {rounds.low:.3f} to {rounds.high:.3f}" in " ".join(text.split())
    assert "every score agrees" in text
    assert "the machine moved" in text
    assert "of another challenge" not in text
    assert content["audit"][-1]["hash"] in text


def test_of_an_export_that_does_not_agree_no_page_is_made(closed: tuple[House, str], tmp_path: Path) -> None:
    content = json.loads(gzip.decompress(Path(closed[1]).read_bytes()))
    content["attempts"][0]["results"][0]["mean"] += 1
    changed, out = tmp_path / "changed.json.gz", tmp_path / "report.html"
    changed.write_bytes(gzip.compress(json.dumps(content).encode()))
    with pytest.raises(ChallengeError, match="the audit does not confirm"):
        write_challenge_report(str(changed), str(out))
    assert not out.exists()


def test_a_challenge_of_before_has_a_page_too(tmp_path: Path) -> None:
    write_challenge_report(str(BEFORE), str(tmp_path / "report.html"))
    assert "0.500" in (tmp_path / "report.html").read_text()
