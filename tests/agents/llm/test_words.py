"""What a model is told, and how its answer is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from coplay.agents.llm.words import question, read, system_words
from coplay.games import make
from coplay.player import AgentError

LEGAL = [2, 5, 17]


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("ACTION: 5", 5),
        ("action 17", 17),
        ("**ACTION:** 2", 2),
        ('{"thought": "…", "action": 5}', 5),
        ("First I thought ACTION: 2.\nNow I know better.\nACTION: 17", 17),
        ("<think>ACTION: 2 or ACTION: 5?</think> ACTION: 17", 17),
        (" 5 ", 5),
        ("ACTION: 3", None),
        ("ACTION: 170", None),
        ("I would play slot 5.", None),
        ("", None),
        ("<think>ACTION: 2 and then", None),
        ("9" * 400, None),
    ],
)
def test_the_last_move_that_is_named_counts(answer: str, action: int | None):
    found = read(answer, LEGAL)
    assert found.action == action
    assert bool(found.problem) == (action is None)


def test_notes_are_kept_for_the_next_turn():
    found = read("Let me see.\nNOTES: my slot 2 is red,\nthe partner waits\nACTION: 5", LEGAL)
    assert (found.action, found.notes) == (5, "my slot 2 is red, the partner waits")
    asked = question("system, for example ACTION: {example}", "a view", LEGAL, found.notes)
    assert asked[0]["content"].endswith("ACTION: 2")
    assert asked[1]["content"] == (
        "a view\n\nIds of legal moves: 2, 5, 17\n\nYour notes from your last turn: my slot 2 is red, the partner waits"
    )


def test_worlds_bring_rules_and_guides(tmp_path: Path):
    hanabi = make("hanabi")
    plain, guided = (system_words(hanabi, "act", guide) for guide in ("", "h-group"))
    assert "hint token" in plain
    assert "Chop" in guided
    assert "Chop" not in plain
    assert "pot" in system_words(make("overcooked"), "reason", "")
    own = tmp_path / "mine.txt"
    own.write_text("Always say red.")
    assert "Always say red." in system_words(hanabi, "act", str(own))
    with pytest.raises(AgentError, match=r"unknown guide 'h-grup'.*h-group"):
        system_words(hanabi, "act", "h-grup")
    with pytest.raises(AgentError, match=r"unknown scaffold 'dream'.*act, reason, notes"):
        system_words(hanabi, "dream", "")
