"""What a study fixes: consent, games with partners, pages with questions, limits, what is told at the end."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from coplay.challenge.rules import game_of
from coplay.experiment.questions import Question
from coplay.game import Game

WHEN = ("before", "after_practice", "after_game", "after_partner", "end")
BLANKS = ("code", "id", "participant")  # what a code or an address may have in {}


@dataclasses.dataclass(frozen=True)
class Consent:
    """What people agree to. A change of the text is another version."""

    version: str
    text: str
    agree: str = "I have read this, and I agree to take part."


@dataclasses.dataclass(frozen=True)
class Checks:
    """What happens to whoever fails questions that have a right answer."""

    end_after: int | None = None  # so many failures end the study for them; None: they are only recorded
    text: str = "Some answers show that the questions were not read. The study ends here. Thank you for your time."
    code: str = ""
    redirect: str = ""


@dataclasses.dataclass(frozen=True)
class End:
    """What is told to whoever came to the end."""

    text: str = "Thank you! Your answers and games are saved."
    code: str = ""
    redirect: str = ""
    reveal: bool = False  # list the partners and the scores


@dataclasses.dataclass(frozen=True)
class Condition:
    """A group of a between-subject design."""

    name: str
    about: str = ""  # for the host; nobody else sees it


@dataclasses.dataclass(frozen=True)
class Practice:
    """Games before those that count."""

    partner: str
    games: int = 1


@dataclasses.dataclass(frozen=True)
class Block:
    """One game with its partners: each is met in `games` games in a row."""

    name: str
    game: str
    settings: dict[str, Any]
    partners: tuple[tuple[str, ...], ...]  # of each company, the agents in order of the other seats
    games: int
    seat: int | None  # the person's; None: in turn
    minutes: float  # for a game; 0: as long as it takes
    practice: Practice | None
    text: str  # told before its games
    conditions: tuple[str, ...]  # in which it is played; empty: in all

    def make(self) -> Game:
        return game_of(self.game, json.dumps(self.settings, sort_keys=True))

    @property
    def specs(self) -> set[str]:
        """Every agent that people may meet in it."""
        practised = {self.practice.partner} if self.practice else set()
        return practised | {spec for team in self.partners for spec in team}

    @property
    def labels(self) -> list[str]:
        """What the host calls the partners."""
        return [told(one) for one in self.partners]


@dataclasses.dataclass(frozen=True)
class Page:
    """Something to read, and questions."""

    name: str
    when: str  # one of WHEN
    title: str
    text: str
    tries: int | None  # a comprehension check: wrong answers may be given anew until these are used up
    games: tuple[str, ...]  # blocks whose games it follows; empty: all
    conditions: tuple[str, ...]
    questions: tuple[Question, ...]


@dataclasses.dataclass(frozen=True)
class Plan:
    """Everything that a study fixes."""

    title: str
    consent: Consent
    blocks: tuple[Block, ...]
    pages: tuple[Page, ...]
    conditions: tuple[Condition, ...]
    checks: Checks
    end: End
    description: str = ""
    order: str = "latin"  # of partners: a balanced Latin square; "random": drawn for each participant
    game_order: str = "file"  # of the [[game]]s: as in the file, latin or random
    deals: str = "own"  # everybody's own; "shared": the same for all at the same place of the order
    seed: int = 1  # of what is drawn of orders and conditions
    participants: int | None = None  # at most so many
    minutes: float = 120.0  # from consent to the end; 0: as long as it takes
    outside_id: str = ""  # what the recruitment platform calls the participant in the link, as PROLIFIC_PID
    per_address: int = 60  # so many people may join within an hour from one address
    text: str = ""

    @property
    def version(self) -> str:
        """Names this plan: any change of the file is another version."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def condition_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.conditions) or ("",)

    def blocks_in(self, condition: str) -> tuple[Block, ...]:
        return tuple(one for one in self.blocks if not one.conditions or condition in one.conditions)

    def pages_in(self, condition: str, when: str, block: str = "") -> list[Page]:
        return [
            one
            for one in self.pages
            if one.when == when
            and (not one.conditions or condition in one.conditions)
            and (not block or not one.games or block in one.games)
        ]

    def page(self, name: str) -> Page:
        return next(one for one in self.pages if one.name == name)

    def block(self, name: str) -> Block:
        return next(one for one in self.blocks if one.name == name)

    @property
    def specs(self) -> set[str]:
        """Every agent that people may meet."""
        return {spec for one in self.blocks for spec in one.specs}


def told(team: Sequence[str]) -> str:
    """The name of a company: one agent in all seats is called by its name."""
    return team[0] if len(set(team)) == 1 else " + ".join(team)
