"""Whatever a server does, a question ends in an answer or in a clear word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from coplay.agents.llm.chat import Chat, Refused
from coplay.player import AgentError, CannotGoOn
from tests.agents.llm import server
from tests.agents.llm.server import Served, serving, status

QUESTION: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "v"}],
}


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as one:
        one.say = lambda messages: "hello"
        yield one


def chat(served: Served, slept: list[float] | None = None, **settings: Any) -> Chat:
    one = Chat(served.url, sleep=(slept if slept is not None else []).append, **{"seconds": 30.0, **settings})
    assert one.ask(QUESTION).text == "hello"  # so that it has met the server
    return one


def test_an_answer_tells_what_it_cost(served: Served):
    reply = chat(served, key="secret").ask(QUESTION)
    assert (reply.tokens_in, reply.tokens_out, reply.tries) == (2, 5, 1)
    assert served.headers[-1]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    "trouble",
    [status(429), status(503), status(500), server.cut, server.hang_up, server.nonsense],
    ids=["busy", "over", "broken", "cut", "gone", "nonsense"],
)
def test_what_passes_is_asked_again(served: Served, trouble: Any):
    slept: list[float] = []
    one = chat(served, slept)
    served.troubles = [trouble] * 3
    reply = one.ask(QUESTION)
    assert (reply.text, reply.tries) == ("hello", 4)
    waits = [seconds for seconds in slept if seconds]
    assert len(waits) == 3
    assert waits == sorted(waits), "later and later"


def test_a_server_that_names_a_time_is_given_it_by_all(served: Served):
    slept: list[float] = []
    one = chat(served, slept)
    served.troubles = [status(429, Retry_After="17")]
    one.ask(QUESTION)
    assert 17.0 in slept
    before = len(slept)
    one.ask(QUESTION)
    assert slept[before] > 10, "who asks next waits too"


def test_an_answer_that_drips_is_cut_off(served: Served):
    one = chat(served)
    one.seconds = 0.3
    served.troubles = [server.drip] * 7
    with pytest.raises(CannotGoOn, match=r"no answer within 0\.3 seconds.*goes on where it stopped"):
        one.ask(QUESTION)


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_server_that_will_never_answer_stops_everything(served: Served, code: int):
    one = chat(served)
    served.troubles = [status(code, "no such model: m")]
    with pytest.raises(CannotGoOn, match=r"no such model: m.*the model's name, the url and the key"):
        one.ask(QUESTION)


def test_a_question_that_is_refused_costs_only_its_game(served: Served):
    one = chat(served)
    served.troubles = [status(400, "too long")]
    with pytest.raises(Refused, match="status 400: too long"):
        one.ask(QUESTION)
    assert one.ask(QUESTION).text == "hello"


def test_the_first_question_finds_out_soon_that_nobody_is_there():
    slept: list[float] = []
    with pytest.raises(CannotGoOn, match="Is the server running, and is `url` right"):
        Chat("http://127.0.0.1:9/v1", sleep=slept.append).ask(QUESTION)
    assert sum(slept) < 5


def test_a_server_that_is_busy_from_the_start_is_asked_again(served: Served):
    served.troubles = [status(429)] * 4
    assert Chat(served.url, sleep=lambda seconds: None).ask(QUESTION).tries == 5


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://a/b"])
def test_an_address_that_is_none_is_told(url: str):
    with pytest.raises(AgentError, match="write the address of the server"):
        Chat(url)
