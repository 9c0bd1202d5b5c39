"""Which names people take for each other."""

from __future__ import annotations

import pytest

from coplay.challenge.names import alike


@pytest.mark.parametrize(
    "other",
    [
        "my agent 1",
        "MY-AGENT 1",
        "My  Agent_1",
        "Mу Аgent 1",
        "Μy Αgent l",
        "Mÿ Ågent I",
        "Ｍｙ Agent １",
        "My\u3164Agent 1",
    ],
    ids=ascii,
)
def test_names_that_differ_in_what_nobody_sees_are_alike(other: str) -> None:
    assert alike(other) == alike("My Agent 1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("PPO 1", "PPO 2"),
        ("v1.1", "v11"),
        ("run 1-1", "run 11"),
        ("OBL", "OBL+"),
        ("が", "か"),
        ("Zoë", "Zora"),
        ("5", "S"),
    ],
)
def test_names_that_people_tell_apart_are_not_alike(one: str, other: str) -> None:
    assert alike(one) != alike(other)


def test_of_a_name_that_nobody_sees_nothing_is_left() -> None:
    assert alike("\u3164 \u2800") == ""
