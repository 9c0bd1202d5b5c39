"""Best-response proximity of an evaluation: for the partners whose ceiling is known (`coplay.pool.ceilings`).

Only games in which the agent sat alone among copies of the partner count: that is what the best response did.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coplay.games.game import Game
from coplay.games.registry import make
from coplay.measure import MeasureWarning
from coplay.measure.plain import plain
from coplay.measure.proximity import profile
from coplay.measure.run_folder import GameRow
from coplay.measure.seatings import AGENT
from coplay.play.episode_file import settings_of
from coplay.pool.ceilings import Ceiling, Figure, ceilings

Teams = Mapping[tuple[str, str], list[GameRow]]


def evaluated_proximity(run: dict[str, Any], teams: Teams) -> dict[str, Any] | None:
    """What summary.json holds under "proximity"; None where no partner has a ceiling."""
    game = _standard_game(run)
    known = {} if game is None else ceilings(game)
    partners = [partner for partner in run["partners"] if partner in known]
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
    without = [partner for partner in run["partners"] if partner not in known]
    return proximity_of(returns, known) | {"without_ceiling": without}


def proximity_of(returns: Mapping[str, Sequence[float]], known: Mapping[str, Ceiling]) -> dict[str, Any]:
    """partner -> the scores with it, as many with each, held against what is known to be possible."""
    partners = list(returns)
    tops = [known[partner].score for partner in partners]
    skill = [known[partner].self_play.mean for partner in partners]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", MeasureWarning)
        found = profile(np.array([returns[partner] for partner in partners]), tops, skill, partners)
    return {
        "br_prox": plain(found.overall),
        "quartiles": list(found.quartiles),
        "moderate": None if found.moderate is None else plain(found.moderate),
        "expert": None if found.expert is None else plain(found.expert),
        "partners": [
            {
                "partner": row.partner,
                "mean": row.mean_return,
                "ceiling": row.ceiling,
                "held_by": known[row.partner].held_by,
                "best_response": _listed(known[row.partner].best_response),
                "self_play": _listed(known[row.partner].self_play),
                "best_known": _listed(known[row.partner].best_known),
                "proximity": plain(row.proximity),
                "beaten": row.beaten,
            }
            for row in found.rows
        ],
        "warnings": [str(one.message) for one in said],
    }


def _listed(figure: Figure | None) -> list[float] | None:
    return None if figure is None else list(figure)


def _standard_game(run: dict[str, Any]) -> Game | None:
    """The game as it is made without further settings, for which ceilings hold; None if another one was played."""
    layout = run["game_settings"].get("layout")
    game = make(run["game"], players=run["players"]) if layout is None else make(run["game"], layout=layout)
    return game if json.loads(json.dumps(settings_of(game))) == run["game_settings"] else None
