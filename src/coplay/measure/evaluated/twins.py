"""Partners that play alike: whatever the agent does with one, move for move the same happens with the other.

They are one partner under two names, so over all partners they count once. Rows say where to look: equal scores and
lengths in every game of every seating. The recorded moves decide, for two who score nothing may do so in different
ways.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from coplay.measure.evaluated.folder import EvaluationRun, GameRow, Teams
from coplay.rollouts.episode_file import moves_in

ENOUGH = 20  # games of a team; in fewer, two who differ may not show it

Twins = dict[str, str]  # partner -> the earlier one that it plays like


def twins_of(run: EvaluationRun, teams: Teams, folder: Path) -> Twins:
    """Nobody where the games themselves are not in the folder, or too few to tell."""
    if run.games < ENOUGH:
        return {}
    found: Twins = {}
    alike: dict[tuple[object, ...], list[str]] = {}  # by how all games ended: partners, each unlike the others
    for partner in run.partners:
        rows = [row for (name, _), team in teams.items() if name == partner for row in team]
        if any(row.forfeit for row in rows):
            continue
        known = alike.setdefault(tuple(map(_ended, rows)), [])
        twin = next((other for other in known if _same_moves(run, folder, partner, other)), None)
        if twin is None:
            known.append(partner)
        else:
            found[partner] = twin
    return found


def _ended(row: GameRow) -> tuple[object, ...]:
    return row.seating, row.game, row.score, row.length


def _same_moves(run: EvaluationRun, folder: Path, one: str, other: str) -> bool:
    files = {(team.partner, team.seating): folder / team.file for team in run.teams}
    pairs = [(file, files[other, seating]) for (partner, seating), file in files.items() if partner == one]
    return all(
        first.is_file() and second.is_file() and np.array_equal(moves_in(first), moves_in(second))
        for first, second in pairs
    )
