"""Ceilings: best responses of pool partners and of others, by game."""

from __future__ import annotations

import pytest

from coplay.agents.agent import AgentError
from coplay.games.registry import make
from coplay.pool import ceilings, pool

SMARTBOT = {"partner": "smartbot", "game": "hanabi", "players": 2, "score": [23.5, 0.1, 100], "self_play": [23, 1, 9]}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch):
    """Puts ceilings into pool.toml, as far as readers can tell."""

    def write(*ceiling: dict) -> None:
        found = {**pool.contents(), "ceiling": list(ceiling)}
        monkeypatch.setattr(ceilings, "contents", lambda: found)

    return write


def test_a_ceiling_belongs_to_one_game(written):
    written(SMARTBOT, {**SMARTBOT, "partner": "greedy-cook", "game": "overcooked", "layout": "cramped_room"})
    assert ceilings.ceilings(make("hanabi"))["smartbot"].score == 23.5
    assert "smartbot" not in ceilings.ceilings(make("hanabi", players=3))
    assert "smartbot" not in ceilings.ceilings(make("hanabi-small"))
    assert "greedy-cook" in ceilings.ceilings(make("overcooked", layout="cramped_room"))
    assert "greedy-cook" not in ceilings.ceilings(make("overcooked", layout="coordination_ring"))


def test_copies_of_the_partner_are_an_answer_too(written):
    written({**SMARTBOT, "self_play": [24.0, 0.3, 9]})
    found = ceilings.ceilings(make("hanabi"))["smartbot"]
    assert (found.score, found.standard_error) == (24.0, 0.3)


@pytest.mark.parametrize("name", list(pool.entries()))
def test_trained_partners_bring_their_own(name: str):
    one = pool.entry(name)
    game = make("overcooked", layout=one.layout) if one.layout else make(one.game, players=one.players)
    assert (f"pool:{name}" in ceilings.ceilings(game)) == (one.best_response is not None)


def test_the_shipped_table_can_be_read():
    for one in pool.contents().get(pool.CEILINGS, []):
        layout = {"layout": one["layout"]} if one.get("layout") else {"players": one["players"]}
        assert one["partner"] in ceilings.ceilings(make(one["game"], **layout))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"scores": [1, 2, 3]}, "ceiling 1 has scores"),
        ({"score": [1, 2]}, r"ceiling 1 \(smartbot\) has score = \[1, 2\]"),
    ],
)
def test_mistakes_are_named(written, wrong: dict, words: str):
    written({**SMARTBOT, **wrong})
    with pytest.raises(AgentError, match=words):
        ceilings.ceilings(make("hanabi"))


def test_a_missing_field_is_named(written):
    written({name: value for name, value in SMARTBOT.items() if name != "self_play"})
    with pytest.raises(AgentError, match="lacks self_play"):
        ceilings.ceilings(make("hanabi"))


def test_partners_are_chosen_by_kind():
    clones = pool.of_game(make("hanabi", players=3), ["bc"])
    assert "pool:hanabi-3p-human-bc" in clones
    assert {pool.entry(spec.removeprefix("pool:")).kind for spec in clones} == {"bc"}
    assert pool.of_game(make("hanabi"), ["no such kind"]) == []
