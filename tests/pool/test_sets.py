"""Sets: one name for partners that are met together, with what can be scored with each."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli.pool import app
from coplay.files import digest_of
from coplay.measure.study.cast import names_of
from coplay.measure.study.partners import default_partners
from coplay.nets.file import save_policy
from coplay.nets.policy import reader
from coplay.player import AgentError
from coplay.pool import sources
from coplay.pool.ceilings import ceilings
from coplay.pool.sets import Partner, PartnerSet, expand, read_partner_set, short_names, verify_set, wish_of
from tests.train.toy import design, random_network

GAME: Any = coplay.make("hanabi-very-small")
MEMBERS = ["set:hinters/partner-0", "set:hinters/partner-1"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pool with one set of two partners in it."""
    place = tmp_path / "sets" / "hinters"
    place.mkdir(parents=True)
    game = reader(GAME)
    files = {}
    for seed, name in enumerate(("partner-0", "response-0", "partner-1", "response-1")):
        files[name] = place / f"{name}.safetensors"
        save_policy(files[name], random_network(design(game), seed), game, {}, "int8", critic=False)
    partners = tuple(
        Partner(
            file=f"partner-{number}.safetensors",
            sha256=digest_of(files[f"partner-{number}"]),
            candidate=number,
            level=("final", "half")[number],
            wish="hints",
            self_play=(3.0 - number, 0.1, 100),
            response=f"response-{number}.safetensors",
            response_sha256=digest_of(files[f"response-{number}"]),
            ceiling=(2.0 + 2 * number, 0.1, 100),
        )
        for number in range(2)
    )
    found = PartnerSet(
        "hanabi-very-small", partners, (0, 1), 1.0, (0, 1), (1.0, 2.0), ((1.0,), (2.0,)), ((1.0,), (2.0,))
    )
    (place / "set.json").write_text(found.to_json())
    assert read_partner_set(place) == found
    monkeypatch.setattr(sources, "folders", lambda: (tmp_path,))
    return tmp_path


def test_a_set_stands_for_its_members(folder: Path):
    assert expand(["random", "set:hinters", "piers"]) == ["random", *MEMBERS, "piers"]
    assert expand([MEMBERS[0], "set:hinters/response-1"]) == [MEMBERS[0], "set:hinters/response-1"]
    assert expand([f"set:{folder}/sets/hinters"]) == [f"set:{folder}/sets/hinters/partner-{n}" for n in range(2)]
    assert [name for name, _ in names_of(["set:hinters"])] == MEMBERS


def test_a_chart_of_one_set_names_its_members_shortly():
    assert short_names(MEMBERS) == {MEMBERS[0]: "partner-0", MEMBERS[1]: "partner-1"}
    assert short_names([MEMBERS[0], "piers"]) == {MEMBERS[0]: MEMBERS[0], "piers": "piers"}
    assert (wish_of(MEMBERS[0]), wish_of("piers"), wish_of("set:gone/partner-0")) == ("hints", "", "")


def test_nobody_comes_in_twice_by_a_set():
    assert expand(["set:hinters", "set:hinters", MEMBERS[0]]) == [MEMBERS[1], MEMBERS[0]]
    assert expand(["piers", "piers"]) == ["piers", "piers"]  # what was typed is for others to refuse


def test_a_set_is_who_is_met_in_its_game_and_the_ceiling_comes_from_its_best_responses():
    assert default_partners(GAME) == MEMBERS
    assert "random" in default_partners(GAME, pool="scripted")
    assert MEMBERS[0] not in default_partners(coplay.make("hanabi-small"))
    found = ceilings(GAME)
    assert (found[MEMBERS[0]].score, found[MEMBERS[0]].held_by) == (3.0, "its own copies")
    assert (found[MEMBERS[1]].score, found[MEMBERS[1]].held_by) == (4.0, "its best response")


def test_a_best_response_that_the_partner_itself_beats_is_marked(folder: Path):
    first, second = read_partner_set(folder / "sets" / "hinters").partners
    assert first.marked
    assert not second.marked
    assert not dataclasses.replace(first, self_play=(3.0, 1.0, 100)).marked  # within the noise


def test_members_play(folder: Path):
    assert len(coplay.play(GAME, MEMBERS, games=2, progress=False).scores) == 2
    assert "set:hinters                    2 partners" in CliRunner().invoke(app, ["list"]).output
    shown = " ".join(CliRunner().invoke(app, ["show", "set:hinters"]).output.split())
    assert "partner-1 hints half 2.0 4.00 ± 0.10" in shown


def test_files_that_are_not_what_was_measured_are_found(folder: Path):
    assert "1 sets (4 files), every file as recorded" in CliRunner().invoke(app, ["verify"]).output
    (folder / "sets" / "hinters" / "response-1.safetensors").write_bytes(b"other")
    with pytest.raises(AgentError, match=r"set:hinters/response-1: .* is not the file that was measured"):
        verify_set("hinters")


def test_mistakes_are_explained(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(AgentError, match=r"unknown set 'hinter'; the sets are hinters; .*Did you mean 'hinters'"):
        expand(["set:hinter"])
    with pytest.raises(AgentError, match="was trained on hanabi-very-small"):
        coplay.agent(MEMBERS[0], coplay.make("hanabi"))
    monkeypatch.setattr(sources, "folders", lambda: ())
    with pytest.raises(AgentError, match=r"set:hinters: .*pip install coplay-pool"):
        expand(["set:hinters"])


def test_the_folder_of_a_training_run_stands_for_its_agents(tmp_path: Path):
    for name in ("agent-0", "agent-2", "agent-10", "agent-0-critic", "snapshot-0-0001"):
        (tmp_path / f"{name}.safetensors").touch()
    agents = [f"run:{tmp_path}/agent-{number}.safetensors?greedy=false" for number in (0, 2, 10)]
    assert expand(["piers", f"run:{tmp_path}?greedy=false", agents[1]]) == ["piers", agents[0], agents[2], agents[1]]
    (tmp_path / "empty").mkdir()
    with pytest.raises(AgentError, match="holds no agents"):
        expand([f"run:{tmp_path}/empty"])
