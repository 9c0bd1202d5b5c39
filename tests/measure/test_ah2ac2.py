"""The AH2AC2 protocol: every seating and combination, the same number of games each."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli import app
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure import ah2ac2 as protocol
from coplay.measure.ah2ac2 import ProxyFolder, ah2ac2, default_proxies, read_ah2ac2, seatings
from coplay.player import AgentError


@pytest.fixture(scope="module")
def game() -> Game:
    return coplay.make("hanabi-very-small", players=2)


@pytest.fixture(scope="module")
def run(game: Game, tmp_path_factory: pytest.TempPathFactory) -> ProxyFolder:
    out = tmp_path_factory.mktemp("run") / "out"
    return ProxyFolder(ah2ac2(game, "random", ["simplebot"], 15, 3, out=out).folder)


def test_two_proxies_make_the_configurations_of_the_challenge():
    assert seatings(2, 2) == ["AB", "AC", "BA", "CA"]
    three = seatings(3, 2)
    assert len(three) == 18
    assert Counter(way.count("A") for way in three) == {1: 12, 2: 6}
    assert Counter("".join(sorted(way)) for way in three) == {"ABB": 3, "ABC": 6, "ACC": 3, "AAB": 3, "AAC": 3}


def test_every_configuration_plays_as_often_on_deals_of_its_own(run: ProxyFolder):
    rows = run.rows()
    assert Counter(row.seating for row in rows) == {"AB": 8, "BA": 8}  # 15 games are rounded up
    assert [row.deal for row in rows] == list(range(16))


def test_games_are_those_that_plain_play_gives(run: ProxyFolder, game: Game):
    played = coplay.play(game, ["simplebot", "random"], deals=range(8, 16), seed=3, engine="lockstep")
    rows = [row for row in run.rows() if row.seating == "BA"]
    assert [row.score for row in rows] == played.scores.tolist()
    assert [row.length for row in rows] == played.lengths.tolist()


def test_all_games_count_the_same(run: ProxyFolder):
    found = read_ah2ac2(run)
    scores = np.array([row.score for row in run.rows()])
    overall = found.overall
    assert overall.n == 16
    assert overall.mean.value == pytest.approx(scores.mean())
    assert overall.median.value == np.median(scores)
    assert overall.zero.value == (scores == 0).mean()
    assert found.letters == {"A": "random", "B": "simplebot"}
    assert [(one.members, one.seatings, one.n) for one in found.teams] == [("AB", 2, 16)]
    assert json.loads(found.to_json())["overall"]["n"] == 16


def test_a_finished_run_plays_nothing_again(run: ProxyFolder, game: Game):
    said: list[str] = []
    ah2ac2(game, "random", ["simplebot"], 15, 3, out=run.path, say=said.append)
    assert said == ["2 of 2 teams were played before"]


def test_proxies_are_the_likest_kind_the_pool_has(game: Game, monkeypatch: pytest.MonkeyPatch):
    pool = {"hdr_ippo": ["pool:good"], "bc": ["pool:clone", "pool:other"]}
    monkeypatch.setattr(protocol, "of_game", lambda game, kinds: pool.get(kinds[0], []))
    monkeypatch.setattr(protocol, "one_per_family", lambda game, specs, me: [spec for spec in specs if spec != me])
    assert default_proxies(game) == ["pool:good"]
    assert default_proxies(game, "pool:good") == ["pool:clone", "pool:other"]
    pool["proxy"] = ["pool:person-0", "pool:person-1"]
    assert default_proxies(game, "pool:person-0") == ["pool:person-1"]
    pool.clear()
    with pytest.raises(MeasureError, match="name some: --proxies"):
        default_proxies(game)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"games": 0}, "games must be a whole number"),
        ({"proxies": []}, "partners is empty"),
        ({"proxies": ["random"]}, "the agent itself"),
        ({"proxies": ["nobody"]}, "unknown agent"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(game: Game, tmp_path: Path, changed: dict[str, Any], words: str):
    with pytest.raises((MeasureError, AgentError), match=words):
        ah2ac2(game, "random", **{"proxies": ["simplebot"], **changed}, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_command_writes_a_page(run: ProxyFolder):
    words = ["ah2ac2", "random", "--game", "hanabi-very-small", "--proxies", "simplebot", "--games", "15"]
    done = CliRunner().invoke(app, [*words, "--seed", "3", "--out", str(run.path)])
    assert done.exit_code == 0, done.output
    assert "everything" in done.stdout
    for name in ("report.html", "summary.json", "figures/teams.svg", "figures/teams.csv"):
        assert (run / name).is_file()
