"""The candidates: how each is made, from what, and what the paper prints for the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coplay.worlds.hanabi.recordings.challenge import challenge_file

SEEDS = 3
NOTHING, LIMITED = "no games", "1,000 games of the community"


class Row(NamedTuple):
    """A line of the table."""

    name: str
    recipe: str
    learned_from: str
    settings: Callable[[Path, int], Mapping[str, Any]]  # of the folder of all rows and the number of players
    relative: bool = False  # does it share its clone with the proxies that judge it?
    printed: bool = True  # does the paper have a row of this recipe?

    def folder(self, out: Path, players: int) -> Path:
        return out / f"{players}p" / self.name.lower().replace(" ", "-").replace("*", "-all")


def _clones(out: Path, players: int) -> str:
    """A clone of few games for each seed."""
    place = BC.folder(out, players)
    return ",".join(str(place / f"agent-{seed}.safetensors") for seed in range(SEEDS))


def _cloned(out: Path, players: int) -> Mapping[str, Any]:
    train, held_out = (str(challenge_file("community", players, part)) for part in ("train", "val"))
    return {"data": train, "held_out": held_out}


def _near_clones(out: Path, players: int) -> Mapping[str, Any]:
    return {"bc": _clones(out, players), "kl": 0.25, "total_turns": 3e7, "critic_first": 2e6, "value_clip": 0.0}


def _answer(out: Path, players: int) -> Mapping[str, Any]:
    return {"bc": _clones(out, players), "total_turns": 1e8, "anneal": True, "value_weight": 1.0}


def _answer_all(out: Path, players: int) -> Mapping[str, Any]:
    from coplay.pool.pool import entry

    clone = str(entry(f"hanabi-{players}p-community-bc-0").path)
    return {**_answer(out, players), "bc": clone}


def _plain(turns: float, **more: Any) -> Callable[[Path, int], Mapping[str, Any]]:
    return lambda out, players: {"total_turns": turns, "learning_rate": 1e-3, "anneal": True, **more}


BC = Row("BC", "bc", LIMITED, _cloned)
ROWS = (
    BC,
    Row("HDR-IPPO", "hdr_ippo", LIMITED, _near_clones),  # BC comes first
    Row("BR-BC", "br_bc", LIMITED, _answer),
    Row(
        "BR-BC*", "br_bc", "all games that the proxies' clones learned from", _answer_all, relative=True, printed=False
    ),
    Row("FCP", "fcp", NOTHING, _plain(1e8, population_turns=1e8, size=12, cell="none", entropy_path="")),
    Row("Other-Play", "other_play", NOTHING, _plain(4e8)),
    Row("IPPO", "ippo", NOTHING, _plain(4e8)),
    Row("High entropy", "ippo", NOTHING, _plain(3e8, preset="high-entropy", games=4096, bundle=4), printed=False),
    Row("OBL level 1", "obl", NOTHING, lambda out, players: {"total_turns": 1e9}, printed=False),
    Row("OBL level 4", "obl", NOTHING, lambda out, players: {"total_turns": 6e8, "level": 4}),
)


def named(name: str) -> Row:
    """The row of this name, capitals aside."""
    found = [row for row in ROWS if row.name.lower() == name.lower()]
    if not found:
        raise ValueError(f"no row {name!r}; the rows are {', '.join(row.name for row in ROWS)}.")
    return found[0]
