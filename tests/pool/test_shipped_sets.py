"""The sets of the pool: as many partners as the paper has, whole files, ceilings above what copies score."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli import app
from coplay.measure.study.partners import default_partners
from coplay.pool.ceilings import ceilings
from coplay.pool.reference import reference, reference_text
from coplay.pool.sets import find_set, member_hash, read_partner_set, verify_set
from studies.zsc.plan import LAYOUTS


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_set_is_whole(layout: str):
    name = f"zsc-{layout}"
    found = read_partner_set(find_set(name))
    assert len(found.partners) == 2 * LAYOUTS[layout][0] == 2 * len(set(found.chosen))
    assert verify_set(name) == 2 * len(found.partners)
    assert all(file.stat().st_size < 61_000 for file in find_set(name).glob("*.safetensors"))
    assert all(one.ceiling[0] > 0 for one in found.partners)
    assert all(one.known_by for one in found.partners if one.marked), "it is said who passed its best response"


@pytest.mark.parametrize("name", ["zsc-forced_coordination", "set:zsc-forced_coordination"])
def test_a_set_is_shown_by_its_name(name: str):
    shown = CliRunner().invoke(app, ["pool", "show", name]).output
    assert shown.startswith("overcooked?layout=forced_coordination\n")
    assert "partner-19" in shown


def test_who_is_judged_in_a_kitchen_meets_its_set():
    kitchen: Any = coplay.make("overcooked", layout="forced_coordination", horizon=40)
    members = default_partners(coplay.make("overcooked", layout="forced_coordination"))
    assert members == [f"set:zsc-forced_coordination/partner-{number}" for number in range(20)]
    found = ceilings(coplay.make("overcooked", layout="forced_coordination"))
    assert all(found[one].best_response is not None for one in members)
    response = members[3].replace("partner", "response")
    assert coplay.play(kitchen, [members[3], response], games=2, progress=False).lengths.tolist() == [40, 40]


def test_what_was_scored_with_a_set_counts_for_just_these_weights():
    kitchen = coplay.make("overcooked", layout="coordination_ring")
    known = reference(kitchen)
    partner = "set:zsc-coordination_ring/partner-0"
    assert known["greedy-cook", partner].games == 200
    text = reference_text(known)
    assert f"greedy-cook,{partner},{member_hash('zsc-coordination_ring/partner-0')[:8]},all,200," in text
    assert member_hash("zsc-coordination_ring/partner-99") == member_hash("no-set/partner-0") == ""
