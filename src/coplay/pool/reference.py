"""What the agents of pools score with each other: tables in the folder `reference` of a pool, one for each game.

A row is one agent among copies of a partner, over all its seats (or in seat 0 alone, as `seats` says); an agent with
itself is self-play. `python -m studies.results --reference pool/src/coplay_pool/reference` makes ours anew. A row names
the weights it was measured with; rows of weights that were replaced since are left out. A pair that stands in the
tables of two pools counts as it was measured with more games.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from coplay.game import Game
from coplay.pool import sources
from coplay.pool.places import canonical
from coplay.pool.pool import Entry, entries
from coplay.pool.sets import PREFIX, member_hash

FIELDS = ("agent", "partner", "weights", "seats", "games", "mean", "standard error")
ALL = "all"


class Met(NamedTuple):
    """How an agent did with a partner."""

    seats: str  # "all" or "0"
    games: int
    mean: float
    standard_error: float


Reference = Mapping[tuple[str, str], Met]  # (agent, partner)


def reference(game: Game) -> Reference:
    """The tables of exactly this game as one; empty where there is none."""
    found: dict[tuple[str, str], Met] = {}
    for pool in sources.folders():
        for pair, met in _read(pool / "reference" / reference_name(game)).items():
            if pair not in found or met.games > found[pair].games:
                found[pair] = met
    return found


def _read(file: Path) -> dict[tuple[str, str], Met]:
    if not file.is_file():
        return {}
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    known = entries()
    return {
        (row["agent"], row["partner"]): Met(
            row["seats"], int(row["games"]), float(row["mean"]), float(row["standard error"])
        )
        for row in rows
        if row["weights"] == _weights(known, row["agent"], row["partner"])
    }


def _weights(known: Mapping[str, Entry], *specs: str) -> str:
    """The first digits of the files' hashes, of those that are in the pool or in one of its sets."""
    return " ".join(_weight(known, spec) for spec in specs if spec.startswith(("pool:", PREFIX)))


def _weight(known: Mapping[str, Entry], spec: str) -> str:
    if spec.startswith(PREFIX):
        place = spec.removeprefix(PREFIX)
        return member_hash(place)[:8] or "gone"
    name = spec.removeprefix("pool:")
    return known[name].sha256[:8] if name in known else "gone"


def reference_name(game: Game) -> str:
    """Of the file: the game's spec, in letters that every file system takes."""
    return re.sub(r"[^A-Za-z0-9=._,-]+", "-", canonical(game)) + ".csv"


def reference_text(table: Reference) -> str:
    """The file."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(FIELDS)
    known = entries()
    for (agent, partner), met in table.items():
        numbers = [met.games, f"{met.mean:.4f}", f"{met.standard_error:.4f}"]
        writer.writerow([agent, partner, _weights(known, agent, partner), met.seats, *numbers])
    return lines.getvalue()
