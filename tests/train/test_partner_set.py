"""A set of partners that prefer different things, made from nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.files import digest_of
from coplay.nets.file import read_safetensors
from coplay.player import AgentError
from coplay.pool.sets import PartnerSet, load_member, member_specs, read_partner_set
from coplay.train.pairs import PairScores
from coplay.train.partner_set import PartnerSetSettings, make_partner_set
from coplay.train.settings import TrainError
from tests.train.recipes.test_population_methods import GAME, SIZES, plain_start
from tests.train.toy import Toy

__all__ = ["plain_start"]
LEARN: dict[str, Any] = {**SIZES, "games": 16, "turns": 8, "epochs": 1, "minibatches": 2, "bundle": 5}
SETTINGS = PartnerSetSettings(
    pairs=3, choose=2, turns=40 * 128, response_turns=10 * 128, episodes=20, judged=30, learn=LEARN
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: Any) -> tuple[Path, PartnerSet]:
    folder = tmp_path_factory.mktemp("set") / "toy"
    return folder, make_partner_set(GAME, folder, SETTINGS, progress=False, say=lambda line: None)


@pytest.mark.slow
def test_every_chosen_candidate_is_there_twice_with_a_response_to_each(made: Any):
    folder, found = made
    assert len(found.partners) == 4
    assert [partner.level for partner in found.partners] == ["final", "half"] * 2
    for partner in found.partners:
        assert partner.candidate in found.chosen
        assert partner.wish in ("plain", "says 0", "says 1")
        assert digest_of(folder / partner.file) == partner.sha256
        assert digest_of(folder / partner.response) == partner.response_sha256
        assert partner.ceiling[2] == partner.self_play[2] == 60  # both seats
    turns = [json.loads(read_safetensors(folder / p.file)[1]["made"])["turns"] for p in found.partners]
    assert turns[0] == turns[2] == 40 * 128
    assert 0 < turns[1] < turns[0]


def test_the_same_call_goes_on_and_learns_nothing_anew(made: Any):
    folder, found = made
    before = (folder / "responses" / "checkpoint.safetensors").stat().st_mtime_ns
    again = make_partner_set(GAME, folder, SETTINGS, progress=False, say=lambda line: None)
    assert (folder / "responses" / "checkpoint.safetensors").stat().st_mtime_ns == before
    assert again.partners == found.partners
    with pytest.raises(TrainError, match="begun with other settings"):
        make_partner_set(GAME, folder, PartnerSetSettings(), progress=False)


def test_a_set_is_read_as_it_was_written(made: Any):
    folder, found = made
    assert read_partner_set(folder) == found
    with pytest.raises(AgentError, match="holds no finished set"):
        read_partner_set(folder / "candidates")


def test_members_are_named_by_their_set_and_checked(made: Any, tmp_path: Path):
    folder, _ = made
    assert member_specs(str(folder)) == [f"set:{folder}/partner-{number}" for number in range(4)]
    assert not load_member(f"{folder}/response-3", GAME).greedy
    with pytest.raises(AgentError, match="unknown member 'partner-9'"):
        load_member(f"{folder}/partner-9", GAME)
    shutil.copytree(folder, tmp_path / "copy", ignore=shutil.ignore_patterns("candidates", "responses"))
    shutil.copy(folder / "partner-1.safetensors", tmp_path / "copy" / "partner-0.safetensors")
    with pytest.raises(AgentError, match="is not the file that was measured"):
        load_member(f"{tmp_path / 'copy'}/partner-0", GAME)


def test_features_are_those_of_the_responses():
    """Events of whoever did not prefer anything: [pairs, seats of the first, players, events]."""
    events = np.arange(2 * 2 * 2 * 3, dtype=float).reshape(2, 2, 2, 3)
    played = PairScores(np.zeros((2, 2, 5)), events)
    np.testing.assert_array_equal(played.by_first[0], [events[0, 0, 0], events[0, 1, 1]])
    np.testing.assert_array_equal(played.by_others[0], [events[0, 0, 1], events[0, 1, 0]])


def test_what_cannot_be_made_is_said(tmp_path: Path):
    game: Any = Toy()
    with pytest.raises(TrainError, match="does not say what its players may prefer"):
        make_partner_set(game, tmp_path / "set", SETTINGS)
    with pytest.raises(TrainError, match=r"choose=4 of pairs=3"):
        PartnerSetSettings(pairs=3, choose=4)
