"""Ceilings: best responses of pool partners and of others, by game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coplay.games import make
from coplay.player import AgentError
from coplay.pool import ceilings, pool, sources
from coplay.pool.reference import Met, reference

SMARTBOT = {"game": "hanabi", "score": [23.5, 0.1, 100], "self_play": [23, 1, 9]}


@pytest.fixture(autouse=True)
def nobody_met(monkeypatch: pytest.MonkeyPatch):
    """No table of what agents score with each other comes with the package."""
    monkeypatch.setattr(ceilings, "reference", lambda game: {})


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A pool that has these ceilings, [partner, fields], and nothing else."""

    def write(*found: tuple[str, dict]) -> None:
        folder = tmp_path / f"pool-{len(list(tmp_path.iterdir()))}"
        (folder / "ceilings").mkdir(parents=True)
        for partner, fields in found:
            lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
            text = "\n".join([f'partner = "{partner}"', "[[ceiling]]", *lines])
            (folder / "ceilings" / f"{partner}.toml").write_text(text)
        monkeypatch.setattr(sources, "folders", lambda: (folder,))

    return write


def test_a_ceiling_belongs_to_one_game(written):
    written(("smartbot", SMARTBOT), ("greedy-cook", {**SMARTBOT, "game": "overcooked?layout=cramped_room"}))
    assert ceilings.ceilings(make("hanabi"))["smartbot"].score == 23.5
    assert "smartbot" not in ceilings.ceilings(make("hanabi", players=3))
    assert "smartbot" not in ceilings.ceilings(make("hanabi-small"))
    assert "greedy-cook" in ceilings.ceilings(make("overcooked", layout="cramped_room"))
    assert "greedy-cook" not in ceilings.ceilings(make("overcooked", layout="coordination_ring"))
    assert "greedy-cook" not in ceilings.ceilings(make("overcooked", layout="cramped_room", horizon=40))


def test_a_game_is_read_as_older_files_name_it(written):
    written(
        ("smartbot", {**SMARTBOT, "players": 3}),
        ("greedy-cook", {**SMARTBOT, "game": "overcooked", "players": 2, "layout": "coordination_ring"}),
    )
    assert "smartbot" in ceilings.ceilings(make("hanabi", players=3))
    assert "smartbot" not in ceilings.ceilings(make("hanabi"))
    assert "greedy-cook" in ceilings.ceilings(make("overcooked", layout="coordination_ring"))


def test_of_two_pools_the_higher_ceiling_counts(written, monkeypatch):
    folders = []
    for mean in (20.0, 23.9, 21.0):
        written(("smartbot", {**SMARTBOT, "score": [mean, 0.1, 100]}))
        folders += sources.folders()
    monkeypatch.setattr(sources, "folders", lambda: tuple(folders))
    assert ceilings.ceilings(make("hanabi"))["smartbot"].score == 23.9


def test_copies_of_the_partner_are_an_answer_too(written):
    written(("smartbot", {**SMARTBOT, "self_play": [24.0, 0.3, 9]}))
    found = ceilings.ceilings(make("hanabi"))["smartbot"]
    assert (found.score, found.standard_error) == (24.0, 0.3)


def test_the_best_of_the_pool_is_a_ceiling_too(written):
    written(("smartbot", SMARTBOT))
    met = {("smartbot", "smartbot"): 23.0, ("a", "smartbot"): 23.9, ("b", "smartbot"): 9.0}
    met |= {("weak", "weak"): 1.0, ("a", "weak"): 4.9, ("c", "c"): 4.0, ("a", "c"): 5.0, ("a", "lonely"): 20.0}
    found = ceilings.ceilings(make("hanabi"), {pair: Met("all", 100, mean, 0.1) for pair, mean in met.items()})
    assert (found["smartbot"].score, found["smartbot"].held_by) == (23.9, "a")
    assert (found["c"].score, found["c"].best_response) == (5.0, None)
    assert "weak" not in found  # nobody gets to a fifth of the highest score with it
    assert "lonely" not in found  # what it does with its own copies is not known


def test_where_nobody_knows_the_highest_score_a_fifth_of_the_highest_ceiling_is_enough(written):
    written()
    kitchen = make("overcooked", layout="cramped_room")
    met = {("x", "x"): Met("all", 9, 240.0, 0.0), ("y", "x"): Met("all", 9, 200.0, 0.0)}
    met |= {("stay", "stay"): Met("all", 9, 0.0, 0.0), ("x", "stay"): Met("all", 9, 47.0, 0.0)}
    met |= {("slow", "slow"): Met("all", 9, 0.0, 0.0), ("x", "slow"): Met("all", 9, 48.0, 0.0)}
    found = ceilings.ceilings(kitchen, met)
    assert (found["x"].score, found["x"].held_by) == (240.0, "its own copies")
    assert "stay" not in found
    assert "slow" in found


@pytest.mark.parametrize("name", list(pool.entries()))
def test_trained_partners_bring_their_own(name: str):
    one = pool.entry(name)
    game = make(one.game)
    everybody = ceilings.ceilings(game)
    known = everybody.get(f"pool:{name}")
    highest = max((one.self_play or [0])[0], (one.best_response or [0])[0])
    most = game.max_score or max((other.score for other in everybody.values()), default=1)
    assert (known.score if known else None) == (highest if highest >= most / 5 else None)


def test_the_shipped_table_can_be_read():
    assert ceilings.recorded()
    for one in ceilings.recorded():
        game = make(one.game)
        highest = max(one.score.mean, one.self_play.mean)
        assert (one.partner in ceilings.ceilings(game)) == (highest >= game.max_score / 5)


def test_a_partner_with_whom_even_its_best_response_fails_has_none(written):
    written(("smartbot", {**SMARTBOT, "score": [4.9, 0.1, 100], "self_play": [0, 0, 9]}))
    assert "smartbot" not in ceilings.ceilings(make("hanabi"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"scores": [1, 2, 3]}, "ceiling 1 has scores"),
        ({"score": [1, 2]}, r"smartbot\.toml: ceiling 1 has score = \[1, 2\]"),
    ],
)
def test_mistakes_are_named(written, wrong: dict, words: str):
    written(("smartbot", {**SMARTBOT, **wrong}))
    with pytest.raises(AgentError, match=words):
        ceilings.ceilings(make("hanabi"))


def test_a_missing_field_is_named(written):
    written(("smartbot", {name: value for name, value in SMARTBOT.items() if name != "self_play"}))
    with pytest.raises(AgentError, match="lacks self_play"):
        ceilings.ceilings(make("hanabi"))


def test_partners_are_chosen_by_kind():
    clones = pool.of_game(make("hanabi", players=3), ["bc"])
    assert "pool:hanabi-3p-human-bc" in clones
    assert {pool.entry(spec.removeprefix("pool:")).kind for spec in clones} == {"bc"}
    assert pool.of_game(make("hanabi"), ["no such kind"]) == []


def test_shipped_ceilings_agree_with_the_table_about_every_partners_own_copies():
    """Two measurements of the same thing; a figure that slipped into another's place shows."""
    shipped = ceilings.recorded()
    assert {one.partner for one in shipped} >= {"smartbot", "iggi", "piers", "flawed"}
    for one in shipped:
        met = reference(make(one.game))[one.partner, one.partner]
        assert abs(met.mean - one.self_play.mean) <= 5 * (met.standard_error + one.self_play.standard_error), one
        assert one.note, "how it was trained"
