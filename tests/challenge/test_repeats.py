"""Rules under which one person can meet the same games twice."""

from __future__ import annotations

import re

import pytest

from coplay.challenge.errors import ChallengeError
from coplay.challenge.repeats import check_repeats, warnings
from coplay.challenge.rules import Rules, dated, read_rules
from tests.serve.harness import rules

ASKED = '\n[prediction]\ndata = "games.safetensors"\n'


def made(text: str, **changes: str) -> Rules:
    for name, value in changes.items():
        text, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
        assert count == 1
    return read_rules(dated(text))


def test_own_deals_are_met_once_however_often_somebody_enters() -> None:
    own = made(rules(attempts=3, deals="own"), accept_repeats="false")
    assert own.auto_approve
    assert warnings(own) == []
    check_repeats(own)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (rules(), "auto_approve = true"),
        (rules(attempts=2).replace("auto_approve = true", ""), "attempts = 2"),
        (rules(more='replays = "attempt"').replace("auto_approve = true", ""), "by watching others"),
        (rules(deals="own") + ASKED, "auto_approve = true"),
        (rules(deals="own", attempts=2).replace("auto_approve = true", "") + ASKED, "attempts = 2"),
    ],
)
def test_games_that_can_be_met_twice_are_refused_unless_the_host_accepts_them_by_name(text: str, way: str) -> None:
    with pytest.raises(ChallengeError, match=f"can be met twice.*{re.escape(way)}"):
        check_repeats(made(text, accept_repeats="false"))
    accepted = made(text)
    check_repeats(accepted)
    assert "accept_repeats = true" in warnings(accepted)[-1]


@pytest.mark.parametrize(
    ("text", "named"), [(rules(), 'deals = "shared"'), (rules(deals="own") + ASKED, "[prediction]")]
)
def test_one_attempt_of_each_person_that_the_host_lets_in_is_allowed_with_a_warning(text: str, named: str) -> None:
    held = made(text, accept_repeats="false", auto_approve="false")
    check_repeats(held)
    (told,) = warnings(held)
    assert told.startswith(named)
