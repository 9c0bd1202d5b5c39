"""The pool: trained partners by name, each with its hash, how it was made and how well it plays.

`pool:NAME` is their spec everywhere. A file that does not have the recorded hash is refused: a result with a changed
partner would be a result with another partner.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from coplay.agents.agent import AgentError
from coplay.agents.nets.file import load_policy
from coplay.agents.nets.policy import NetPolicy
from coplay.games.game import Game

FOLDER = Path(__file__).parent
CEILINGS = "ceiling"  # the one name in pool.toml that is no partner


@dataclasses.dataclass(frozen=True)
class Entry:
    """One partner of the pool."""

    id: str
    game: str
    players: int
    kind: str  # recipe, or "scripted"
    file: str  # below agents/
    sha256: str
    greedy: bool  # how it plays when it is asked for by name
    turns: float  # of training
    command: str  # that makes such an agent
    self_play: tuple[float, float, int]  # mean, standard error, games
    best_response: tuple[float, float, int] | None  # the same of its best response with it; None: not trained yet
    licence: str
    note: str
    layout: str = ""

    @property
    def path(self) -> Path:
        return FOLDER / "agents" / self.file

    @property
    def family(self) -> str:
        """The id without its number: agents of one family were made alike, with other seeds or weights."""
        return re.sub(r"-\d+$", "", self.id)


@cache
def entries() -> dict[str, Entry]:
    """Every partner of the pool by its id."""
    return {name: _entry(name, values) for name, values in contents().items() if name != CEILINGS}


@cache
def contents() -> dict[str, Any]:
    """pool.toml: a table per partner, and a list of ceilings (see `ceilings`)."""
    return tomllib.loads((FOLDER / "pool.toml").read_text())


def _entry(name: str, values: dict[str, Any]) -> Entry:
    figures = {part: tuple(values[part]) if values.get(part) else None for part in ("self_play", "best_response")}
    return Entry(id=name, **{**values, **figures})  # pyright: ignore[reportArgumentType]


def entry(name: str) -> Entry:
    if name not in entries():
        near = difflib.get_close_matches(name, entries(), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise AgentError(f"the pool has no {name!r}; `coplay pool list` names its {len(entries())} partners.{hint}")
    return entries()[name]


def verify(one: Entry) -> None:
    """Raises if the file is missing or not the one that was measured."""
    if not one.path.is_file():
        raise AgentError(f"pool:{one.id}: {one.path.name} is missing from the package; install coplay again.")
    found = hashlib.sha256(one.path.read_bytes()).hexdigest()
    if found != one.sha256:
        raise AgentError(
            f"pool:{one.id}: {one.path.name} has sha256 {found[:12]}..., not {one.sha256[:12]}...; "
            "it is not the partner that was measured. Install coplay again."
        )


def load(place: str, game: Game, greedy: bool | None = None) -> NetPolicy:
    """The partner called `place`, checked; `pool:NAME?greedy=false` draws from its distribution."""
    one = entry(place)
    if one.layout and getattr(game, "layout", one.layout) != one.layout:
        raise AgentError(f"pool:{one.id} cooks in {one.layout}, not in {getattr(game, 'layout', '')}.")
    verify(one)
    return load_policy(str(one.path), game, one.greedy if greedy is None else greedy, name=f"pool:{one.id}")


def of_game(game: Game, kinds: Collection[str] | None = None) -> list[str]:
    """Specs of the partners that play this game; `kinds` chooses among them by how they were made."""
    layout = getattr(game, "layout", "")
    return [
        f"pool:{one.id}"
        for one in entries().values()
        if (one.game, one.players) == (game.name, game.players)
        and one.layout in ("", layout)
        and (kinds is None or one.kind in kinds)
    ]
