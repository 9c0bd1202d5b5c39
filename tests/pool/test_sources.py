"""Pools are packages beside this one: none, one or several."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli.app import app
from coplay.games import make
from coplay.measure.study.partners import default_partners
from coplay.player import AgentError
from coplay.pool import pool, reference, sources
from coplay.pool.ceilings import ceilings
from coplay.pool.reference import Met, reference_text

OURS = pool.entry("cramped_room-ippo-0")
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes packages with a copy of one of our agents, as if they were installed beside coplay."""
    points: list[EntryPoint] = []
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sources, "entry_points", lambda group: points if group == "coplay.pools" else [])
    sources.folders.cache_clear()

    def make_one(package: str, *agents: str, point: str = "extra") -> Path:
        folder = tmp_path / package
        (folder / "agents").mkdir(parents=True)
        (folder / "__init__.py").touch()
        for name in agents:
            shutil.copy(OURS.path, folder / "agents" / f"{name}.safetensors")
            shutil.copy(OURS.path.with_suffix(".toml"), folder / "agents" / f"{name}.toml")
        points.append(EntryPoint(point, package, "coplay.pools"))
        sources.folders.cache_clear()
        return folder

    yield make_one
    sources.folders.cache_clear()
    for name in [name for name in sys.modules if name.startswith("pool_of_")]:
        del sys.modules[name]


@pytest.fixture
def no_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sources, "entry_points", lambda group: [])
    monkeypatch.setitem(sys.modules, "coplay_pool", None)
    sources.folders.cache_clear()
    yield
    sources.folders.cache_clear()


def test_other_packages_bring_partners_too(install: Install):
    install("pool_of_others", "their-agent")
    install("pool_of_more", "one-more")  # both call their entry point the same
    assert {"their-agent", "one-more", OURS.id} <= pool.entries().keys()
    kitchen = make("overcooked", horizon=10)
    assert {"pool:their-agent", "pool:one-more"} <= set(pool.of_game(kitchen))
    assert not coplay.play(kitchen, "pool:their-agent", games=2, engine="lockstep").forfeits


def test_an_agent_of_two_sides_has_no_score_with_its_copies(install: Install):
    file = install("pool_of_others", "x") / "agents" / "x.toml"
    file.write_text(re.sub(r"self_play = .*", "self_play = []", file.read_text()))
    assert pool.entry("x").self_play is None
    assert "self_play      even" in CliRunner().invoke(app, ["pool", "show", "x"]).output
    assert "pool:x" not in ceilings(make("overcooked"))


def test_ours_is_found_by_its_name_alone(install: Install):
    assert OURS.id in pool.entries()  # `install` hides all entry points


def test_two_partners_of_one_name_are_an_error(install: Install):
    install("pool_of_others", OURS.id)
    with pytest.raises(AgentError, match=r"two pools have 'cramped_room-ippo-0' in agents: .*coplay_pool and .*others"):
        pool.entries()


def test_a_pool_that_cannot_be_imported_is_named(install: Install):
    shutil.rmtree(install("pool_of_nobody"))
    sources.folders.cache_clear()
    with pytest.raises(AgentError, match=r"the pool pool_of_nobody is announced .* cannot be imported"):
        sources.folders()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("kind =", "sort ="), r"x\.toml lacks kind"),
        (lambda text: text + "\nextra = 1", r"x\.toml has extra"),
        (lambda text: text + "\n= 1", r"x\.toml is no TOML file"),
    ],
)
def test_mistakes_in_a_file_are_named(install: Install, change: Callable[[str], str], words: str):
    file = install("pool_of_others", "x") / "agents" / "x.toml"
    file.write_text(change(file.read_text()))
    with pytest.raises(AgentError, match=words):
        pool.entries()


def test_an_older_file_names_its_game_in_parts(install: Install):
    file = install("pool_of_others", "x") / "agents" / "x.toml"
    parts = 'game = "overcooked"\nplayers = 2\nlayout = "cramped_room"\nfile = "x.safetensors"'
    file.write_text(file.read_text().replace(f'game = "{OURS.game}"', parts))
    assert pool.entry("x").game == OURS.game
    assert pool.entry("x").measured_in(make("overcooked"))


def test_the_tables_of_several_pools_are_one(install: Install):
    few, many = Met("all", 10, 1.0, 0.1), Met("all", 10**6, 2.0, 0.1)
    table = {("random", "random"): few, ("stay", "random"): many, ("pool:x", "random"): few}
    folder = install("pool_of_others", "x")
    before = reference.reference(make("overcooked"))
    (folder / "reference").mkdir()
    (folder / "reference" / "overcooked.csv").write_text(reference_text(table))
    now = reference.reference(make("overcooked"))
    assert now == {**before, ("stay", "random"): many, ("pool:x", "random"): few}


def test_without_a_pool_scripted_partners_are_met(no_pool):
    game = make("hanabi")
    assert default_partners(game) == default_partners(game, pool="scripted")
    assert pool.of_game(game) == []
    assert ceilings(game) == {}
    assert "pip install coplay-pool" in sources.missing()


@pytest.mark.parametrize(
    "command",
    [
        "pool list",
        "pool show hanabi-2p-ippo-0",
        "pool verify",
        "selfplay pool:hanabi-2p-ippo-0 --games 1",
        "predict random --data hgroup",
    ],
)
def test_without_a_pool_commands_that_need_one_say_how_to_get_it(no_pool, command: str):
    failed = CliRunner().invoke(app, command.split()).exception
    assert "pip install coplay-pool" in str(failed)


def test_without_a_pool_an_evaluation_says_what_is_missing(no_pool, monkeypatch, tmp_path):
    class Enough(Exception):
        pass

    def stop(*args, **settings):
        raise Enough

    monkeypatch.setattr("coplay.cli.judging.evaluate.make_game", stop)
    said = CliRunner().invoke(app, ["evaluate", "smartbot", "--games", "1", "--out", str(tmp_path)])
    assert isinstance(said.exception, Enough)
    assert "pip install coplay-pool" in said.stderr
    named = CliRunner().invoke(app, ["evaluate", "smartbot", "--partners", "iggi", "--out", str(tmp_path)])
    assert "pip" not in named.stderr
