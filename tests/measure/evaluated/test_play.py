"""Evaluations: every partner, every seat, the same deals; interrupted runs go on; foreign folders stay as they are."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.evaluated.play import play_evaluation, played
from coplay.measure.evaluation import read_evaluation
from coplay.measure.study import partners
from coplay.measure.study.partners import check_pool, default_partners, one_per_family
from coplay.player import AgentError
from coplay.pool.pool import entry
from coplay.rollouts.episode_file import load
from coplay.rollouts.where import WhereError

PARTNERS = ["random", "simplebot"]


def evaluate(*given: Any, **named: Any) -> EvaluationFolder:
    return play_evaluation(*given, **named).folder


@pytest.fixture(scope="module")
def game() -> Game:
    return coplay.make("hanabi-very-small", players=2)


@pytest.fixture(scope="module")
def run(game: Game, tmp_path_factory: pytest.TempPathFactory) -> EvaluationFolder:
    """An evaluation nobody changes."""
    return evaluate(game, "valuebot", tmp_path_factory.mktemp("run") / "out", PARTNERS, games=6, seed=3)


def copy_of(run: EvaluationFolder, path: Path) -> Path:
    path.mkdir()
    for name in ("run.json", "games.csv"):
        (path / name).write_bytes((run / name).read_bytes())
    return path


def again(game: Game, path: Path, **changed: object) -> list[str]:
    """Evaluates once more; returns what was said."""
    said: list[str] = []
    settings = {"agent": "valuebot", "partners": PARTNERS, "games": 6, "seed": 3} | changed
    evaluate(game, out=path, say=said.append, **settings)  # pyright: ignore[reportArgumentType]
    return said


def test_every_team_plays_every_deal_once(run: EvaluationFolder):
    teams = played(run).teams
    assert list(teams) == [("valuebot", "AA")] + [(name, way) for name in PARTNERS for way in ("AP", "PA")]
    for rows in teams.values():
        assert [row.game for row in rows] == list(range(6))
        assert {row.seed for row in rows} == {3}


def test_the_rows_are_what_plain_play_gives(run: EvaluationFolder, game: Game):
    teams = played(run).teams
    plain = coplay.play(game, ["simplebot", "valuebot"], games=6, seed=3, engine="lockstep")
    rows = teams["simplebot", "PA"]
    assert [row.score for row in rows] == plain.scores.tolist()
    assert [row.length for row in rows] == plain.lengths.tolist()


def test_strikes_are_lives_lost(run: EvaluationFolder):
    for row in run.rows():
        assert row.facts["strikes"] in (0, 1)  # the smallest game has one life
        assert row.score == 0 or row.facts["strikes"] == 0


def test_recorded_games_lie_beside_the_rows(run: EvaluationFolder):
    episodes = load(run / "games/02-PA.safetensors")
    assert episodes.names == ("simplebot", "valuebot")
    teams = played(run).teams
    assert episodes.scores.tolist() == [row.score for row in teams["simplebot", "PA"]]


def test_summary_counts_every_team_the_same(run: EvaluationFolder):
    found = read_evaluation(run)
    teams = found.games
    means = [sum(row.score for row in rows) / 6 for (name, _), rows in teams.items() if name != "valuebot"]
    overall = found.overall
    assert overall.mean.value == pytest.approx(sum(means) / 4)
    assert (overall.n, overall.teams, overall.partners) == (24, 4, 2)
    assert overall.mean.low <= overall.mean.value <= overall.mean.high
    assert [one.partner for one in found.partners] == PARTNERS
    assert [way.seating for way in found.partners[0].seatings] == ["AP", "PA"]
    kept = json.loads(found.to_json(), parse_constant=lambda word: pytest.fail(word))
    assert kept["partners"][0]["seatings"][1]["seating"] == "PA"
    assert kept["run"]["agent"] == "valuebot"


def test_one_game_claims_no_interval(game: Game, tmp_path: Path):
    folder = evaluate(game, "random", tmp_path / "one", ["simplebot"], games=1, say=lambda line: None)
    own = json.loads(read_evaluation(folder).to_json())["self_play"]
    assert own["mean"]["low"] is None
    assert own["sd"] is None


def test_a_finished_run_plays_nothing_again(run: EvaluationFolder, game: Game, tmp_path: Path):
    path = copy_of(run, tmp_path / "done")
    assert again(game, path) == ["5 of 5 teams were played before"]
    assert not (path / "games").exists()


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.85, 0.999])
def test_a_cut_file_is_completed_to_the_same_games(run: EvaluationFolder, game: Game, tmp_path: Path, cut: float):
    path = copy_of(run, tmp_path / "cut")
    whole = (path / "games.csv").read_bytes()
    (path / "games.csv").write_bytes(whole[: int(len(whole) * cut)])
    said = again(game, path)
    assert 1 <= sum(line.startswith("[") for line in said) <= 5
    assert (path / "games.csv").read_bytes() == whole


def test_damage_in_the_middle_is_played_again(run: EvaluationFolder, game: Game, tmp_path: Path):
    path = copy_of(run, tmp_path / "damaged")
    lines = (path / "games.csv").read_text().splitlines(keepends=True)
    lines[9] = lines[9][:-9] + "\n"
    (path / "games.csv").write_text("".join(lines))
    assert sum(line.startswith("[") for line in again(game, path)) == 1
    assert sorted(map(repr, EvaluationFolder(path).rows())) == sorted(map(repr, run.rows()))


def test_a_killed_run_goes_on(tmp_path: Path):
    path = tmp_path / "killed"
    words = ["evaluate", "valuebot", "--game", "hanabi-very-small", "--partners", "random,simplebot"]
    command = [sys.executable, "-m", "coplay", *words, "--games", "6", "--out", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (path / "games" / "00-AA.safetensors").exists():
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (path / "report.html").exists()
    subprocess.run(command, check=True, capture_output=True)
    assert (path / "report.html").exists()
    assert len(EvaluationFolder(path).rows()) == 5 * 6


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"agent": "smartbot"}, "agent"),
        ({"seed": 4}, "seed 3, but 4"),
        ({"games": 7}, "games 6, but 7"),
        ({"partners": ["random"]}, "partners"),
    ],
)
def test_a_folder_of_another_question_is_left_alone(
    run: EvaluationFolder, game: Game, tmp_path: Path, changed: dict[str, object], word: str
):
    path = copy_of(run, tmp_path / "other")
    with pytest.raises(MeasureError, match=word):
        again(game, path, **changed)
    assert (path / "games.csv").read_bytes() == (run / "games.csv").read_bytes()
    assert (path / "run.json").read_bytes() == (run / "run.json").read_bytes()


@pytest.mark.parametrize(("name", "value"), [("coplay", "0.0.9"), ("game_version", 99), ("game", "hanabi")])
def test_a_folder_of_another_version_is_left_alone(
    run: EvaluationFolder, game: Game, tmp_path: Path, name: str, value: object
):
    path = copy_of(run, tmp_path / "old")
    settings = json.loads((path / "run.json").read_text()) | {name: value}
    (path / "run.json").write_text(json.dumps(settings))
    with pytest.raises(MeasureError, match=f"{name} .*another --out"):
        again(game, path)
    assert (path / "games.csv").read_bytes() == (run / "games.csv").read_bytes()


def test_a_folder_with_other_things_is_left_alone(game: Game, tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("dear")
    with pytest.raises(MeasureError, match="not a folder of coplay evaluate"):
        again(game, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_run_cut_off_before_it_began_can_begin(run: EvaluationFolder, tmp_path: Path):
    (tmp_path / "run.json.partial").write_text('{"format"')
    EvaluationFolder(tmp_path).begin(run.run())
    assert (tmp_path / "run.json").is_file()


def test_two_evaluations_do_not_write_one_folder(run: EvaluationFolder, game: Game, tmp_path: Path):
    path = copy_of(run, tmp_path / "shared")
    with EvaluationFolder(path).alone(), pytest.raises(MeasureError, match="another coplay evaluate"):
        again(game, path)


def test_a_changed_agent_file_is_noticed(game: Game, tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text(
        "import coplay\nclass Mine(coplay.Agent):\n    def act(self, view):\n        return view.legal.argmax()\n"
    )
    settings = {"agent": f"file:{file}:Mine", "partners": ["random"], "games": 6}
    again(game, tmp_path / "out", **settings)
    file.write_text(file.read_text() + "# better\n")
    with pytest.raises(MeasureError, match="files"):
        again(game, tmp_path / "out", **settings)


def test_forfeits_are_told_in_the_rows(game: Game, tmp_path: Path):
    file = tmp_path / "rude.py"
    file.write_text(
        "import coplay\nclass Rude(coplay.Agent):\n"
        '    def act(self, view):\n        raise ValueError("a, \\"b\\"\\nc")\n'
    )
    folder = evaluate(game, f"file:{file}:Rude", tmp_path / "out", ["random"], games=6, say=lambda line: None)
    assert {row.forfeit for row in folder.rows() if row.seating == "AP"} == {'turn 0, seat 0: ValueError: a, "b"'}
    assert read_evaluation(folder).overall.forfeits == 12


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"agent": "smartbto"}, "Did you mean 'smartbot'"),
        ({"partners": ["simplebto"]}, "Did you mean 'simplebot'"),
        ({"agent": "hatbot"}, "hatbot"),
        ({"partners": ["hatbot"]}, "hatbot"),
        ({"games": 0}, "games must be a whole number of at least 1; got 0"),
        ({"seed": -1}, "seed must be"),
        ({"on": 0}, "0 is no place to play"),
        ({"partners": []}, "partners is empty"),
        ({"partners": ["random", "random"]}, "twice"),
        ({"partners": ["valuebot"]}, "the agent itself"),
        ({"seatings": "some"}, "each, all"),
    ],
)
def test_mistakes_leave_no_folder(game: Game, tmp_path: Path, changed: dict[str, object], words: str):
    with pytest.raises((MeasureError, AgentError, WhereError), match=words):
        again(game, tmp_path / "new", **changed)
    assert not (tmp_path / "new").exists()


def test_default_partners_are_the_quick_ones(game: Game):
    names = default_partners(game, "random")
    assert "smartbot" in names
    assert not {"random", "hgroup", "fireflower"} & set(names)


def test_trained_partners_are_met_with_the_scripted_ones():
    game = coplay.make("hanabi", players=2)
    trained = default_partners(game, "pool:hanabi-2p-ippo-0", "trained")
    assert "pool:hanabi-2p-ippo-1" in trained
    assert all(name.startswith("pool:") for name in trained)
    assert "pool:hanabi-2p-ippo-0" not in trained  # the agent itself
    scripted, usual = default_partners(game, pool="scripted"), default_partners(game)
    assert usual[: len(scripted)] == scripted
    assert usual[len(scripted) :] == one_per_family(game, default_partners(game, pool="trained"))
    with pytest.raises(AgentError, match="nobody in the pool trained"):
        default_partners(coplay.make("hanabi-very-small"), pool="trained")


def test_one_of_each_family_is_company_enough(monkeypatch: pytest.MonkeyPatch):
    scores = {"a-0": 4.0, "a-1": 20.0, "a-2": 21.0, "b": 0.0, "c-x": 6.0}
    made = {
        name: dataclasses.replace(entry("hanabi-2p-ippo-0"), id=name, self_play=(mean, 0, 1))
        for name, mean in scores.items()
    }
    monkeypatch.setattr(partners, "entry", made.__getitem__)
    specs = [f"pool:{name}" for name in scores]
    game = coplay.make("hanabi")
    assert one_per_family(game, specs) == ["pool:a-1", "pool:c-x"]
    assert one_per_family(game, specs, "pool:a-1") == ["pool:a-2", "pool:c-x"]  # the agent itself is no company


def test_unknown_pools_are_refused():
    check_pool("default")
    with pytest.raises(MeasureError, match="unknown pool 'humans'"):
        check_pool("humans")


def test_three_players_sit_in_every_seat(tmp_path: Path):
    game = coplay.make("hanabi-very-small", players=3)
    folder = evaluate(game, "random", tmp_path / "three", ["simplebot"], games=2, say=lambda line: None)
    assert list(played(folder).teams) == [("random", "AAA"), *(("simplebot", way) for way in ("APP", "PAP", "PPA"))]


def test_a_kitchen_has_no_strikes(tmp_path: Path):
    game = coplay.make("overcooked", layout="cramped_room", horizon=20)
    folder = evaluate(game, "stay", tmp_path / "kitchen", ["random"], games=2, say=lambda line: None)
    assert "strikes" not in (folder / "games.csv").read_text()
    overall = read_evaluation(folder).overall
    assert overall.facts == {}
    assert overall.perfect is None


def test_work_beside_the_games_is_done_and_its_errors_are_heard(game: Game, tmp_path: Path):
    done: list[Path] = []
    folder = evaluate(
        game, "random", tmp_path / "out", ["simplebot"], 2, say=lambda line: None, beside=lambda f: done.append(f.path)
    )
    assert done == [folder.path]

    def fails(folder: EvaluationFolder) -> None:
        raise MeasureError("the tests broke")

    with pytest.raises(MeasureError, match="the tests broke"):
        evaluate(game, "random", tmp_path / "out", ["simplebot"], 2, say=lambda line: None, beside=fails)


def test_work_beside_the_games_begins_when_the_first_team_has_played(game: Game, tmp_path: Path):
    said: list[str] = []
    evaluate(
        game, "random", tmp_path / "out", ["simplebot"], 2, say=said.append, beside=lambda f: said.append("beside")
    )
    assert said.index("beside") >= 1
    # Where nothing is left to play, it is done all the same.
    said.clear()
    evaluate(
        game, "random", tmp_path / "out", ["simplebot"], 2, say=said.append, beside=lambda f: said.append("beside")
    )
    assert said == ["3 of 3 teams were played before", "beside"]
