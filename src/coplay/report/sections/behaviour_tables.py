"""The behaviour of a pool as rows of files."""

from __future__ import annotations

import re
from typing import Any

from coplay.faces import Conventions, NumberTable
from coplay.measure.behaviour.pool import PoolBehaviour

Tables = dict[str, list[list[Any]]]


def tables(pool: PoolBehaviour) -> Tables:
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
    found["rates"] = _rate_rows(pool)
    read = [(member.name, member.conventions) for member in pool.members if member.conventions is not None]
    if read:
        found |= _convention_rows(read)
    for member in pool.members:
        kept = [one for one in member.tables if one.folder]
        found |= {f"{one.folder}/{file_name(member.name)}": table_rows(one) for one in kept}
    return found


def table_rows(one: NumberTable) -> list[list[Any]]:
    """A world's table for a file; beside shares stands of how many cases they are."""
    rows: list[list[Any]] = [[one.corner, *([] if one.times is None else ["times"]), *one.columns]]
    for number, (name, line) in enumerate(zip(one.rows, one.values, strict=True)):
        times = [] if one.times is None else [int(one.times[number])]
        rows.append([name, *times, *map(float, line)])
    return rows


def _feature_rows(pool: PoolBehaviour) -> list[list[Any]]:
    head = ["agent", "games", "mean score", *pool.members[0].features.names]
    return [
        head,
        *(
            [m.name, len(m.episodes), float(m.episodes.scores.mean()), *map(float, m.features.values)]
            for m in pool.members
        ),
    ]


def _rate_rows(pool: PoolBehaviour) -> list[list[Any]]:
    rows: list[list[Any]] = [["agent", "rate", "value", "low", "high", "occasions"]]
    for member in pool.members:
        for name, one in member.rates.items():
            rows.append([member.name, name, *one])
    return rows


def map_rows(pool: PoolBehaviour) -> list[list[Any]]:
    assert pool.map is not None
    places = zip(pool.members, pool.map.places, strict=True)
    return [["agent", "first axis", "second axis"], *([m.name, *map(float, place)] for m, place in places)]


def diversity_rows(pool: PoolBehaviour) -> list[list[Any]]:
    rows: list[list[Any]] = [["members", "det K", "most diverse subset"]]
    return rows + [[row.size, row.diversity, " ".join(pool.members[i].name for i in row.members)] for row in pool.curve]


def _convention_rows(read: list[tuple[str, Conventions]]) -> Tables:
    shares: list[list[Any]] = [["agent", "share", "low", "high", "moves", "games"]]
    counts: list[list[Any]] = [["agent", "what", "name", "moves"]]
    moves: list[list[Any]] = [["agent", "game", "turn", "seat", "kind", "label", "violations"]]
    for name, one in read:
        share = one.share
        shares.append([name, *share[:3], one.moves, one.games])
        counts += [[name, "label", label, count] for label, count in one.labels.items()]
        counts += [[name, "violation", principle, count] for principle, count in one.violations.items()]
        moves += [[name, *move[:5], "; ".join(move.violations)] for move in one.read]
    return {"conventions": shares, "convention-counts": counts, "convention-moves": moves}


def file_name(name: str) -> str:
    """A name in letters that every file system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "agent"
