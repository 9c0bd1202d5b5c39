"""Whether somebody may go on after a page: their answers are read, and judged where there is a right one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote as quoted

from coplay.challenge.errors import ChallengeError
from coplay.experiment.plan import Checks, Page


class Sheet(NamedTuple):
    """The answers to a page."""

    answers: dict[str, str]  # by question, as they are kept
    problems: dict[str, str]  # by question, what to mend; then nothing is kept

    def wrong(self, page: Page) -> list[str]:
        """The questions whose right answer was not given."""
        return [one.name for one in page.questions if one.right and self.answers.get(one.name, "") != one.right]


def read_sheet(page: Page, given: Mapping[str, str]) -> Sheet:
    """What somebody answered; `given`: by question."""
    answers, problems = {}, {}
    for one in page.questions:
        try:
            answers[one.name] = one.read(given.get(one.name, ""))
        except ChallengeError as problem:
            problems[one.name] = str(problem)
    return Sheet(answers, problems)


class Verdict(NamedTuple):
    """What follows from the answers to a page."""

    way: str  # "on", "again", "ends"
    failures: int  # of attention checks, with those before


def judge(page: Page, wrong: int, tries: int, failures: int, checks: Checks) -> Verdict:
    """wrong: answers of this sheet; tries: sheets of this page with it; failures: wrong answers on pages before.

    A comprehension check (`tries`) is asked again until it is passed or its tries are used up, and counts no failures.
    """
    if page.tries is not None:
        return Verdict("on" if not wrong else "again" if tries < page.tries else "ends", failures)
    failures += wrong
    over = checks.end_after is not None and failures >= checks.end_after
    return Verdict("ends" if wrong and over else "on", failures)


def filled(template: str, code: str, outside: str, participant: str, quote: bool = False) -> str:
    """A code or an address with its blanks filled in."""
    blanks = {"code": code, "id": outside, "participant": participant}
    fill = {name: quoted(value, safe="") if quote else value for name, value in blanks.items()}
    return re.sub(r"{(\w+)}", lambda found: fill[found.group(1)], template)
