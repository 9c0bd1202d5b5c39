"""How an agent behaved in an evaluation: with its own copies, and in its own seats among partners."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from coplay.faces import Conventions, NumberTable, Rate, faces_of
from coplay.measure.evaluated.folder import EvaluationRun
from coplay.measure.stats import Estimate
from coplay.measure.study.seatings import AGENT, Configuration
from coplay.rollouts.episode_file import load

READ = 30  # games of self-play that the reader of conventions goes through
MOST = 200  # deals of each team that are looked at: enough for rates, and large runs stay small in memory


@dataclasses.dataclass(frozen=True)
class Behaved:
    """What the game's world counts, twice: with copies, and with partners in the agent's own seats."""

    legend: str
    rates: tuple[Rate, ...]
    copies: Mapping[str, Estimate]
    partners: Mapping[str, Estimate]
    tables: tuple[NumberTable, ...]  # of the team of copies
    conventions: Conventions | None


def behaved(folder: Path, run: EvaluationRun) -> Behaved | None:
    """Read off the recorded games; None where they are not in the folder, or where nothing can be counted in them."""
    teams = run.teams
    if not all((folder / team.file).is_file() for team in teams):
        return None
    own = load(folder / teams[0].file)[:MOST]
    face = faces_of(own.game).behaviour
    if face is None:
        return None
    return Behaved(
        legend=face.legend,
        rates=tuple(face.rates(own.game)),
        copies=face.measure([(own, None)]),
        partners=face.measure([(load(folder / team.file)[:MOST], _seats(team)) for team in teams[1:]]),
        tables=tuple(face.tables(own)),
        conventions=face.conventions(own, READ),
    )


def _seats(team: Configuration) -> list[int]:
    return [seat for seat, letter in enumerate(team.seating) if letter == AGENT]
