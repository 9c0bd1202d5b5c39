"""Several agents in one evaluation: seeds of a method belong together, and its interval draws them anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.cli.app import app
from coplay.measure import MeasureError
from coplay.measure.evaluated.several import begin_several, evaluate_several, method_of, read_several, sum_up_several
from coplay.measure.evaluation import Evaluation, read_evaluation
from tests.measure.evaluated.test_compare import made_up

OWN = "file:tests/own/levers.py"


def judged(folder: Path, agent: str, scores: list[float], **changed: object) -> Evaluation:
    """Alone it always scores 3."""
    return read_evaluation(made_up(folder, agent, {agent: [3.0] * len(scores), "x": scores}, **changed))


def test_seeds_of_a_run_are_one_method_and_its_interval_is_over_them(tmp_path: Path):
    names = [f"run:runs/ippo/agent-{number}.safetensors" for number in range(4)]
    found = [judged(tmp_path / str(i), name, [10.0 * i] * 3) for i, name in enumerate(names)]
    several = sum_up_several([*found, judged(tmp_path / "b", "b", [7.0] * 3)], tmp_path)
    method, other = several.methods
    assert (method.method, method.agents, other.method) == ("run:runs/ippo", tuple(names), "b")
    assert method.means == (0, 10, 20, 30)
    assert method.mean.value == 15
    assert method.mean.low <= 5 < 25 <= method.mean.high  # all games of a seed are alike: only seeds tell anything
    assert other.mean[:3] == (7, 7, 7)
    assert method.self_play[:3] == (3, 3, 3)
    assert [row["seeds"] for row in several.rows()] == [4, 1]
    assert "run:runs/ippo 15.00" in several.title


def test_only_partners_that_all_met_count(tmp_path: Path):
    first = read_evaluation(made_up(tmp_path / "a", "a", {"a": [3, 3], "x": [1, 1], "y": [9, 9]}))
    second = judged(tmp_path / "b", "b", [2, 2])
    found = sum_up_several([first, second], tmp_path)
    assert (found.partners, found.left_out) == (("x",), ("y",))
    assert [one.mean.value for one in found.methods] == [1, 2]
    stranger = read_evaluation(made_up(tmp_path / "c", "c", {"c": [3, 3], "z": [1, 1]}))
    with pytest.raises(MeasureError, match="share no partner"):
        sum_up_several([first, stranger], tmp_path)


def test_agents_that_share_no_partner_play_no_game(tmp_path: Path):
    for partners in (["random"], ["stay", "random"]):
        with pytest.raises(MeasureError, match="share no partner"):
            evaluate_several("hanabi-very-small", ["stay", "random"], partners, 1, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_other_deals_are_refused(tmp_path: Path):
    one = judged(tmp_path / "a", "a", [1, 2])
    with pytest.raises(MeasureError, match=r"seed 3 .*same deals"):
        sum_up_several([one, judged(tmp_path / "b", "b", [1, 2], seed=3)], tmp_path)
    with pytest.raises(MeasureError, match="differ in --games"):
        sum_up_several([one, judged(tmp_path / "c", "c", [1, 2, 3])], tmp_path)


def test_a_method_is_the_run_or_the_family():
    assert method_of("run:a/b/agent-12.safetensors?greedy=false") == "run:a/b"
    assert method_of("run:a/b/best.safetensors") == "run:a/b/best.safetensors"
    assert method_of("piers") == "piers"
    assert method_of("piers", "mine") == "mine"


def test_agents_are_judged_in_folders_of_one_folder_which_goes_on(tmp_path: Path):
    out, agents = tmp_path / "run", [f"{OWN}:First", f"{OWN}:Follow"]
    found = evaluate_several(f"{OWN}:Levers", agents, [f"{OWN}:Follow", "random"], 4, out=out)
    assert found.partners == ("random",)  # nobody meets itself
    assert read_several(out) == found
    words = ["evaluate", *agents, "--game", f"{OWN}:Levers", "--partners", f"{OWN}:Follow,random", "--games", "4"]
    again = CliRunner().invoke(app, [*words, "--no-robustness", "--jobs", "1", "--out", str(out)])
    assert again.exit_code == 0, again.output
    assert "2 of 2 teams were played before" not in again.output  # First met two partners: five teams
    assert "5 of 5 teams were played before" in again.output
    assert f"{OWN}:First" in again.stdout
    page = (out / "report.html").read_text()
    for one in found.evaluations:
        assert f'href="{one.folder.name}/report.html"' in page
        assert (one.folder / "report.html").is_file()
    shown = CliRunner().invoke(app, ["report", str(out)])
    assert shown.stdout == again.stdout
    told = json.loads(CliRunner().invoke(app, ["report", str(out), "--json"]).stdout)
    assert [one["method"] for one in told["methods"]] == agents
    with pytest.raises(MeasureError, match="holds something else"):
        begin_several(out, agents[:1])
