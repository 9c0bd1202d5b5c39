"""A tournament as rows of files."""

from __future__ import annotations

from typing import Any

import numpy as np

from coplay.measure.dropin.results import MatchResult, Tournament
from coplay.measure.stats import Estimate

ESTIMATES = ("copies", "skill", "dropin", "teamwork")


def teams(result: Tournament, one: MatchResult) -> list[str]:
    agents = result.run.agents
    return [", ".join(agents[agent] for agent in team) for team in (one.team_a, one.team_b)]


def agent_rows(result: Tournament) -> list[list[Any]]:
    head = ["agent", "matches", "mean score in mixed teams", "dropinAGD of played matches"]
    names = ("mean score with copies", "skillAGD", "dropinAGD", "teamworkAGD")
    head += [cell for name in names for cell in (name, f"{name} low", f"{name} high")]
    rows: list[list[Any]] = [[*head, "normOffset", "normTeamworkAGD"]]
    for line in result.standings:
        cells: list[Any] = [line.agent, line.matches, line.mean_score, line.played]
        for name in ESTIMATES:
            one: Estimate = getattr(line, name)
            cells += one[:3]
        rows.append([*cells, line.offset, line.normalised])
    return rows


def match_rows(result: Tournament) -> list[list[Any]]:
    head = ["match", "team a", "team b", "mean a", "mean b", "goal difference", "standard error", "deals"]
    return [
        head,
        *(
            [
                one.number,
                *teams(result, one),
                float(one.scores_a.mean()),
                float(one.scores_b.mean()),
                one.difference,
                one.standard_error,
                len(one.scores_a),
            ]
            for one in result.matches
        ),
    ]


def pair_rows(result: Tournament) -> list[list[Any]]:
    agents, model = result.run.agents, result.model
    rows: list[list[Any]] = [["agent", "other", "strength", "together", "against"]]
    for i, j in np.ndindex(len(agents), len(agents)):
        if i != j:
            cells = [float(value) for value in (model.strength[i], model.teammates[i, j], model.opponents[i, j])]
            rows.append([agents[i], agents[j], *cells])
    return rows
