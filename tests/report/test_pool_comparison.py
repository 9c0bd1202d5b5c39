"""An evaluation beside the pool's agents: the same partners, the same seatings, and only games of the same kind."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from coplay.games.registry import make
from coplay.play.episode_file import settings_of
from coplay.report.pool_comparison import comparison_section, reference_of, rivals

ROOT = Path(__file__).parents[2]
REFERENCE = sorted((ROOT / "src/coplay/report/reference").glob("*.csv"))


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
def test_the_tables_have_every_pair_in_both_orders_once(file: Path):
    rows = list(csv.DictReader(file.read_text().splitlines()))
    pairs = [(row["seat 0"], row["other seats"]) for row in rows]
    assert len(set(pairs)) == len(pairs)
    assert {(second, first) for first, second in pairs} == set(pairs)
    assert all(float(row["mean"]) >= 0 for row in rows)


@pytest.mark.parametrize("players", [2, 3])
def test_the_scripted_agents_have_the_published_numbers(players: int):
    published = csv.DictReader((ROOT / f"docs/data/crossplay-{players}p.csv").read_text().splitlines())
    known = reference_of(summary(players)["run"])
    assert known is not None
    for row in published:
        assert known[row["seat 0"], row["other seats"]][0] == float(row["mean"])


def test_an_agent_is_held_against_the_pool_with_its_own_partners_only():
    known = {("x", "p"): (4.0, 0.1), ("p", "x"): (6.0, 0.1), ("x", "q"): (9.0, 0.1), ("p", "q"): (3.0, 0.3)}
    known |= {("q", "p"): (5.0, 0.4), ("half", "p"): (1.0, 0.1)}
    found = {one.name: one for one in rivals(summary(p=7.0, z=1.0), known)}
    assert set(found) == {"x", "q"}  # not p against its copies, not who sat in one seat only
    assert (found["x"].partners, found["x"].mean, found["x"].this) == (1, 5.0, 7.0)  # both seatings with p
    assert found["x"].difference == 2
    assert found["q"].mean == 4


def test_three_players_are_compared_in_seat_0():
    known = {("x", "p"): (4.0, 0.1), ("p", "x"): (20.0, 0.1), ("p", "p"): (9.0, 0.1)}
    [x] = rivals(summary(3, p=7.0), known)
    assert (x.mean, x.this) == (4.0, 7.0)


def test_the_section_names_who_scores_more():
    known = reference_of(summary()["run"])
    assert known is not None
    count = len({first for first, other in known if other == "iggi"})
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
