"""The tables of docs/results.md: made from kept runs, so that a second call plays only what is new."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import coplay
from coplay.measure import MeasureError
from coplay.pool.ceilings import Ceiling, Figure
from coplay.pool.reference import Met
from studies.results import page, runs, tables
from studies.results.__main__ import app
from studies.results.jobs import Job, jobs_of, share_out
from studies.results.page import section_text, write_reference, write_results
from studies.results.published import AH2AC2
from studies.results.work import Size, Work, made_by

AGENTS = ("random", "simplebot")
SMALL = Size(trials=8, sets=4, games=8, each=8, episodes=1, recorded=2)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch):
    """The smallest Hanabi in place of the real one, and two agents."""

    def make(name: str, **settings: Any) -> Any:
        return coplay.make("hanabi-very-small", **settings)

    monkeypatch.setattr(runs, "make", make)
    monkeypatch.setattr(runs, "entries", dict)
    monkeypatch.setattr(runs, "WORTH_JOINING", -1)
    monkeypatch.setattr(runs, "default_partners", lambda game: ["random", "simplebot"])
    figure = Figure(0.01, 0.1, 10)
    for module in (runs, tables):
        monkeypatch.setattr(module, "default_proxies", lambda game: ["simplebot"])
        monkeypatch.setattr(module, "ceilings", lambda game, table=None: {"simplebot": Ceiling(figure, figure)})


def work(cache: Path, agents: list[str]) -> Work:
    return Work(cache, SMALL, agents, [2], lambda line: None)


def files(cache: Path) -> dict[Path, int]:
    found = [*cache.rglob("games.csv"), *cache.rglob("*.json")]
    return {path: path.stat().st_mtime_ns for path in found if path.name != "run.json"}


@pytest.mark.usefixtures("small")
def test_a_new_agent_is_added_without_playing_the_old_ones_again(tmp_path: Path):
    page, cache, sections = tmp_path / "results.md", tmp_path / "cache", ["adhoc", "ah2ac2", "proximity"]
    write_results(page, work(cache, ["random"]), sections)
    first, kept = page.read_text(), files(cache)
    for heading in ("## Ad-hoc teams", "## With proxies of people", "## Best-response proximity"):
        assert heading in first
    assert first.count("| `random` | scripted |") == 3
    write_results(page, work(cache, ["random", "simplebot"]), sections)
    second = page.read_text()
    assert "| `simplebot` | scripted |" in second
    assert [line for line in first.splitlines() if line.startswith("| `random`")] == [
        line for line in second.splitlines() if line.startswith("| `random`")
    ]
    assert kept.items() <= files(cache).items()
    # ad hoc: simplebot with random, and random by itself; proximity: simplebot with both; it is its own proxy
    assert len(files(cache)) == len(kept) + 4


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("section", ["adhoc", "ah2ac2", "proximity"])
def test_jobs_play_all_that_the_tables_read(tmp_path: Path, section: str):
    asked = work(tmp_path / "cache", ["random", "simplebot"])
    jobs = list(jobs_of(asked, section))
    for job in jobs:
        job.run(asked)
    kept = files(asked.cache)
    assert kept
    write_results(tmp_path / "results.md", asked, [section])
    assert files(asked.cache) == kept
    assert {job.agent for job in jobs} <= {"random", "simplebot"}


@pytest.mark.usefixtures("small")
def test_the_packages_tables_are_made_of_the_same_games(tmp_path: Path):
    asked = work(tmp_path / "cache", ["random", "simplebot"])
    write_reference(tmp_path / "tables", asked)
    [file] = (tmp_path / "tables").iterdir()
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [(row["agent"], row["partner"], row["games"]) for row in rows] == [
        ("random", "random", "8"),
        ("random", "simplebot", "16"),
        ("simplebot", "random", "16"),
        ("simplebot", "simplebot", "8"),
    ]
    assert float(rows[1]["mean"]) == float(rows[2]["mean"])  # two players: the same teams


@pytest.mark.usefixtures("small")
def test_what_the_packages_tables_know_from_more_games_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    known = {
        ("random", "simplebot"): Met("all", 10_000, 0.25, 0.01),
        ("simplebot", "simplebot"): Met("all", 2, 9.0, 1.0),
        ("hgroup", "hgroup"): Met("all", 2, 9.0, 1.0),
    }
    monkeypatch.setattr(page, "reference", lambda game: known)
    write_reference(tmp_path, work(tmp_path / "cache", ["random", "simplebot"]))
    rows = csv.DictReader((tmp_path / "hanabi-very-small.csv").read_text().splitlines())
    games = {(row["agent"], row["partner"]): int(row["games"]) for row in rows}
    assert games["random", "simplebot"] == 10_000
    assert games["simplebot", "simplebot"] == 8
    assert games["hgroup", "hgroup"] == 2


def test_jobs_are_shared_by_processes_and_kept(tmp_path: Path):
    game, said = coplay.make("hanabi-very-small", players=2), []
    asked = Work(tmp_path, SMALL, say=said.append)
    jobs = [Job("adhoc", name, name, game, partial(runs.alone, game=game, team=name)) for name in AGENTS]
    share_out(asked, jobs, 2)
    assert len(said) == len(list(tmp_path.rglob("*.json"))) == len(jobs)


@pytest.mark.usefixtures("small")
def test_sections_that_are_not_asked_for_stay(tmp_path: Path):
    page, cache = tmp_path / "results.md", tmp_path / "cache"
    (cache / "sections").mkdir(parents=True)
    (cache / "sections" / "adhoc.md").write_text("## Ad-hoc teams\n\nas it was\n")
    write_results(page, work(cache, ["random"]), ["ah2ac2"])
    assert "as it was" in page.read_text()
    assert page.read_text().index("## Ad-hoc teams") < page.read_text().index("## With proxies")


def test_prediction_is_remembered_by_the_games_it_saw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runs, "COMMUNITIES", ("fireflower",))
    monkeypatch.setattr(runs, "CHANCE", "")  # the quickest agent shall have a line
    section = tables.prediction_section(work(tmp_path, ["random"]))
    assert [row[0] for row in section.tables[0].rows] == ["`random`", "any legal action"]
    monkeypatch.delattr(runs, "predict")  # it is not asked again
    assert tables.prediction_section(work(tmp_path, ["random"])) == section
    with pytest.raises(NameError):
        tables.prediction_section(Work(tmp_path, Size(recorded=1), ["random"], [2], lambda line: None))
    assert "| any legal action |" in section_text(section)


def test_equal_methods_stand_beside_each_other():
    assert made_by("smartbot") == "scripted"
    assert made_by("pool:hanabi-2p-ippo-0") == "ippo"
    assert AH2AC2["ippo", 2].mean == 10.16


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "chess"], "no section 'chess'"),
        (["--people", "nowhere.safetensors"], "no such file"),
        (["--players", "two"], "write whole numbers"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(tmp_path: Path, words: list[str], said: str):
    done = CliRunner().invoke(app, ["--out", str(tmp_path / "r.md"), "--cache", str(tmp_path / "c"), *words])
    assert isinstance(done.exception, MeasureError)
    assert said in str(done.exception)
    assert not list(tmp_path.iterdir())
