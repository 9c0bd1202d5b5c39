"""Best-response proximity of an evaluation: for the partners whose ceiling is known (`coplay.pool.ceilings`).

Only games in which the agent sat alone among copies of the partner count: that is what the best response did.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from coplay.agents.contents import file_hashes
from coplay.game import GameError
from coplay.measure import MeasureWarning
from coplay.measure.evaluated.folder import EvaluationRun, Teams
from coplay.measure.proximity import profile
from coplay.measure.stats import Estimate
from coplay.measure.study.seatings import AGENT
from coplay.pool.ceilings import Ceiling, Figure, ceilings
from coplay.pool.reference import reference


@dataclasses.dataclass(frozen=True)
class PartnerProximity:
    """How near the agent came to the ceiling of one partner, and who holds that."""

    partner: str
    mean: float
    ceiling: float
    held_by: str
    best_response: Figure | None
    self_play: Figure | None
    best_known: Figure | None
    proximity: Estimate
    beaten: bool  # the agent did better, so it was no ceiling


@dataclasses.dataclass(frozen=True)
class Proximity:
    """How near the agent comes to the best that is known to be possible with its partners."""

    br_prox: Estimate
    quartiles: tuple[float, float]
    moderate: Estimate | None  # partners whose self-play is at most the median
    expert: Estimate | None  # partners above it
    partners: tuple[PartnerProximity, ...]
    warnings: tuple[str, ...]
    without_ceiling: tuple[str, ...] = ()


def evaluated_proximity(run: EvaluationRun, teams: Teams, twins: Collection[str] = ()) -> Proximity | None:
    """None where no partner has a ceiling; those who play like another partner are left out. What the agent itself
    scored before, in the tables of a pool or in a set, is no ceiling for it, whatever it was called there."""
    try:
        game = run.make_game()
        table, own = reference(game), run.files.get(run.agent, "")
        names = {run.agent, *(name for name, it in file_hashes({agent for agent, _ in table}).items() if it == own)}
        others = {pair: met for pair, met in table.items() if names.isdisjoint(pair) or pair[0] == pair[1]}
        known = ceilings(game, others, own.removeprefix("sha256:"))
    except GameError:  # a game that only lives in somebody's program
        return None
    partners = [partner for partner in run.partners if partner in known and partner not in twins]
    if not partners:
        return None
    returns = {
        partner: [
            row.score
            for (name, way), rows in teams.items()
            if name == partner and way.count(AGENT) == 1
            for row in rows
        ]
        for partner in partners
    }
    without = tuple(partner for partner in run.partners if partner not in known)
    return dataclasses.replace(proximity_of(returns, known), without_ceiling=without)


def proximity_of(returns: Mapping[str, Sequence[float]], known: Mapping[str, Ceiling]) -> Proximity:
    """partner -> the scores with it, as many with each, held against what is known to be possible."""
    partners = list(returns)
    tops = [known[partner].score for partner in partners]
    skill = [known[partner].self_play.mean for partner in partners]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", MeasureWarning)
        found = profile(np.array([returns[partner] for partner in partners]), tops, skill, partners)
    return Proximity(
        br_prox=found.overall,
        quartiles=found.quartiles,
        moderate=found.moderate,
        expert=found.expert,
        partners=tuple(
            PartnerProximity(
                partner=row.partner,
                mean=row.mean_return,
                ceiling=row.ceiling,
                held_by=known[row.partner].held_by,
                best_response=known[row.partner].best_response,
                self_play=known[row.partner].self_play,
                best_known=known[row.partner].best_known,
                proximity=row.proximity,
                beaten=row.beaten,
            )
            for row in found.rows
        ),
        warnings=tuple(str(one.message) for one in said),
    )
