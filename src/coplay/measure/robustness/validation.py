"""Validation reward: what an agent scores in whole games with held-out partners, in every seat.

Knott et al. set it beside their unit tests as the usual measure, which says something else. The suite of partners is a
face of the game's world (`coplay.faces.Tests.validators`); others may be named. The games lie in the folder of the unit
tests, a folder for each place, and go on where they were cut off.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coplay.game import Game
from coplay.games import make
from coplay.measure import MeasureError
from coplay.measure.crossplay import PlayedTeams, Seats, play_teams, played_teams
from coplay.measure.robustness.result import ALL
from coplay.measure.robustness.run import face_of
from coplay.measure.stats import Estimate, bootstrap
from coplay.measure.study.cast import Named
from coplay.measure.study.folder import place_for
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import Say, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.where import On

FOLDER = "validation"
GAMES = 20  # with each partner in each seat, as in the paper's scripts


@dataclasses.dataclass(frozen=True)
class PartnerReward:
    """With one partner, the agent in one seat."""

    where: str
    partner: str
    seat: int  # of the agent
    mean: float


@dataclasses.dataclass(frozen=True)
class Reward:
    """With the whole suite in one place, or in all of them, every place counting the same."""

    where: str
    partners: int
    score: Estimate


@dataclasses.dataclass(frozen=True, repr=False)
class Validation(Result):
    """The validation reward of an agent."""

    agent: str
    games: int  # with each partner in each seat
    rewards: tuple[Reward, ...]
    partners: tuple[PartnerReward, ...]
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        return f"validation reward of {self.agent}: {self.rewards[-1].score.short('.1f')}"

    def rows(self) -> Rows:
        """A row per place, partner and seat."""
        return [{"agent": self.agent, "games": self.games, **dataclasses.asdict(one)} for one in self.partners]


def validate(
    games: str | Game | Sequence[str | Game],
    agent: Named,
    partners: Sequence[str] | None = None,
    each: int = GAMES,
    seed: int = 0,
    *,
    out: str | Path | None = None,
    name: str | None = None,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    say: Say = quiet,
) -> Validation:
    """Plays `each` whole games with every partner in every seat; without partners, those that its world holds out."""
    whole("each", each, 1)
    places = [make(one) for one in ([games] if isinstance(games, str) or not isinstance(games, Sequence) else games)]
    folder = place_for(out) / FOLDER
    for game in places:
        where = face_of(game).where(game)
        met = list(partners if partners is not None else face_of(game).validators(game))
        if not met:
            raise MeasureError(f"{where}: nobody is held out to validate with; name partners.")
        named: dict[str, Named] = {name or (agent if isinstance(agent, str) else "agent"): agent}
        if set(named) & set(met):
            raise MeasureError(f"{next(iter(named))} is one of the partners it is validated with; name other partners.")
        teams = [seats for partner in range(1, len(met) + 1) for seats in _seatings(partner, game.players)]
        everyone = {**named, **{partner: partner for partner in met}}
        place = folder / where.replace(" ", "-")
        play_teams(game, everyone, FOLDER, teams, each, seed, on, move_seconds, place, say)
    return read_validation(folder.parent)


def read_validation(out: str | Path) -> Validation:
    """Of a run folder; MeasureError where none was played."""
    folder = Path(out) / FOLDER
    files = sorted(folder.glob("*/run.json"), key=_begun)
    if not files:
        raise MeasureError(f"{out} holds no validation reward; add --validation to its command.")
    found = [played_teams(file.parent) for file in files]
    names = [face_of(one.run.make_game()).where(one.run.make_game()) for one in found]
    means = [np.mean([one.scores(team) for team in one.run.seats], 0) for one in found]  # [games]
    rewards = [
        Reward(where, len(one.run.agents) - 1, bootstrap(mean, np.mean))
        for where, one, mean in zip(names, found, means, strict=True)
    ]
    if len(found) > 1 and len({len(mean) for mean in means}) == 1:
        rewards.append(Reward(ALL, rewards[0].partners, bootstrap(np.mean(means, 0), np.mean)))
    partners = [row for where, one in zip(names, found, strict=True) for row in _by_partner(where, one)]
    first = found[0].run
    return Validation(first.agents[0], first.games, tuple(rewards), tuple(partners), folder.parent)


def _begun(file: Path) -> tuple[str, str]:
    """The order in which places were played."""
    return json.loads(file.read_text(encoding="utf-8"))["made"]["date"], file.parent.name


def _by_partner(where: str, found: PlayedTeams) -> list[PartnerReward]:
    names = found.run.agents
    rows = [(names[max(team)], team.index(0), float(found.scores(team).mean())) for team in found.run.seats]
    return [PartnerReward(where, *row) for row in rows]


def _seatings(partner: int, players: int) -> list[Seats]:
    """The agent in every seat, copies of the partner in all others."""
    return [tuple(0 if seat == mine else partner for seat in range(players)) for mine in range(players)]
