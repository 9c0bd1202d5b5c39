"""An evaluation beside the pool's agents: the same partners, the same seatings, and only games of the same kind."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from coplay.games import make
from coplay.measure.evaluation import Evaluation
from coplay.pool import reference, sources
from coplay.pool.pool import entries
from coplay.pool.reference import Met
from coplay.report.sections.pool_comparison import comparison_section, reference_of, rivals
from tests.report.made_up import made_up

ROOT = Path(__file__).parents[3]
REFERENCE = sorted((ROOT / "pool/src/coplay_pool/reference").glob("*.csv"))


def evaluation(players: int = 2, **scores: Any) -> Evaluation:
    """With these means, in every seating."""
    return made_up(make("hanabi", players=players), 20, scores or {"iggi": 3.0})


@pytest.mark.parametrize("file", REFERENCE, ids=lambda file: file.stem)
def test_the_tables_have_every_pair_once_and_everybodys_self_play(file: Path):
    rows = list(csv.DictReader(file.read_text().splitlines()))
    pairs = [(row["agent"], row["partner"]) for row in rows]
    assert len(set(pairs)) == len(pairs)
    named = {partner for _, partner in pairs if not partner.startswith("set:")}  # a set tells of its own members
    assert {(partner, partner) for partner in named} <= set(pairs)
    assert all(float(row["mean"]) >= 0 and row["seats"] in ("all", "0") for row in rows)


@pytest.mark.parametrize("players", [2, 3])
def test_the_scripted_agents_have_the_published_numbers(players: int):
    published = csv.DictReader((ROOT / f"docs/data/crossplay-{players}p.csv").read_text().splitlines())
    known = reference_of(evaluation(players).run)
    assert known is not None
    for row in published:
        if row["seat 0"] == row["other seats"]:
            met = known[row["seat 0"], row["seat 0"]]
            error = math.hypot(met.standard_error, float(row["standard error"]))
            assert met.mean == pytest.approx(float(row["mean"]), abs=4 * error + 1e-9)


def test_rows_of_weights_that_were_replaced_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    game, name = make("hanabi"), "pool:hanabi-2p-ippo-0"
    file = tmp_path / "reference" / "hanabi.csv"
    file.parent.mkdir()
    table = {(name, "iggi"): met(3), ("iggi", "iggi"): met(17)}
    file.write_text(reference.reference_text(table))
    agents = sources.folders()[0] / "agents"
    (tmp_path / "agents").symlink_to(agents)
    monkeypatch.setattr(sources, "folders", lambda: (tmp_path,))
    assert reference.reference(game) == table
    weights = entries()["hanabi-2p-ippo-0"].sha256[:8]
    file.write_text(file.read_text().replace(weights, "00000000"))
    assert list(reference.reference(game)) == [("iggi", "iggi")]


def met(mean: float, error: float = 0.1, seats: str = "all") -> Met:
    return Met(seats, 100, mean, error)


def test_an_agent_is_held_against_the_pool_with_its_own_partners_only():
    known = {("x", "p"): met(5), ("x", "q"): met(9), ("p", "p"): met(3), ("q", "p"): met(4)}
    found = {one.name: one for one in rivals(evaluation(p=7.0, z=1.0), known)}
    assert set(found) == {"x", "q"}  # not p against its copies
    assert (found["x"].partners, found["x"].mean, found["x"].this) == (1, 5.0, 7.0)
    assert found["x"].difference == 2
    assert found["q"].mean == 4


def test_agents_are_compared_in_the_seats_of_the_table():
    one = evaluation(3, p={"APP": 7.0, "PAP": 4.0, "PPA": 1.0})
    assert [found.this for found in rivals(one, {("x", "p"): met(4, seats="0")})] == [7.0]
    assert [found.this for found in rivals(one, {("x", "p"): met(4)})] == [4.0]


def test_the_section_names_who_scores_more():
    known = reference_of(evaluation().run)
    assert known is not None
    count = len({agent for agent, partner in known if partner == "iggi"})
    assert f"0 of {count} agents" in comparison_section(evaluation(iggi=30.0, piers=30.0))
    assert f"{count - 1} of {count - 1} agents" in comparison_section(evaluation(iggi=-1.0))  # iggi itself is left out


def test_other_settings_and_unknown_partners_are_not_compared():
    assert comparison_section(evaluation(nobody=3.0)) == ""
    assert comparison_section(made_up(make("hanabi", hand_size=4), 20, {"iggi": 3.0})) == ""
    assert comparison_section(made_up(make("hanabi"), 20, {"iggi": 3.0}, game_version=99)) == ""
