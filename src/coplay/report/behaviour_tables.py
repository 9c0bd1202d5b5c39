"""The behaviour of a pool as rows of files."""

from __future__ import annotations

import math
import re
from typing import Any

from coplay.games.hanabi import Hanabi
from coplay.measure.behaviour.action_table import ActionTable
from coplay.measure.behaviour.pool import Behaviour, Pool

Tables = dict[str, list[list[Any]]]


def tables(pool: Pool) -> Tables:
    """name -> rows, the head first."""
    found: Tables = {"features": _feature_rows(pool), "diversity": diversity_rows(pool)}
    if pool.map is not None:
        found["map"] = map_rows(pool)
    if pool.distance is not None:
        names = [member.name for member in pool.members]
        found["distance"] = [
            ["asked", *names],
            *([names[i], *map(float, line)] for i, line in enumerate(pool.distance)),
        ]
    if isinstance(pool.game, Hanabi):
        found["style"] = _style_rows(pool)
    read = [member for member in pool.members if member.adherence is not None]
    if read:
        found |= _convention_rows(read)
    for member in pool.members:
        if member.actions is not None:
            found[f"actions/{_file_name(member.name)}"] = action_rows(member.actions)
    return found


def action_rows(counted: ActionTable) -> list[list[Any]]:
    """The table for a file: one row per last move, shares and how often it happened."""
    rows: list[list[Any]] = [["last move", "times", *counted.labels]]
    for label, line, times in zip(counted.labels, counted.given, counted.pairs.sum(1), strict=True):
        rows.append([label, int(times), *(None if math.isnan(share) else float(share) for share in line)])
    rows.append(["any", int(counted.moves.sum()), *map(float, counted.overall)])
    return rows


def _feature_rows(pool: Pool) -> list[list[Any]]:
    head = ["agent", "games", "mean score", *pool.members[0].features.names]
    return [
        head,
        *(
            [m.name, len(m.episodes), float(m.episodes.scores.mean()), *map(float, m.features.values)]
            for m in pool.members
        ),
    ]


def _style_rows(pool: Pool) -> list[list[Any]]:
    rows: list[list[Any]] = [["agent", "rate", "value", "low", "high", "occasions"]]
    for member in pool.members:
        for name, one in (member.style or {}).items():
            rows.append([member.name, name, known(one.value), known(one.low), known(one.high), one.n])
    return rows


def map_rows(pool: Pool) -> list[list[Any]]:
    assert pool.map is not None
    places = zip(pool.members, pool.map.places, strict=True)
    return [["agent", "first axis", "second axis"], *([m.name, *map(float, place)] for m, place in places)]


def diversity_rows(pool: Pool) -> list[list[Any]]:
    rows: list[list[Any]] = [["members", "det K", "most diverse subset"]]
    return rows + [[row.size, row.diversity, " ".join(pool.members[i].name for i in row.members)] for row in pool.curve]


def _convention_rows(members: list[Behaviour]) -> Tables:
    shares: list[list[Any]] = [["agent", "share", "low", "high", "moves", "games"]]
    counts: list[list[Any]] = [["agent", "what", "name", "moves"]]
    moves: list[list[Any]] = [["agent", "game", "turn", "seat", "kind", "label", "violations"]]
    for member in members:
        found = member.adherence
        assert found is not None
        share = found.share
        shares.append([member.name, share.value, known(share.low), known(share.high), found.moves, found.games])
        counts += [[member.name, "label", name, count] for name, count in found.labels.items()]
        counts += [[member.name, "violation", name, count] for name, count in found.violations.items()]
        moves += [[member.name, *row[:5], "; ".join(row.violations)] for row in member.readings or []]
    return {"conventions": shares, "convention-counts": counts, "convention-moves": moves}


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "agent"


def known(bound: float) -> float | None:
    return None if math.isnan(bound) else bound
