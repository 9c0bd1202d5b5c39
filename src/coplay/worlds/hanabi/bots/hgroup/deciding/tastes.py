"""Tastes: how much each reason (reasons.py) counts, fitted to games that were played, and choosing by them.

The chance of a move is a softmax of its weighed reasons. A member's habits say how freely he draws (`nerve`), how far
he keeps away from moves that the conventions do not allow (`care`) and how much rather he goes by the book (`book`).
"""

from __future__ import annotations

import json
import math
import random
from functools import cache
from pathlib import Path

from coplay.player import AgentError
from coplay.worlds.hanabi.bots.hgroup.deciding.choosing import Move
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import Habits
from coplay.worlds.hanabi.bots.hgroup.deciding.reasons import Choice, Reasons, choices
from coplay.worlds.hanabi.bots.hgroup.table import Notebook

SHIPPED = Path(__file__).with_name("tastes.json")  # written by studies/fit_community.py
FACTS_MATTER = ("play", "discard", "clue")  # the kinds of moves that a position can favour
LAST_LIFE = 10.0  # how much more care it takes when one more strike ends the game
LEAST = 1e-3  # moves less likely than this, compared with the likeliest, are never made


@cache
def taste(name: str) -> dict[str, float]:
    """Weights by reason; a fact about the position counts for a kind of move: "discard, early"."""
    return json.loads(SHIPPED.read_text())[known_taste(name)]


def known_taste(name: str) -> str:
    """The name itself, if there is such a taste."""
    shipped = json.loads(SHIPPED.read_text())
    if name not in shipped:
        raise AgentError(f"taste={name!r}: there is no such taste; choose one of {', '.join(shipped)}.")
    return name


def kind_of(choice: Choice) -> str:
    """The word under which facts about the position count for the move."""
    return "gamble" if "gamble" in choice.reasons else choice.move.kind


def choose_by_taste(table: Notebook, habits: Habits, luck: random.Random) -> Move:
    """A move drawn by the member's taste."""
    facts, found = choices(table, habits)
    liking = likings(taste(habits.taste), facts, found)
    last = table.lives == 1
    for place, choice in enumerate(found):
        reasons = choice.reasons
        if "by the book" in reasons:
            liking[place] += habits.book
        if not choice.sound:
            liking[place] -= habits.care + LAST_LIFE * last
        if last and "play" in reasons:
            liking[place] -= habits.fear * (1.0 - reasons["play: chance by facts"])
    top = max(liking)
    odds = [math.exp((value - top) / habits.nerve) for value in liking]
    return luck.choices(found, [part if part > LEAST else 0.0 for part in odds])[0].move


def likings(weights: dict[str, float], facts: Reasons, found: list[Choice]) -> list[float]:
    """The sum of each move's weighted reasons."""
    weight = weights.get
    by_kind = {
        kind: sum([weight(f"{kind}, {fact}", 0.0) * value for fact, value in facts.items()]) for kind in FACTS_MATTER
    }
    return [
        by_kind.get(kind_of(choice), 0.0) + sum([weight(name, 0.0) * value for name, value in choice.reasons.items()])
        for choice in found
    ]
