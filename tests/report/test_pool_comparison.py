"""An evaluation beside the pool's agents: the same partners, the same seatings, and only games of the same kind."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from coplay.games.registry import make
from coplay.play.episode_file import settings_of
from coplay.pool import reference
from coplay.pool.pool import entries
from coplay.pool.reference import Met
from coplay.report.pool_comparison import comparison_section, reference_of, rivals

ROOT = Path(__file__).parents[2]
REFERENCE = sorted((ROOT / "src/coplay/pool/reference").glob("*.csv"))


def summary(players: int = 2, agent: str = "mine", **scores: float) -> dict[str, Any]:
    """What an evaluation with these means, in every seating, would say."""
    game = make("hanabi", players=players)
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in settings_of(game).items()}
    ways = ["A" + "P" * (players - 1), "P" * (players - 1) + "A"]
    run = {"game": "hanabi", "game_version": game.version, "players": players, "game_settings": settings}
    partners = [
        {
            "partner": name,
            "seatings": [{"seating": way, "mean": {"value": score}, "standard_error": 0.1} for way in ways],
        }
        for name, score in scores.items()
    ]
    return {"run": run | {"agent": agent}, "partners": partners}


@pytest.mark.parametrize("file", REFERENCE, ids=lambda file: file.stem)
def test_the_tables_have_every_pair_once_and_everybodys_self_play(file: Path):
    rows = list(csv.DictReader(file.read_text().splitlines()))
    pairs = [(row["agent"], row["partner"]) for row in rows]
    assert len(set(pairs)) == len(pairs)
    assert {(partner, partner) for _, partner in pairs} <= set(pairs)
    assert all(float(row["mean"]) >= 0 and row["seats"] in ("all", "0") for row in rows)


@pytest.mark.parametrize("players", [2, 3])
def test_the_scripted_agents_have_the_published_numbers(players: int):
    published = csv.DictReader((ROOT / f"docs/data/crossplay-{players}p.csv").read_text().splitlines())
    known = reference_of(summary(players)["run"])
    assert known is not None
    for row in published:
        if row["seat 0"] == row["other seats"]:
            met = known[row["seat 0"], row["seat 0"]]
            error = math.hypot(met.standard_error, float(row["standard error"]))
            assert met.mean == pytest.approx(float(row["mean"]), abs=4 * error + 1e-9)


def test_rows_of_weights_that_were_replaced_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    game, name = make("hanabi"), "pool:hanabi-2p-ippo-0"
    table = {(name, "iggi"): met(3), ("iggi", "iggi"): met(17)}
    (tmp_path / "hanabi-2p.csv").write_text(reference.reference_text(table))
    monkeypatch.setattr(reference, "FOLDER", tmp_path)
    assert reference.reference(game) == table
    weights = entries()["hanabi-2p-ippo-0"].sha256[:8]
    file = tmp_path / "hanabi-2p.csv"
    file.write_text(file.read_text().replace(weights, "00000000"))
    assert list(reference.reference(game)) == [("iggi", "iggi")]


def met(mean: float, error: float = 0.1, seats: str = "all") -> Met:
    return Met(seats, 100, mean, error)


def test_an_agent_is_held_against_the_pool_with_its_own_partners_only():
    known = {("x", "p"): met(5), ("x", "q"): met(9), ("p", "p"): met(3), ("q", "p"): met(4)}
    found = {one.name: one for one in rivals(summary(p=7.0, z=1.0), known)}
    assert set(found) == {"x", "q"}  # not p against its copies
    assert (found["x"].partners, found["x"].mean, found["x"].this) == (1, 5.0, 7.0)
    assert found["x"].difference == 2
    assert found["q"].mean == 4


def test_agents_are_compared_in_the_seats_of_the_table():
    one = summary(3, p=7.0)
    one["partners"][0]["seatings"][1]["mean"]["value"] = 1.0  # in the last seat
    assert [found.this for found in rivals(one, {("x", "p"): met(4, seats="0")})] == [7.0]
    assert [found.this for found in rivals(one, {("x", "p"): met(4)})] == [4.0]


def test_the_section_names_who_scores_more():
    known = reference_of(summary()["run"])
    assert known is not None
    count = len({agent for agent, partner in known if partner == "iggi"})
    assert f"0 of {count} agents" in comparison_section(summary(iggi=30.0, piers=30.0))
    assert f"{count - 1} of {count - 1} agents" in comparison_section(summary(iggi=-1.0))  # iggi itself is left out


def test_other_settings_and_unknown_partners_are_not_compared():
    one = summary(iggi=3.0)
    assert comparison_section(summary(nobody=3.0)) == ""
    one["run"]["game_settings"]["hand_size"] = 4
    assert comparison_section(one) == ""
    two = summary(iggi=3.0)
    two["run"]["game_version"] = 99
    assert comparison_section(two) == ""
