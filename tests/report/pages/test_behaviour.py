"""`coplay behaviour`: tables, figures and a page; nothing is overwritten."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.worlds.hanabi.recordings.challenge import challenge_games
from coplay.worlds.hanabi.recordings.episodes import save_episodes


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of recorded games of players by the conventions."""
    file = tmp_path_factory.mktemp("data") / "people.safetensors"
    save_episodes(file, challenge_games("hgroup", 2, "val")[:4])
    return file


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """And of players by other conventions."""
    file = tmp_path_factory.mktemp("data") / "strangers.safetensors"
    save_episodes(file, challenge_games("fireflower", 2, "val")[:4])
    return file


@pytest.fixture(scope="module")
def done(people: Path, strangers: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("look") / "out"
    words = ["behaviour", "--recorded", str(people), "--recorded", str(strangers), "--out", str(folder)]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    return folder, found.stdout


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text().splitlines()))


def test_the_page_is_well_formed_and_complete(done: tuple[Path, str]):
    text = (done[0] / "report.html").read_text()
    page = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    headings = {node.text for node in page.iter("h2")}
    assert headings >= {"Communicativeness", "A map of the pool", "H-Group conventions", "Diversity", "All rates"}
    assert "https://" not in text


def test_recorded_games_are_looked_at_like_agents(done: tuple[Path, str], people: Path, strangers: Path):
    folder, shown = done
    names = [row["agent"] for row in rows(folder / "features.csv")]
    assert names == [str(people), str(strangers)]
    assert all(name in shown for name in names)
    kept = {row["agent"]: float(row["share"]) for row in rows(folder / "conventions.csv")}
    assert kept[str(people)] > kept[str(strangers)]


def test_every_table_holds_what_it_says(done: tuple[Path, str], people: Path):
    folder = done[0]
    style = rows(folder / "rates.csv")
    assert {row["rate"] for row in style} >= {"communicativeness", "information per play"}
    moves = [row for row in rows(folder / "convention-moves.csv") if row["agent"] == str(people)]
    assert len(moves) == sum(
        int(row["moves"]) for row in rows(folder / "conventions.csv") if row["agent"] == str(people)
    )
    [file, _] = sorted((folder / "actions").glob("*.csv"))
    actions = rows(file)
    assert len(actions) == 21
    line = actions[-1]
    assert sum(float(line[name]) for name in line if name not in ("last move", "times")) == pytest.approx(1)
    assert json.loads((folder / "run.json").read_text())["players"] == 2
    for figure in (folder / "figures").glob("*.svg"):
        assert ElementTree.parse(figure).getroot().tag.endswith("svg")
        assert figure.with_suffix(".csv").is_file()


def test_a_folder_with_anything_in_it_is_left_alone(done: tuple[Path, str]):
    before = (done[0] / "report.html").read_bytes()
    found = CliRunner().invoke(app, ["behaviour", "random", "--games", "2", "--out", str(done[0])])
    assert found.exit_code != 0
    assert "holds another behaviour of a pool" in str(found.exception)
    assert (done[0] / "report.html").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["random", "--games", "0"], "--games"),
        (["randm", "--games", "2"], "unknown agent 'randm'"),
        (["random", "--players", "9", "--games", "2"], "players"),
        (["random", "--games", "2", "--recorded", "nowhere.safetensors"], "no such file"),
        ([], "nobody to look at"),
    ],
)
def test_mistakes_write_nothing(tmp_path: Path, words: list[str], says: str):
    found = CliRunner().invoke(app, ["behaviour", *words, "--out", str(tmp_path / "new")])
    assert found.exit_code != 0
    assert says in found.output + str(found.exception)
    assert not (tmp_path / "new").exists()
