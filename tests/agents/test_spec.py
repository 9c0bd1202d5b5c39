"""Agents are named by strings; mistakes in them are explained."""

from __future__ import annotations

import pytest

import coplay
from coplay.agents.spec import describe_loaders

GAME = coplay.make("hanabi", players=2)


def test_a_name_makes_an_agent():
    assert coplay.agent("random", GAME).name == "random"
    assert coplay.agent("smartbot?risk=false", GAME).risk is False  # pyright: ignore


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("smartbt", "Did you mean 'smartbot'"),
        ("smartbot?rsk=true", "the options are risk"),
        ("smartbot?risk=perhaps", "should be true or false"),
        ("smartbot?risk", "write options as smartbot[?]name=value"),
        ("hatbot", "5"),
    ],
)
def test_a_wrong_spec_says_what_to_write_instead(spec: str, words: str):
    with pytest.raises(coplay.AgentError, match=words):
        coplay.agent(spec, GAME)


def test_what_is_not_an_agent_is_refused():
    with pytest.raises(coplay.AgentError, match="no act method"):
        coplay.agent(3, GAME)  # pyright: ignore
    with pytest.raises(coplay.AgentError, match="pass an instance"):
        coplay.agent(coplay.Agent, GAME)  # pyright: ignore


def test_files_of_other_programs_are_listed_with_the_games_they_are_for():
    for game, whose, prefix in (
        ("cramped_room", "Carroll et al. 2019", "carroll"),
        ("hanabi", "Hu et al. 2021", "obl"),
    ):
        assert [name for name, text in describe_loaders(coplay.make(game)) if whose in text] == [prefix]
    assert describe_loaders(coplay.make("file:tests/own/levers.py:Levers")) == []
