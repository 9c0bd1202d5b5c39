"""One grammar for everything that has a name and options."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from typing import Literal

import pytest

from coplay.specs import did_you_mean, options_of, parse, read_options, unknown, with_options


class Rule(enum.Enum):
    SAME = "all the same"
    MOST = "more than half"


@dataclasses.dataclass(frozen=True)
class Kind:
    players: int = 2
    rate: float = 0.5
    risk: bool = False
    start: Literal["first", "random"] | int = "first"
    chefs: int | None = None
    copies: tuple[int, ...] = ()
    layout: str = "cramped room"
    depth: Literal[1, 2] = 1
    rule: Rule = Rule.SAME
    sizes: Sequence[int] = ()
    table: dict[str, int] | None = None


def read(text: str) -> dict:
    return read_options(parse(text).options, options_of(Kind), "kind", ValueError)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("kind", {}),
        ("kind?players=3&rate=1e-3", {"players": 3, "rate": 0.001}),
        ("kind?players=1e1", {"players": 10}),
        ("kind?risk=yes&start=random", {"risk": True, "start": "random"}),
        ("kind?start=1", {"start": 1}),
        ("kind?chefs=3&copies=3,2,1", {"chefs": 3, "copies": (3, 2, 1)}),
        ("kind?chefs=none&copies=[1, 2]", {"chefs": None, "copies": (1, 2)}),
        ("kind?layout=a%26b", {"layout": "a&b"}),
        ("kind?depth=2&rule=MOST&sizes=1,2", {"depth": 2, "rule": Rule.MOST, "sizes": (1, 2)}),
    ],
)
def test_values_are_read_by_the_type_of_the_option(text: str, values: dict):
    assert read(text) == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind?players=two", "players='two' should be a whole number"),
        ("kind?players=2.5", "players='2.5' should be a whole number"),
        ("kind?risk=perhaps", "risk='perhaps' should be true or false"),
        ("kind?rate=", "rate='' should be a number"),
        ("kind?plyers=3", "unknown option 'plyers'.*Did you mean 'players'"),
        ("kind?depth=3", "depth='3' should be one of 1, 2"),
        ("kind?rule=most", "rule='most' should be one of SAME, MOST"),
        ("kind?table=a", "table='a' should be a dict .which no text can say. or none"),
        ("kind?players", r"write options as kind\?name=value"),
    ],
)
def test_a_mistake_names_the_value_and_the_remedy(text: str, words: str):
    with pytest.raises(ValueError, match=words):
        read(text)


def test_a_spec_has_a_prefix_and_a_place_or_a_name():
    assert parse("smartbot?risk=true").name == "smartbot"
    spec = parse("file:my/agent.py:Mine?depth=2")
    assert (spec.prefix, spec.place, spec.options) == ("file", "my/agent.py:Mine", {"depth": "2"})


@pytest.mark.parametrize(
    "values",
    [
        {"layout": "XX\nP &=%?#"},
        {"copies": (3, 2), "chefs": None},
        {"risk": True, "rate": 0.25},
        {"rule": Rule.MOST, "depth": 2},
    ],
)
def test_what_is_written_is_read_back(values: dict):
    assert read(with_options("kind", values)) == values


def test_options_of_a_function_come_after_what_its_caller_gives():
    def load(place, game, greedy: bool | None = None, name: str = ""):
        del place, game, greedy, name

    assert list(options_of(load, 2)) == ["greedy", "name"]
    assert read_options({"greedy": "false"}, options_of(load, 2), "x", ValueError) == {"greedy": False}


def test_near_names_are_proposed():
    assert did_you_mean("hanbi", ["hanabi", "overcooked"]) == " Did you mean 'hanabi'?"
    assert did_you_mean("zzz", ["hanabi"]) == ""
    assert unknown("game", "x", []) == "unknown game 'x'; there are no games."
