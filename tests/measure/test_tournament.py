"""Tournaments: two teams, the same deals; interrupted ones go on; mistakes leave nothing behind."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import coplay
from coplay.game import Game
from coplay.measure import MeasureError, teamwork
from coplay.measure.dropin.plan import COPIES
from coplay.measure.dropin.play import TournamentFolder, default_matches, play_tournament, played_tournament
from coplay.measure.dropin.results import _weak_leader
from coplay.measure.dropin.rounds import FIRST
from coplay.measure.stats import Estimate
from coplay.measure.tournament import read_tournament
from coplay.player import AgentError

AGENTS = ["random", "simplebot", "valuebot", "internal"]
DEALS = 8


@pytest.fixture(scope="module")
def game() -> Game:
    return coplay.make("hanabi-very-small", players=2)


@pytest.fixture(scope="module")
def cup(game: Game, tmp_path_factory: pytest.TempPathFactory) -> TournamentFolder:
    """A tournament nobody changes."""
    return play_tournament(game, AGENTS, tmp_path_factory.mktemp("cup") / "out", games=DEALS).folder


def again(game: Game, path: Path, **changed: object) -> list[str]:
    """Plays on; returns what was said."""
    said: list[str] = []
    settings = {"agents": AGENTS, "games": DEALS} | changed
    play_tournament(game, out=path, say=said.append, **settings)  # pyright: ignore[reportArgumentType]
    return said


def copy_of(cup: TournamentFolder, path: Path) -> Path:
    path.mkdir()
    for name in ("run.json", "games.csv"):
        (path / name).write_bytes((cup / name).read_bytes())
    return path


def test_both_teams_of_a_match_play_the_same_deals_and_no_others_do(cup: TournamentFolder):
    matches = [team for team in cup.run().jobs if team.key[1] != COPIES]
    for first, second in zip(matches[::2], matches[1::2], strict=True):
        assert (first.key[0], first.seed) == (second.key[0], second.seed)
        assert not set(first.members) & set(second.members)
    assert len({team.seed for team in matches}) == len(matches) / 2


def test_all_teams_of_copies_play_the_same_deals(cup: TournamentFolder):
    rounds: dict[int, set[int]] = {}
    for team in cup.run().jobs:
        if team.key[1] == COPIES:
            assert len(set(team.members)) == 1
            rounds.setdefault(team.key[0], set()).add(team.seed)
    assert all(len(seeds) == 1 for seeds in rounds.values())


def test_the_rows_are_what_plain_play_gives(cup: TournamentFolder, game: Game):
    team = cup.run().jobs[-1]
    played = coplay.play(game, list(team.members), games=DEALS, seed=team.seed, engine="lockstep")
    assert [row.score for row in played_tournament(cup).teams[team.key]] == played.scores.tolist()


def test_the_goal_difference_is_the_mean_over_the_deals(cup: TournamentFolder):
    found = read_tournament(cup)
    assert found.complete
    assert len(found.matches) == 3  # four agents in pairs: all there is
    rows = played_tournament(cup).teams
    for one in found.matches:
        a, b = (rows[one.number, side, "-".join(map(str, t))] for side, t in (("a", one.team_a), ("b", one.team_b)))
        assert one.difference == pytest.approx(np.mean([x.score - y.score for x, y in zip(a, b, strict=True)]))


def test_the_standings_are_the_papers_measures(cup: TournamentFolder):
    found = read_tournament(cup)
    games = [(one.team_a, one.team_b, one.difference) for one in found.matches]
    skill = teamwork.skill_agd(found.rel_skill, 2)
    dropin = teamwork.dropin_agd(games, 4)
    for line in found.standings:
        i = AGENTS.index(line.agent)
        assert line.skill.value == pytest.approx(skill[i])
        assert line.dropin.value == pytest.approx(dropin[i])
        assert line.teamwork.value == pytest.approx(dropin[i] - skill[i])
        assert line.teamwork.low < line.teamwork.value < line.teamwork.high
        assert line.matches == 3
    values = [line.teamwork.value for line in found.standings]
    assert values == sorted(values, reverse=True)
    assert min(found.standings, key=lambda line: line.skill.value).agent == "random"


def test_few_matches_are_completed_by_the_model_and_less_sure(cup: TournamentFolder, game: Game, tmp_path: Path):
    said = again(game, tmp_path / "few", matches=2)
    assert sum(line.startswith("[") for line in said) == 4 * 10 + 4
    few, whole = read_tournament(tmp_path / "few"), read_tournament(cup)
    assert not few.complete
    width = [np.mean([one.dropin.high - one.dropin.low for one in found.standings]) for found in (few, whole)]
    assert width[0] > width[1]


def test_reference_agents_have_no_teamwork_by_definition(cup: TournamentFolder):
    found = read_tournament(cup, ["simplebot", "valuebot"])
    norm = {line.agent: line.normalised for line in found.standings}
    assert norm["simplebot"] == pytest.approx(0)
    assert norm["valuebot"] == pytest.approx(0)
    assert any("random" in words and "outside" in words for words in found.notes)


@pytest.mark.parametrize(("skill", "dropin", "warns"), [(-2, 1, True), (-2, 3, False), (-0.1, 0, False), (1, 2, False)])
def test_a_leader_that_fails_with_its_own_copies_is_named(
    cup: TournamentFolder, skill: float, dropin: float, warns: bool
):
    """Only where that explains more of its lead than what its mixed teams win, and is more than chance."""
    first = read_tournament(cup).standings[0]
    estimates = {name: Estimate(v, v - 0.5, v + 0.5, 9) for name, v in (("skill", skill), ("dropin", dropin))}
    said = _weak_leader(dataclasses.replace(first, agent="odd", **estimates))
    assert bool(said) == warns
    assert all(words.startswith("odd leads because it does badly with its own copies") for words in said)


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_cut_file_is_completed_to_the_same_games(cup: TournamentFolder, game: Game, tmp_path: Path, cut: float):
    path = copy_of(cup, tmp_path / "cut")
    whole = (path / "games.csv").read_bytes()
    (path / "games.csv").write_bytes(whole[: int(len(whole) * cut)])
    with pytest.raises(MeasureError, match="not finished"):
        read_tournament(path)
    assert any("were played before" in line for line in again(game, path))
    assert (path / "games.csv").read_bytes() == whole


def test_one_that_ends_by_itself_ends_the_same_after_a_cut(game: Game, tmp_path: Path):
    out = tmp_path / "until"
    assert again(game, out, until=3.5)
    whole, result = (out / "games.csv").read_bytes(), read_tournament(out)
    assert len(result.matches) > FIRST  # it looked, and went on
    assert all((line.teamwork.high - line.teamwork.low) / 2 <= 3.5 for line in result.standings)
    assert (result.run.matches, result.run.most, result.notes) == (None, game.max_score, ())
    (out / "games.csv").write_bytes(whole[: int(len(whole) * 0.97)])
    with pytest.raises(MeasureError, match="not finished"):
        read_tournament(out)
    assert any("were played before" in line for line in again(game, out, until=3.5))
    assert (out / "games.csv").read_bytes() == whole
    with pytest.raises(MeasureError, match=r"with until 3\.5, but 4\.0 was asked for"):
        again(game, out, until=4.0)


@pytest.mark.parametrize(("name", "value"), [("coplay", "0.0.9"), ("game_version", 99), ("games", 9)])
def test_a_folder_of_another_version_is_left_alone(
    cup: TournamentFolder, game: Game, tmp_path: Path, name: str, value: object
):
    path = copy_of(cup, tmp_path / "old")
    (path / "run.json").write_text(json.dumps(json.loads((path / "run.json").read_text()) | {name: value}))
    with pytest.raises(MeasureError, match=f"another tournament, with {name} .*another --out"):
        again(game, path)
    assert (path / "games.csv").read_bytes() == (cup / "games.csv").read_bytes()


def test_an_evaluations_folder_is_left_alone(game: Game, tmp_path: Path):
    (tmp_path / "run.json").write_text('{"format": "coplay evaluation 1"}')
    with pytest.raises(MeasureError, match="is not 'coplay tournament 1'"):
        again(game, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"agents": ["random", "simplebto", "valuebot", "internal"]}, "Did you mean 'simplebot'"),
        ({"agents": ["random", "hatbot", "valuebot", "internal"]}, "hatbot"),
        ({"agents": AGENTS[:3]}, "two teams of 2 need 4 agents; there are 3"),
        ({"agents": ["random", "internal", "valuebot", "internal"]}, "internal is named twice"),
        ({"games": 0}, "games must be a whole number of at least 1; got 0"),
        ({"matches": 0}, "matches must be"),
        ({"seed": -1}, "seed must be"),
        ({"until": 0.0}, "until=0.0: say to how many points, above 0"),
    ],
)
def test_mistakes_leave_no_folder(game: Game, tmp_path: Path, changed: dict[str, object], words: str):
    with pytest.raises((MeasureError, AgentError), match=words):
        again(game, tmp_path / "new", **changed)
    assert not (tmp_path / "new").exists()


def test_a_reference_must_take_part(cup: TournamentFolder):
    with pytest.raises(MeasureError, match="reference piers is not among the agents"):
        read_tournament(cup, ["piers"])


def test_all_matches_are_played_where_there_are_few():
    assert default_matches(4, 2) == 3
    assert default_matches(6, 3) == 10
    assert default_matches(12, 2) == 100
