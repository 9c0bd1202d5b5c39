"""What the pool's agents score with each other: tables that come with the package, in `reference/`.

A row is one agent among copies of a partner, over all its seats (or in seat 0 alone, as `seats` says); an agent with
itself is self-play. `coplay results --reference src/coplay/pool/reference` makes them anew. A row names the weights it
was measured with; rows of weights that were replaced since are left out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from coplay.games.game import Game
from coplay.pool.pool import entries

FOLDER = Path(__file__).parent / "reference"
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
    """The table of this game as it is made without further settings; empty where there is none."""
    file = FOLDER / reference_name(game)
    if not file.is_file():
        return {}
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return {
        (row["agent"], row["partner"]): Met(
            row["seats"], int(row["games"]), float(row["mean"]), float(row["standard error"])
        )
        for row in rows
        if row["weights"] == _weights(row["agent"], row["partner"])
    }


def _weights(*specs: str) -> str:
    """The first digits of the files' hashes, of those that are in the pool."""
    names = [spec.removeprefix("pool:") for spec in specs if spec.startswith("pool:")]
    return " ".join(entries()[name].sha256[:8] if name in entries() else "gone" for name in names)


def reference_name(game: Game) -> str:
    """Of the file."""
    return f"{game.name}-{getattr(game, 'layout', '') or f'{game.players}p'}.csv"


def reference_text(table: Reference) -> str:
    """The file."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(FIELDS)
    for (agent, partner), met in table.items():
        numbers = [met.games, f"{met.mean:.4f}", f"{met.standard_error:.4f}"]
        writer.writerow([agent, partner, _weights(agent, partner), met.seats, *numbers])
    return lines.getvalue()
