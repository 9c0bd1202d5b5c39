"""Questions of a study: how they are written, which answers they take, and which answer is right."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from coplay.challenge.errors import ChallengeError
from coplay.challenge.records import record

KINDS = ("likert", "choice", "number", "text")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # all but tab and the ends of lines
NUMBER = re.compile(r"[+-]?(\d{1,15}([.,]\d{0,15})?|[.,]\d{1,15})", re.ASCII)
# What each kind of question may say besides name, kind, ask, required and right.
OWN = {"likert": {"points", "low", "high"}, "choice": {"options"}, "number": {"least", "most"}, "text": {"longest"}}


@dataclasses.dataclass(frozen=True)
class Question:
    """One thing that is asked."""

    name: str  # of its column in the export
    kind: str  # one of KINDS
    ask: str
    required: bool = True
    right: str = ""  # the answer that passes; empty: every answer does
    points: int = 7  # of a Likert scale, from 1
    low: str = ""  # what its first point means
    high: str = ""  # and its last
    options: tuple[str, ...] = ()  # of a choice
    least: float | None = None  # of a number
    most: float | None = None
    longest: int = 2000  # letters of a text

    @property
    def bounds(self) -> str:
        """Which numbers are answers, in words."""
        told = (("from", self.least), ("to", self.most))
        return " ".join(["a number", *(f"{word} {value:g}" for word, value in told if value is not None)])

    def read(self, given: str) -> str:
        """An answer as it is kept; empty where there is none. Raises ChallengeError with words for who answered."""
        text = CONTROL.sub("", given.replace("\r\n", "\n")).strip()
        if not text:
            if self.required:
                raise ChallengeError("Please answer this question.", 422, "bad_answer")
            return ""
        return READERS[self.kind](self, text)


def _likert(question: Question, text: str) -> str:
    if text not in map(str, range(1, question.points + 1)):
        raise ChallengeError(f"Please choose one of the points from 1 to {question.points}.", 422, "bad_answer")
    return text


def _choice(question: Question, text: str) -> str:
    if text not in question.options:
        raise ChallengeError("Please choose one of the answers on the list.", 422, "bad_answer")
    return text


def _number(question: Question, text: str) -> str:
    least, most = question.least, question.most
    value = float(text.replace(",", ".")) if NUMBER.fullmatch(text) else math.nan
    if not (-math.inf if least is None else least) <= value <= (math.inf if most is None else most):
        raise ChallengeError(f"Please give {question.bounds}.", 422, "bad_answer")
    return f"{value:.15g}"


def _text(question: Question, text: str) -> str:
    if len(text) > question.longest:
        told = f"Please say it in at most {question.longest} letters; these are {len(text)}."
        raise ChallengeError(told, 422, "bad_answer")
    return text


READERS: Mapping[str, Callable[[Question, str], str]] = dict(
    zip(KINDS, (_likert, _choice, _number, _text), strict=True)
)


def question_of(entry: Any, where: str) -> Question:
    """A question from its table in the file; mistakes name the value, the rule and the remedy."""
    if not isinstance(entry, dict):
        raise ChallengeError(f"{where} should be a table, not {entry!r}.")
    table = dict(entry)
    taken = {name: _bound(table.pop(name), f"{where}: {name}") for name in ("least", "most") if name in table}
    right = table.pop("right", "")
    if isinstance(right, bool) or not isinstance(right, str | int | float):
        raise ChallengeError(f"{where}: right = {right!r}; give the right answer, as a text or a number.")
    question: Question = record(Question, table, where, {"least": None, "most": None, "right": ""} | taken)
    where = f"{where} {question.name}"
    check_name(question.name, where)
    if question.kind not in KINDS:
        raise ChallengeError(f"{where}: kind = {question.kind!r}; choose {', '.join(KINDS)}.")
    foreign = (set(entry) & set().union(*OWN.values())) - OWN[question.kind]
    if foreign:
        allowed = ", ".join(sorted(OWN[question.kind]))
        raise ChallengeError(f"{where}: {min(foreign)} is not for kind = {question.kind!r}, which knows {allowed}.")
    _check_kind(question, where)
    if right == "":
        return question
    try:
        return dataclasses.replace(question, right=question.read(str(right)))
    except ChallengeError as error:
        raise ChallengeError(f"{where}: right = {right!r} is not an answer of it. {error}") from error


def _check_kind(question: Question, where: str) -> None:
    if question.kind == "likert" and not 2 <= question.points <= 11:
        raise ChallengeError(f"{where}: points = {question.points}; a Likert scale has 2 to 11.")
    if question.kind == "choice" and (len(question.options) < 2 or len(set(question.options)) < len(question.options)):
        raise ChallengeError(f"{where}: options = {list(question.options)!r}; list two or more different answers.")
    if any(one != one.strip() or not one for one in question.options):
        raise ChallengeError(f"{where}: options = {list(question.options)!r}; take the spaces at the ends away.")
    if question.least is not None and question.most is not None and question.least > question.most:
        raise ChallengeError(f"{where}: least = {question.least:g} is more than most = {question.most:g}.")


def check_name(name: str, where: str) -> None:
    """What stands in addresses, columns and file names."""
    if not NAME.fullmatch(name):
        raise ChallengeError(f"{where}: name = {name!r}; use small letters, digits, hyphens and underscores.")


def _bound(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ChallengeError(f"{where} = {value!r}; give a number.")
    return float(value)
