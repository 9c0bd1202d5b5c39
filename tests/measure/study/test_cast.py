"""Who takes part, and what each is called."""

from __future__ import annotations

import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.study.cast import cast, named, names_of


@pytest.mark.parametrize(
    ("text", "name", "spec"),
    [
        ("mine=file:agents.py:Mine?depth=2", "mine", "file:agents.py:Mine?depth=2"),
        ("the cautious one=smartbot?risk=false", "the cautious one", "smartbot?risk=false"),
        ("smartbot?risk=false", "smartbot?risk=false", "smartbot?risk=false"),
        ("run:runs/rate=0.1/agent-0.safetensors", "run:runs/rate=0.1/agent-0.safetensors", None),
        ("mine=", "mine=", None),
    ],
)
def test_a_name_stands_before_the_spec(text: str, name: str, spec: str | None):
    assert named(text) == (name, spec or text)


def test_names_of_objects_specs_and_a_dictionary():
    class Mine:
        name = "mine"

        def act(self, view) -> int:
            return 0

    mine = Mine()
    assert names_of([mine, "random", "chance=random"]) == [("mine", mine), ("random", "random"), ("chance", "random")]
    assert names_of({"first": mine}) == [("first", mine)]


def test_one_spec_may_take_part_twice_under_two_names():
    game = coplay.make("hanabi-very-small")
    everyone = cast(game, ["random", "chance=random"])
    assert everyone.names == ("random", "chance")
    assert everyone.renamed() == {"chance": "random"}
    with pytest.raises(MeasureError, match="two agents are called chance"):
        cast(game, ["chance=random", "chance=valuebot"])
