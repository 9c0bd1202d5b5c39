"""A language model at the table."""

from __future__ import annotations

import os
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from coplay.agents.llm import words
from coplay.agents.llm.answers import Answers
from coplay.agents.llm.chat import Chat, Refused, Reply
from coplay.game import Game
from coplay.player import Agent, AgentError, CannotGoOn

MILLION = 1_000_000


class Ledger:
    """What was asked and what it cost, of all copies of a player together."""

    def __init__(self, budget: float, price_in: float, price_out: float) -> None:
        self.budget, self.price_in, self.price_out = budget, price_in, price_out
        self._lock, self._total = threading.Lock(), Counter[str]()

    def add(self, **amounts: float) -> None:
        with self._lock:
            self._total.update(amounts)

    def pay(self, reply: Reply) -> None:
        dollars = (reply.tokens_in * self.price_in + reply.tokens_out * self.price_out) / MILLION
        self.add(questions=1, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, seconds=reply.seconds)
        if self.price_in or self.price_out:
            self.add(dollars=dollars)

    def check(self) -> None:
        """Raises when no more may be spent."""
        spent = self._total["tokens_in"] + self._total["tokens_out"]
        if self.budget and spent >= self.budget:
            raise CannotGoOn(
                f"the budget of {self.budget:g} tokens is spent ({spent:g}). Repeat the command with a larger "
                "`tokens=`: it goes on where it stopped."
            )

    def told(self) -> dict[str, float]:
        with self._lock:
            return {name: amount for name, amount in self._total.items() if amount}


class LanguageModel(Agent):
    """Asked once per round for all games of its seat, `parallel` questions at a time."""

    keeps_time = True  # by `seconds` and `tries`: a busy server is no reason to lose games

    def __init__(
        self, model: str, game: Game, chat: Chat, answers: Answers, ledger: Ledger, settings: dict[str, Any]
    ) -> None:
        self.name, self.model = f"llm:{model}", model
        self._chat, self._answers, self.ledger, self._settings = chat, answers, ledger, settings
        self._system = words.system_words(game, settings["scaffold"], settings["guide"])
        self._notes: dict[int, str] = {}
        self._seeds: Any = ()

    @property
    def spent(self) -> dict[str, float]:
        """See `Agent.spent`."""
        return self.ledger.told()

    def reset_batch(self, seat: int, players: int, seeds: Any) -> None:
        self._notes, self._seeds = {}, seeds

    def act_batch(self, views: Any) -> list[int | Exception]:
        """An action per view; of a game in which there is none, what is wrong."""
        texts = [view.text() for view in views]
        legal = [[number for number, may in enumerate(row) if may] for row in views.legal]
        games = [int(game) for game in views.games]
        with ThreadPoolExecutor(min(self._settings["parallel"], len(games))) as threads:
            tasks = [threads.submit(self._move, *turn) for turn in zip(games, texts, legal, strict=True)]
            try:
                return [task.result() for task in tasks]
            except BaseException:  # nobody needs the other answers now
                threads.shutdown(cancel_futures=True)
                raise

    def _move(self, game: int, view: str, legal: list[int]) -> int | Exception:
        notes = self._notes.get(game) if self._settings["scaffold"] == "notes" else None
        messages = words.question(self._system, view, legal, notes)
        problem = ""
        for number in range(self._settings["tries"]):
            try:
                answer = self._ask(game, messages, number)
            except Refused as error:
                return error
            found = words.read(answer, legal)
            self._notes[game] = found.notes
            if found.action is not None:
                return found.action
            problem = found.problem
            self.ledger.add(not_a_move=1)
            messages = messages + words.again(answer, problem, legal)
        return ValueError(f"no legal move in {self._settings['tries']} answers; of the last: {problem}")

    def _ask(self, game: int, messages: list[words.Message], number: int) -> str:
        question: dict[str, Any] = {"model": self.model, "messages": messages}
        question["temperature"] = self._settings["temperature"]
        if self._settings["max_tokens"]:
            question["max_tokens"] = self._settings["max_tokens"]
        if self._settings["temperature"]:  # else the same question has the same answer in every game
            question["seed"] = int(self._seeds[game] if game < len(self._seeds) else game) % 2**31 + number
        known = self._answers.find(self._chat.url, question)
        if known is not None:
            self.ledger.add(known_before=1)
            return known.text
        self.ledger.check()
        reply = self._chat.ask(question)
        self._answers.keep(self._chat.url, question, reply)
        self.ledger.pay(reply)
        self.ledger.add(asked_again=reply.tries - 1)
        return reply.text


def load_model(
    place: str,
    game: Game,
    url: str = "",
    guide: str = "",
    scaffold: str = "act",
    temperature: float = 0.0,
    max_tokens: int = 0,
    seconds: float = 120.0,
    parallel: int = 8,
    tries: int = 3,
    tokens: float = 0.0,
    price_in: float = 0.0,
    price_out: float = 0.0,
    key_from: str = "OPENAI_API_KEY",
    cache: str = "",
) -> LanguageModel:
    """The player of `llm:MODEL`.

    `tries`: answers per move, until one has a legal one; `tokens`: how many may be spent in all, 0 for no limit;
    `price_in`, `price_out`: dollars per million; `key_from`: the environment variable with the key.
    """
    address = url or os.environ.get("OPENAI_BASE_URL", "")
    if not place or not address:
        raise AgentError(
            f"llm:{place}: write llm:MODEL?url=ADDRESS, for example llm:qwen3?url=http://127.0.0.1:11434/v1; "
            "without `url` the environment variable OPENAI_BASE_URL says where."
        )
    for name, value, least in (("parallel", parallel, 1), ("tries", tries, 1), ("seconds", seconds, 0.001)):
        if value < least:
            raise AgentError(f"llm:{place}: {name}={value:g} must be at least {least:g}.")
    settings = {"guide": guide, "scaffold": scaffold, "temperature": temperature, "max_tokens": max_tokens}
    settings |= {"parallel": parallel, "tries": tries}
    chat = Chat(address, os.environ.get(key_from, ""), seconds)
    return LanguageModel(place, game, chat, Answers(cache), Ledger(tokens, price_in, price_out), settings)
