"""What a tournament's games say: skill from teams of copies, teamwork from mixed teams, and how sure both are."""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import special

from coplay.measure import MeasureError, MeasureWarning, stats, teamwork
from coplay.measure.dropin.duels import Duel, duels, of_copies
from coplay.measure.dropin.games import Match, assignments
from coplay.measure.dropin.model import Forecast
from coplay.measure.dropin.play import (
    COPIES,
    SIDE_A,
    SIDE_B,
    PlayedTournament,
    Teams,
    TournamentRun,
    seats_of,
)
from coplay.measure.stats import Estimate
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows

METHOD = (
    "A match is two teams on the same deals; its goal difference is the mean difference of their scores, in points per "
    "deal. skillAGD: what skill alone would give, from teams of copies on common deals (equation 2); interval: deals "
    "drawn anew. dropinAGD: the average goal difference over all mixed matches; where not all were played, those that "
    "were and the linear model's forecast for the others. Its interval: where all were played, from the scatter of the "
    "deals; else the model's, which adds what no match has shown. teamworkAGD = dropinAGD - skillAGD; the half-widths "
    "of both add as squares, for they come from different deals. All intervals 95 %."
)
METHOD_OF_TWO_SIDES = (
    "A match is two teams against each other; every deal is played twice, once with each as the first side, and the "
    "goal difference is the mean over deals. skillAGD: what skill alone would give, from the goal differences of every "
    "two agents' teams of copies on common deals (equation 2)" + METHOD.partition("(equation 2)")[2]
)


@dataclasses.dataclass(frozen=True)
class Standing:
    """One agent's line of the table."""

    agent: str
    matches: int
    mean_score: float  # of its mixed teams: what a plain average would rank by
    copies: Estimate  # mean score of a team of its copies; of two sides, its mean goal difference against others
    skill: Estimate  # skillAGD
    played: float  # dropinAGD of the matches that were played
    dropin: Estimate  # dropinAGD over all matches
    teamwork: Estimate  # teamworkAGD
    offset: float | None  # normOffset; None without reference agents
    normalised: float | None  # normTeamworkAGD


class MatchResult(NamedTuple):
    """Two teams on the same deals."""

    number: int
    team_a: tuple[int, ...]  # agents in seat order
    team_b: tuple[int, ...]
    scores_a: np.ndarray  # float [deals]; of two sides, by how much it led
    scores_b: np.ndarray
    differences: np.ndarray  # float [deals]: of a over b

    @property
    def difference(self) -> float:
        return float(self.differences.mean())

    @property
    def standard_error(self) -> float:
        """Of the difference; NaN for a single deal."""
        count = len(self.differences)
        return float(self.differences.std(ddof=1) / math.sqrt(count)) if count > 1 else math.nan


@dataclasses.dataclass(frozen=True, repr=False)
class Tournament(Result):
    """Who works well with strangers, skill taken out."""

    run: TournamentRun
    method: str
    complete: bool  # every possible match was played
    reference: tuple[str, ...]
    forfeits: int
    notes: tuple[str, ...]
    standings: tuple[Standing, ...]  # the best teamwork first
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    matches: tuple[MatchResult, ...] = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    rel_skill: np.ndarray = dataclasses.field(compare=False, metadata=NOT_IN_JSON)  # [agents, agents]
    duels: tuple[Duel, ...] = dataclasses.field(compare=False, metadata=NOT_IN_JSON)  # of two sides: copies to copies
    model: Forecast = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        first = self.standings[0]
        count = len(self.matches)
        how = f"{len(self.standings)} agents, {count} match{'es' if count != 1 else ''} of {self.run.games} deals"
        return f"tournament of {how}; {first.agent} first: teamwork {first.teamwork.short('+.2f')}"

    def rows(self) -> Rows:
        """A row per agent, the best teamwork first."""
        return [
            {
                "agent": one.agent,
                "matches": one.matches,
                "teamwork": one.teamwork.value,
                "low": one.teamwork.low,
                "high": one.teamwork.high,
                "skill": one.skill.value,
                "dropin": one.dropin.value,
                "copies": one.copies.value,
                "mixed": one.mean_score,
                "normalised": one.normalised,
            }
            for one in self.standings
        ]


def judge(found: PlayedTournament, reference: Sequence[str] = ()) -> Tournament:
    """What the games of a tournament say; `reference`: agents known to have the same teamwork."""
    folder, run, teams = found
    agents, per_team = run.agents, run.per_team
    chosen = _reference(agents, reference)
    copies = of_copies(run, teams)
    matches = _match_results(run, teams)
    model = teamwork.predict([_as_match(one) for one in matches], len(agents), per_team)
    skill = _skills(copies.skill, teamwork.skill_agd(copies.rel_skill, per_team))
    dropin = _dropins(matches, model)
    apart = [_minus(first, second) for first, second in zip(dropin, skill, strict=True)]
    offset, norm, said = _normalised(skill, apart, chosen, agents)
    played = teamwork.dropin_agd([_as_match(one) for one in matches], len(agents))
    lines = [
        Standing(
            agent=agent,
            matches=sum(i in one.team_a + one.team_b for one in matches),
            mean_score=float(np.mean([s.mean() for one in matches for s in _scores_of(one, i)])),
            copies=stats.bootstrap(copies.scores[i], np.mean),
            skill=skill[i],
            played=float(played[i]),
            dropin=dropin[i],
            teamwork=apart[i],
            offset=None if offset is None else float(offset[i]),
            normalised=None if norm is None else float(norm[i]),
        )
        for i, agent in enumerate(agents)
    ]
    lines.sort(key=lambda line: -(line.teamwork.value if line.normalised is None else line.normalised))
    said += _weak_leader(lines[0])
    lost = sum(bool(row.forfeit) for rows in teams.values() for row in rows)
    return Tournament(
        run=run,
        method=METHOD if run.sides == 1 else METHOD_OF_TWO_SIDES,
        complete=_complete(model),
        reference=tuple(reference),
        forfeits=lost,
        notes=tuple(said),
        standings=tuple(lines),
        folder=folder.path,
        matches=matches,
        rel_skill=copies.rel_skill,
        duels=tuple(duels(copies)),
        model=model,
    )


def check_reference(agents: Sequence[str], reference: Sequence[str]) -> None:
    """Refuses reference agents that do not take part."""
    _reference(agents, reference)


def _reference(agents: Sequence[str], reference: Sequence[str]) -> list[int]:
    for spec in reference:
        if spec not in agents:
            raise MeasureError(f"reference {spec} is not among the agents; name agents of the tournament.")
    return sorted({list(agents).index(spec) for spec in reference})


def _match_results(run: TournamentRun, teams: Teams) -> tuple[MatchResult, ...]:
    sides: dict[int, dict[str, tuple[tuple[int, ...], np.ndarray]]] = {}
    for job in run.jobs:
        match, side, _ = job.key
        if side != COPIES:
            scores = np.array([row.score for row in teams[job.key]])
            sides.setdefault(match, {})[side] = (seats_of(job), scores)
    result = _of_rivals if run.sides == 1 else _of_opponents
    return tuple(result(number, *both[SIDE_A], *both[SIDE_B]) for number, both in sides.items())


def _of_rivals(
    number: int, team_a: tuple[int, ...], scores_a: np.ndarray, team_b: tuple[int, ...], scores_b: np.ndarray
) -> MatchResult:
    """Two teams that played the same deals apart."""
    return MatchResult(number, team_a, team_b, scores_a, scores_b, scores_a - scores_b)


def _of_opponents(
    number: int, seats: tuple[int, ...], leads: np.ndarray, turned: tuple[int, ...], trails: np.ndarray
) -> MatchResult:
    """Two teams that met on every deal twice, once with each as the first side."""
    found = (leads - trails) / 2
    return MatchResult(number, seats[::2], turned[::2], found, -found, found)


def _as_match(one: MatchResult) -> Match:
    return Match(one.team_a, one.team_b, one.difference)


def _scores_of(one: MatchResult, agent: int) -> list[np.ndarray]:
    """The scores of the team the agent sat in, if it did."""
    return [one.scores_a] if agent in one.team_a else [one.scores_b] if agent in one.team_b else []


def _skills(per_deal: np.ndarray, values: np.ndarray) -> list[Estimate]:
    """skillAGD is a mean over deals [agents, deals], so its interval draws deals with all agents' scores."""
    found = [stats.bootstrap(line, np.mean) for line in per_deal]
    assert np.allclose([one.value for one in found], values)
    return found


def _dropins(matches: Sequence[MatchResult], model: Forecast) -> list[Estimate]:
    if not _complete(model):
        return model.dropin_intervals()
    spread = float(special.ndtri(0.975))
    found = []
    for agent, value in enumerate(model.dropin_agd()):
        errors = [one.standard_error for one in matches if agent in one.team_a + one.team_b]
        reach = spread * math.sqrt(sum(error**2 for error in errors)) / len(errors)
        found.append(Estimate(float(value), float(value) - reach, float(value) + reach, len(errors)))
    return found


def _complete(model: Forecast) -> bool:
    return len(model.played) == assignments(model.n_agents, model.per_team)


def _minus(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two independent estimates."""
    value = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(value, value - below, value + above, first.n)


def _normalised(
    skill: Sequence[Estimate], apart: Sequence[Estimate], reference: Sequence[int], agents: Sequence[str]
) -> tuple[np.ndarray | None, np.ndarray | None, list[str]]:
    if not reference:
        return None, None, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MeasureWarning)
        offset, norm = teamwork.normalised([one.value for one in skill], [one.value for one in apart], reference)
    said = [str(one.message) for one in caught if issubclass(one.category, MeasureWarning)]
    return offset, norm, [_named(words, agents) for words in said]


def _weak_leader(first: Standing) -> list[str]:
    """A lead that comes from failing with one's own copies more than from doing well with others."""
    if first.skill.high >= 0 or -first.skill.value <= first.dropin.value:
        return []
    return [
        f"{first.agent} leads because it does badly with its own copies (skillAGD {first.skill.value:+.2f}), more than "
        f"because of what its mixed teams win (dropinAGD {first.dropin.value:+.2f}): that need not be teamwork."
    ]


def _named(words: str, agents: Sequence[str]) -> str:
    """A warning about agents 0 and 3 as one about their names."""
    return re.sub(r"agents \[([\d, ]+)\]", lambda found: ", ".join(agents[int(i)] for i in found[1].split(", ")), words)
