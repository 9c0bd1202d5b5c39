"""Agents from a user's own file: the example plays with every bot, and every mistake is explained."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.agents.spec import known
from coplay.player import can_learn
from coplay.rollouts import chairs

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_agent.py"
GAME = coplay.make("hanabi", players=2)
SMALL = coplay.make("hanabi-small")


def write(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(text)
    return f"file:{path}:Mine"


@pytest.mark.parametrize("partner", [name for name in known(GAME) if name not in ("hatbot", "fireflower")])
def test_the_example_plays_with_every_bot(partner: str):
    result = coplay.play(GAME, [f"file:{EXAMPLE}:MyAgent", partner], games=2, seed=0)
    assert not result.forfeits, str(result.forfeits[0])
    assert (result.lengths > 0).all()


def test_the_example_plays_with_hatbot_which_needs_five_players():
    result = coplay.play(coplay.make("hanabi", players=5), [f"file:{EXAMPLE}:MyAgent", *["hatbot"] * 4], games=2)
    assert not result.forfeits, str(result.forfeits[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Mine\n    pass\n", ["mine.py", "line 1", "syntax error"]),
        ("x = 1\nraise RuntimeError('no licence')\n", ["mine.py", "line 2", "no licence"]),
        ("class Mime:\n    def act(self, view): return 0\n", ["no class 'Mine'", "Did you mean 'Mime'"]),
        ("class Mine:\n    pass\n", ["Mine has no act method", "define act(self, view)"]),
        ("x = 1\n", ["no class 'Mine'", "no class in it has act method"]),
        (
            "class Mine:\n    def __init__(self):\n        1 / 0\n    def act(self, view): return 0\n",
            ["making Mine failed", "line 3", "ZeroDivisionError"],
        ),
    ],
)
def test_a_broken_file_is_explained(tmp_path: Path, text: str, words: list[str]):
    with pytest.raises(coplay.AgentError) as caught:
        coplay.agent(write(tmp_path, text), SMALL)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_the_line_is_named_for_a_relative_path_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, "x = 1\nraise RuntimeError('no licence')\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(coplay.AgentError, match="at line 2: RuntimeError: no licence"):
        coplay.agent("file:mine.py:Mine", SMALL)


def test_what_cannot_be_copied_is_explained(tmp_path: Path):
    text = "import threading\nclass Mine:\n    def __init__(self): self.lock = threading.Lock()\n"
    spec = write(tmp_path, text + "    def act(self, view): return 0\n")
    with pytest.raises(coplay.AgentError, match=r"Mine cannot be copied.*keep what cannot be copied in the class"):
        coplay.play(SMALL, [spec, "random"], games=2)


@pytest.mark.parametrize(
    ("spec", "words"), [("file:mine.py", "write file:PATH:CLASS"), ("file:nowhere.py:Mine", "no file nowhere.py")]
)
def test_a_wrong_path_is_explained(spec: str, words: str):
    with pytest.raises(coplay.AgentError, match=words):
        coplay.agent(spec, SMALL)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 999", "ids run from 0 to 10"),
        ("raise RuntimeError('lost my notes')", "RuntimeError: lost my notes ("),
        ("{}['plan']", "mine.py, line 4)"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("while True: pass", "no answer within 0.2 seconds"),
        (
            "while True:\n            try: sum(range(99))\n            except Exception: pass",
            "no answer within 0.2 seconds",
        ),
    ],
)
def test_an_agent_that_misbehaves_forfeits_with_a_reason(
    tmp_path: Path, body: str, words: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(chairs, "SET_UP", 0.0)
    spec = write(tmp_path, f"class Mine:\n    name = 'mine'\n    def act(self, view):\n        {body}\n")
    result = coplay.play(SMALL, [spec, "random"], games=5, seed=0, move_seconds=0.2)
    assert [forfeit.game for forfeit in result.forfeits] == [0, 1, 2, 3, 4]
    assert words in str(result.forfeits[1])  # the first answer may take longer: something may have to be loaded
    assert (result.scores == 0).all()


def test_a_class_of_any_kind_may_learn_from_games_and_copies_do_not_share_it(tmp_path: Path):
    text = "class Mine:\n    seen = 0\n    def act(self, view): return 0\n"
    assert not can_learn(coplay.agent(write(tmp_path, text), SMALL))
    text += "    def observe_games(self, games): self.seen += len(games)\n"
    first = coplay.agent(write(tmp_path, text), SMALL)
    assert can_learn(first)
    second = copy.deepcopy(first)
    second.observe_games([1, 2])  # pyright: ignore[reportAttributeAccessIssue]
    assert (first.inner.seen, second.inner.seen) == (0, 2)  # pyright: ignore[reportAttributeAccessIssue]


def test_arguments_with_a_default_are_options(tmp_path: Path):
    made = "class Mine:\n    def __init__(self, game, move=1): self.move = move\n"
    spec = write(tmp_path, f"{made}    def act(self, view): return self.move\n")
    players: Any = [coplay.agent(f"{spec}{option}", SMALL) for option in ("", "?move=3")]
    assert [one.inner.move for one in players] == [1, 3]
    with pytest.raises(coplay.AgentError, match=r"unknown option 'mov'; the options are move. Did you mean 'move'"):
        coplay.agent(f"{spec}?mov=3", SMALL)
    with pytest.raises(coplay.AgentError, match="move='much' should be a whole number"):
        coplay.agent(f"{spec}?move=much", SMALL)
