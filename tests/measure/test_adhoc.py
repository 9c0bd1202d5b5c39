"""Ad-hoc teams: one game per trial in a random seat, after games of the team, and nothing is remembered."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli import app
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.adhoc import AdHocFolder, Trial, adhoc, read_adhoc
from coplay.measure.adhoc.trials import _filled
from coplay.measure.study.runner import finished
from coplay.player import AgentError, can_learn
from tests.measure.study.posted import Posted

EXAMPLE = Path(__file__).parents[2] / "examples" / "mimic.py"
LEARNER = """
import coplay

LOG = []

class Learner(coplay.Agent):
    name = "learner"
    seen = 0

    def observe_games(self, games):
        LOG.append((self.seen, len(games), games.names, games.actions.tobytes()))
        self.seen += len(games)

    def act(self, view):
        legal = view.legal.nonzero()[0]
        return int(legal[-1 if self.seen else 0])
"""


@pytest.fixture(scope="module")
def game() -> Game:
    return coplay.make("hanabi-very-small", players=2)


def trials(folder: AdHocFolder | Path) -> dict[tuple[Any, ...], list[Trial]]:
    """By team and number of observed games."""
    here = folder if isinstance(folder, AdHocFolder) else AdHocFolder(folder)
    return dict(finished(here, here.run().jobs))


@pytest.fixture(scope="module")
def learned(game: Game, tmp_path_factory: pytest.TempPathFactory) -> AdHocFolder:
    folder = tmp_path_factory.mktemp("learned")
    (folder / "learner.py").write_text(LEARNER)
    spec = f"file:{folder / 'learner.py'}:Learner"
    return AdHocFolder(adhoc(game, spec, ["random"], trials=8, sets=4, observe=[2, 0], out=folder / "out").folder)


@pytest.fixture(scope="module")
def log(learned: AdHocFolder) -> list[Any]:
    import sys

    [module] = [module for name, module in sys.modules.items() if name.startswith("coplay_user_learner")]
    return list(module.LOG)


def test_every_set_is_shown_to_a_fresh_copy(log: list[Any]):
    assert [(seen, count) for seen, count, _, _ in log] == [(0, 0)] * 4 + [(0, 2)] * 4
    assert len({games for _, count, _, games in log if count}) == 4  # four different sets


def test_who_the_team_is_stays_hidden(log: list[Any]):
    assert {names for _, _, names, _ in log} == {("team", "team")}


def test_each_seat_is_taken_as_often_as_the_other(learned: AdHocFolder):
    rows = trials(learned)["random", 2]
    for one in range(4):
        assert sorted(row.seat for row in rows if row.set == one) == [0, 1]


def test_a_trial_is_one_game_on_its_own_deal(learned: AdHocFolder, game: Game):
    """The learner plays differently after games than without, and the team's own score is on the same deal."""
    done = trials(learned)
    alone = coplay.play(game, "random", 8, 0, engine="lockstep").scores
    assert [row.team_score for row in done["random", 2]] == alone.tolist()
    assert [row.length for row in done["random", 0]] != [row.length for row in done["random", 2]]


def test_trials_are_played_on_the_deals_of_their_numbers(game: Game, tmp_path: Path):
    """However they are grouped, a trial is the game that plain play gives."""
    found = adhoc(game, "simplebot", ["random"], trials=8, sets=3)
    rows = AdHocFolder(found.folder).rows()
    whole = {
        0: coplay.play(game, ["simplebot", "random"], 8, 0, engine="lockstep"),
        1: coplay.play(game, ["random", "simplebot"], 8, 0, engine="lockstep"),
    }
    assert [row.score for row in rows] == [float(whole[row.seat].scores[row.trial]) for row in rows]
    assert [row.length for row in rows] == [int(whole[row.seat].lengths[row.trial]) for row in rows]


def test_who_cannot_learn_plays_once_for_all_numbers_of_games(game: Game, tmp_path: Path):
    said: list[str] = []
    asked: dict[str, Any] = {"trials": 8, "sets": 2, "observe": [0, 5], "out": tmp_path / "out"}
    done = trials(adhoc(game, "random", ["simplebot"], **asked, say=said.append).folder)
    assert [row[3:] for row in done["simplebot", 0]] == [row[3:] for row in done["simplebot", 5]]
    again: list[str] = []
    adhoc(game, "random", ["simplebot"], **asked, say=again.append)
    assert len(said) == 2
    assert again == ["2 of 2 teams were played before"]


def test_the_summary_stands_beside_the_team(learned: AdHocFolder):
    found = read_adhoc(learned)
    assert [(one.partner, one.observed) for one in found.teams] == [("random", 0), ("random", 2)]
    rows = trials(learned)["random", 2]
    team = found.teams[1]
    assert team.mean.value == pytest.approx(np.mean([row.score for row in rows]))
    assert team.difference.value == pytest.approx(team.mean.value - team.team_mean.value)
    assert json.loads(found.to_json())["teams"][1]["partner"] == "random"
    assert repr(found).startswith("<file:")


def test_padding_only_where_it_costs_nothing(game: Game):
    policy = coplay.agent("random", game)
    assert _filled([3, 7, 9], [policy, policy]) == [3, 7, 9, 9, 9, 9, 9, 9]
    assert _filled([3, 7, 9], [policy, coplay.Agent()]) == [3, 7, 9]


def test_the_hook_is_found_where_it_is_defined(game: Game):
    class Plain:
        def act(self, view: Any) -> int:
            return 0

    assert not can_learn(coplay.Agent())
    assert not can_learn(coplay.agent("random", game))
    assert not can_learn(coplay.agent(Plain(), game))  # pyright: ignore


class End(eqx.Module):
    """Plays the first legal action, or the last."""

    which: int = eqx.field(static=True)
    name: str = eqx.field(static=True, default="end")
    hears = "own"

    def start(self) -> None:
        return None

    def act(self, memory: None, view: Any, key: Any) -> tuple[None, Any]:
        legal = view.legal
        return memory, jnp.argmax(legal) if self.which == 0 else legal.shape[0] - 1 - jnp.argmax(legal[::-1])


def test_the_mimic_plays_as_the_bot_it_recognises(game: Game, monkeypatch: pytest.MonkeyPatch):
    found = importlib.util.spec_from_file_location("mimic", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    mimic = importlib.util.module_from_spec(found)
    found.loader.exec_module(mimic)
    bots = {"iggi": End(0), "other": End(-1)}
    monkeypatch.setattr(mimic, "known", lambda game: bots)
    player = mimic.Mimic(game)
    assert can_learn(player)
    assert player.observe_games(coplay.play(game, End(-1), 8, 5, engine="lockstep")) is bots["other"]
    assert player.observe_games(coplay.play(game, "random", 8, 5, engine="lockstep")) is bots["iggi"]  # a stranger


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sets": 5}, "sets=5 but only 4 trials"),
        ({"observe": []}, "observe is empty"),
        ({"observe": [-1]}, "observe must be a whole number"),
        ({"partners": ["simplebot", "simplebot"]}, "twice"),
        ({"partners": ["nobody"]}, "unknown agent"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(game: Game, tmp_path: Path, changed: dict, words: str):
    settings: dict[str, Any] = {"partners": ["simplebot"], "trials": 4, "sets": 2} | changed
    with pytest.raises((MeasureError, AgentError), match=words):
        adhoc(game, "random", out=tmp_path / "new", **settings)
    assert not (tmp_path / "new").exists()


def test_a_hook_that_breaks_is_named(game: Game, tmp_path: Path):
    (tmp_path / "broken.py").write_text(
        LEARNER.replace("LOG.append(", "raise ValueError(").replace("games.names, ", "")
    )
    spec = f"file:{tmp_path / 'broken.py'}:Learner"
    with pytest.raises(AgentError, match="observe_games failed on 1 games: ValueError"):
        adhoc(game, spec, ["random"], trials=8, sets=8, observe=[1], out=tmp_path / "out")


def test_the_command_writes_a_page_and_a_curve(tmp_path: Path):
    words = ["adhoc", "random", "--game", "hanabi-very-small", "--partners", "simplebot", "--trials", "8", "--sets"]
    done = CliRunner().invoke(app, [*words, "2", "--observe", "0,1", "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert "all teams" in done.stdout
    for name in ("report.html", "summary.json", "games.csv", "figures/curve.svg", "figures/curve.csv"):
        assert (tmp_path / "run" / name).is_file()
    assert len((tmp_path / "run" / "figures/curve.csv").read_text().splitlines()) == 1 + 2 + 2
    bad = CliRunner().invoke(app, [*words, "2", "--observe", "few", "--out", str(tmp_path / "other")])
    assert "--observe few" in str(bad.exception)


def test_trials_that_are_played_elsewhere_are_the_same(tmp_path: Path):
    levers = "file:tests/own/levers.py"
    asked = {"partners": [f"{levers}:First", f"{levers}:Follow"], "trials": 6, "sets": 2, "observe": [0, 1]}
    place = Posted()
    for out, on in (("here", 1), ("there", place)):
        adhoc(f"{levers}:Levers", f"{levers}:Follow", name="mine", **asked, on=on, out=tmp_path / out)
    assert place.done == 2
    assert (tmp_path / "here/games.csv").read_bytes() == (tmp_path / "there/games.csv").read_bytes()
