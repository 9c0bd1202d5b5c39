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
from coplay.measure.dropin.duels import Duel, duels
from coplay.measure.dropin.expected import Expected
from coplay.measure.dropin.games import assignments
from coplay.measure.dropin.model import Forecast
from coplay.measure.dropin.outcomes import Copies, MatchResult, match_results, of_copies
from coplay.measure.dropin.plan import TournamentRun
from coplay.measure.dropin.play import PlayedTournament
from coplay.measure.dropin.rounds import Rounds
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
METHOD_OF_ROUNDS = (
    " dropinAGD: the average goal difference over all mixed matches. Matches are drawn by lot, and what the linear "
    "model of earlier ones foresaw of a match is taken away before it counts. Both intervals hold however often "
    "somebody looks (Waudby-Smith and Ramdas 2021, theorem 3), 97.5 % each. teamworkAGD = dropinAGD - skillAGD; the "
    "half-widths add up, so that its interval holds with 95 %."
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


@dataclasses.dataclass(frozen=True, repr=False)
class Tournament(Result):
    """Who works well with strangers, skill taken out."""

    run: TournamentRun
    method: str
    complete: bool  # every possible match was played
    drawn: int  # matches; those that could tell nothing more were not played
    reference: tuple[str, ...]
    forfeits: int
    notes: tuple[str, ...]
    standings: tuple[Standing, ...]  # the best teamwork first
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    matches: tuple[MatchResult, ...] = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    rel_skill: np.ndarray = dataclasses.field(compare=False, metadata=NOT_IN_JSON)  # [agents, agents]
    duels: tuple[Duel, ...] = dataclasses.field(compare=False, metadata=NOT_IN_JSON)  # of two sides: copies to copies
    model: Forecast | Expected = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

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


class _Found(NamedTuple):
    """What the two ways of holding a tournament find out."""

    skill: Sequence[Estimate]
    dropin: Sequence[Estimate]
    teamwork: Sequence[Estimate]
    model: Forecast | Expected
    complete: bool
    notes: Sequence[str]


def judge(found: PlayedTournament, reference: Sequence[str] = ()) -> Tournament:
    """What the games of a tournament say; `reference`: agents known to have the same teamwork."""
    folder, run, jobs, teams, ended = found
    agents = run.agents
    chosen = _reference(agents, reference)
    copies = of_copies(run, run.rounds if ended is None else ended.copies, teams)
    matches = match_results(run, jobs, teams)
    told = _of_all(run, copies, matches) if ended is None else _of_rounds(ended)
    offset, norm, said = _normalised(told.skill, told.teamwork, chosen, agents)
    played = teamwork.dropin_agd([one.as_match for one in matches], len(agents))
    of_agent: list[list[MatchResult]] = [[] for _ in agents]
    for one in matches:
        for agent in one.team_a + one.team_b:
            of_agent[agent].append(one)
    lines = [
        Standing(
            agent=agent,
            matches=len(of_agent[i]),
            mean_score=float(np.mean([one.scores_of(i).mean() for one in of_agent[i]])),
            copies=stats.bootstrap(copies.scores[i], np.mean),
            skill=told.skill[i],
            played=float(played[i]),
            dropin=told.dropin[i],
            teamwork=told.teamwork[i],
            offset=None if offset is None else float(offset[i]),
            normalised=None if norm is None else float(norm[i]),
        )
        for i, agent in enumerate(agents)
    ]
    lines.sort(key=lambda line: -(line.teamwork.value if line.normalised is None else line.normalised))
    lost = sum(bool(row.forfeit) for rows in teams.values() for row in rows)
    method = METHOD if run.sides == 1 else METHOD_OF_TWO_SIDES
    return Tournament(
        run=run,
        method=method if ended is None else method.partition(" interval: deals drawn anew.")[0] + METHOD_OF_ROUNDS,
        complete=told.complete,
        drawn=len(matches) if ended is None else len(matches) + ended.passed_over,
        reference=tuple(reference),
        forfeits=lost,
        notes=(*told.notes, *said, *_weak_leader(lines[0])),
        standings=tuple(lines),
        folder=folder.path,
        matches=matches,
        rel_skill=copies.rel_skill,
        duels=tuple(duels(copies)),
        model=told.model,
    )


def _of_all(run: TournamentRun, copies: Copies, matches: Sequence[MatchResult]) -> _Found:
    """Of a number of matches that was fixed beforehand."""
    model = teamwork.predict([one.as_match for one in matches], len(run.agents), run.per_team)
    skill = _skills(copies.skill, teamwork.skill_agd(copies.rel_skill, run.per_team))
    dropin = _dropins(matches, model)
    apart = [_minus(first, second) for first, second in zip(dropin, skill, strict=True)]
    return _Found(skill, dropin, apart, model, _complete(model), ())


def _of_rounds(ended: Rounds) -> _Found:
    """Of as many rounds as were needed. The ends of the intervals add up, so that they hold at any time."""
    apart = [
        Estimate(first.value - second.value, first.low - second.high, first.high - second.low, first.n)
        for first, second in zip(ended.dropin, ended.skill, strict=True)
    ]
    count, asked = len(ended.unsure), f"not known to {ended.until:g} points either way"
    told = f"--matches {ended.run.matches} ended it while the teamwork of {count} agents was {asked}."
    assert ended.model is not None
    return _Found(ended.skill, ended.dropin, apart, ended.model, False, (told,) if count else ())


def check_reference(agents: Sequence[str], reference: Sequence[str]) -> None:
    """Refuses reference agents that do not take part."""
    _reference(agents, reference)


def _reference(agents: Sequence[str], reference: Sequence[str]) -> list[int]:
    for spec in reference:
        if spec not in agents:
            raise MeasureError(f"reference {spec} is not among the agents; name agents of the tournament.")
    return sorted({list(agents).index(spec) for spec in reference})


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
