"""A language model plays a whole evaluation, whatever its server does."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.agents.llm import load_model
from coplay.agents.spec import agent
from coplay.games import make
from coplay.measure.study.costs import costs_in
from coplay.player import AgentError, CannotGoOn
from coplay.report.pages.evaluation import write_report
from tests.agents.llm import server
from tests.agents.llm.server import Served, serving, status

GAME = "hanabi-very-small"
GAMES = 4


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr("coplay.agents.llm.chat.FIRST_WAIT", 0.001)
    with serving() as one:
        yield one


def spec(served: Served, cache: Path, **options: Any) -> str:
    more = "".join(f"&{name}={value}" for name, value in options.items())
    return f"llm:tiny?url={served.url}&cache={cache}{more}"


def evaluated(served: Served, folder: Path, **options: Any) -> Any:
    name = spec(served, folder / "cache", **options)
    return coplay.evaluate(GAME, name, ["random"], games=GAMES, out=folder / "run", name="model")


def rows(folder: Path) -> list[tuple[str, ...]]:
    with (folder / "run" / "games.csv").open() as file:
        return list(map(tuple, csv.reader(file)))


def test_a_server_that_misbehaves_changes_no_game(served: Served, tmp_path: Path):
    evaluated(served, tmp_path / "well")
    calm = len(served.questions)
    odd = random.Random(1)
    kinds = [status(429), status(502), server.cut, server.hang_up, server.nonsense]
    served.troubles = [trouble for _ in range(12) for trouble in (None, *odd.choices(kinds, k=3))]
    found = evaluated(served, tmp_path / "badly", parallel=1)
    assert rows(tmp_path / "badly") == rows(tmp_path / "well")
    assert len(served.questions) == 2 * calm + 36
    assert not any(row.forfeit for games in found.games.values() for row in games)
    spent = costs_in(tmp_path / "badly" / "run")["model"]
    assert spent["questions"] == calm
    assert spent["asked_again"] == 36
    page = write_report(tmp_path / "badly" / "run").folder.joinpath("report.html").read_text()
    assert "What it cost" in page
    assert f"{spent['tokens_in']:,.0f}" in page


def test_a_run_whose_server_dies_goes_on_where_it_stopped(served: Served, tmp_path: Path):
    evaluated(served, tmp_path / "whole")
    wanted, before = len(served.answered), len(served.questions)

    def gone(messages: Any) -> str:
        if len(served.answered) > wanted + wanted // 2:
            served.troubles = [server.hang_up] * 1000
        return server.pick(messages)

    served.say = gone
    with pytest.raises(CannotGoOn, match="goes on where it stopped"):
        evaluated(served, tmp_path / "parts", parallel=1)
    assert len(served.questions) > before
    served.troubles, served.say = [], server.pick
    found = evaluated(served, tmp_path / "parts", parallel=1)
    assert rows(tmp_path / "parts") == rows(tmp_path / "whole")
    assert not any(row.forfeit for games in found.games.values() for row in games)
    asked = [str(question) for question in served.answered[wanted:]]
    assert len(asked) == len(set(asked)), "nothing that was answered was asked again"


def test_a_budget_stops_and_a_larger_one_goes_on(served: Served, tmp_path: Path):
    with pytest.raises(CannotGoOn, match="the budget of 5000 tokens is spent"):
        evaluated(served, tmp_path, tokens=5000)
    mine = load_model("tiny", make(GAME), served.url, cache=str(tmp_path / "cache"), tokens=5000)
    assert coplay.play(GAME, [mine, "random"], games=1).forfeits == ()
    assert mine.spent["known_before"] > 0


def test_an_answer_that_is_no_move_is_asked_for_again_and_then_loses_that_game(served: Served, tmp_path: Path):
    def stubborn(messages: list[dict[str, str]]) -> str:
        return "I will not say." if len(messages) < 4 else "ACTION: 999" if len(messages) < 6 else server.pick(messages)

    served.say = stubborn
    good = load_model("tiny", make(GAME), served.url, cache=str(tmp_path / "a"))
    assert coplay.play(GAME, [good, "random"], games=2).forfeits == ()
    assert good.spent["not_a_move"] > 0
    poor = load_model("tiny", make(GAME), served.url, cache=str(tmp_path / "b"), tries=2)
    lost = coplay.play(GAME, [poor, "random"], games=2).forfeits
    assert {one.game for one in lost} == {0, 1}
    assert "no legal move in 2 answers; of the last: 999 is not a legal move." in lost[0].reason


def test_what_the_server_refuses_loses_that_game_alone(served: Served, tmp_path: Path):
    mine = load_model("tiny", make(GAME), served.url, cache=str(tmp_path), parallel=1)
    served.troubles = [None, status(400, "too long")]
    episodes = coplay.play(GAME, [mine, "random"], games=3)
    assert [(one.game, "too long" in one.reason) for one in episodes.forfeits] == [(1, True)]


def test_notes_come_back_and_draws_differ_from_game_to_game(served: Served, tmp_path: Path):
    served.say = lambda messages: f"NOTES: turn {len(served.answered)}\n{server.pick(messages)}"
    mine = load_model("tiny", make(GAME), served.url, cache=str(tmp_path), scaffold="notes", temperature=0.7)
    coplay.play(GAME, [mine, "random"], games=2)
    noted = [question for question in served.questions if "Your notes from your last turn: turn" in str(question)]
    assert noted
    assert len({question["seed"] for question in served.questions}) == 2


def test_a_game_without_words_will_do(served: Served, tmp_path: Path):
    own = Path(__file__).parents[2] / "own" / "words.py"
    game = make(f"file:{own}:Words")
    mine = agent(spec(served, tmp_path), game)
    assert coplay.play(game, [mine, "random"], games=2).forfeits == ()
    assert mine.name == "llm:tiny"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("llm:?url=http://a/v1", "write llm:MODEL"),
        ("llm:m", "OPENAI_BASE_URL"),
        ("llm:m?url=http://a/v1&parallel=0", "parallel=0 must be at least 1"),
        ("llm:m?url=http://a/v1&guid=x", "unknown option 'guid'"),
    ],
)
def test_what_is_wrong_with_a_spec_is_told(name: str, words: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(AgentError, match=words):
        agent(name, make(GAME))
