"""The trained partners of all installed pools by name, each with its hash, how it was made and how well it plays.

`pool:NAME` is their spec everywhere. A file that does not have the recorded hash is refused: a result with a changed
partner would be a result with another partner. A partner is two files in the folder `agents` of a pool,
NAME.safetensors and NAME.toml:

    game = "hanabi?players=3"          # the game it was trained on and measured in
    kind = "ippo"                      # the recipe
    sha256 = "…"                       # of NAME.safetensors
    greedy = true                      # how it plays when it is asked for by name
    turns = 1.4e9                      # of training
    command = "coplay train ippo …"    # that makes such an agent
    self_play = [23.19, 0.02, 10000]   # with its own copies: mean score, its standard error, games; [] of two sides
    best_response = [23.1, 0.02, 9000] # the same of its best response with it; [] where none was trained
    licence = "Apache-2.0"
    note = ""

NAME.critic.safetensors may lie beside it, for whoever learns on; then critic_sha256 is its hash.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from coplay.files import digest_of
from coplay.game import Game
from coplay.nets.file import critic_file, load_policy
from coplay.nets.policy import NetPolicy
from coplay.player import AgentError
from coplay.pool import sources
from coplay.pool.places import canonical, from_older_keys, plays
from coplay.specs import did_you_mean

WEIGHTS = ".safetensors"
Measured = tuple[float, float, int]  # mean, standard error, games


@dataclasses.dataclass(frozen=True)
class Entry:
    """One trained partner."""

    id: str
    game: str  # the spec of the game it was trained on
    kind: str  # recipe
    path: Path  # of its weights
    sha256: str
    greedy: bool
    turns: float
    command: str
    self_play: Measured | None  # None: in a game of two sides, where copies against copies are even
    best_response: Measured | None
    licence: str
    note: str
    critic_sha256: str = ""

    @property
    def family(self) -> str:
        """The id without its number: agents of one family were made alike, with other seeds or weights."""
        return re.sub(r"-\d+$", "", self.id)

    def measured_in(self, game: Game) -> bool:
        """Do its figures hold for exactly this game?"""
        return canonical(self.game) == canonical(game)


def entries() -> dict[str, Entry]:
    """Every partner of the pools by its id."""
    return _entries(tuple(sources.files("agents", ".toml").values()))


@cache
def _entries(files: tuple[Path, ...]) -> dict[str, Entry]:
    return {file.stem: _entry(file) for file in files}


def _entry(file: Path) -> Entry:
    values = from_older_keys(read_toml(file))
    weights = file.parent / values.pop("file", file.stem + WEIGHTS)
    figures = {part: tuple(values[part]) if values.get(part) else None for part in ("self_play", "best_response")}
    known = {field.name for field in dataclasses.fields(Entry)} - {"id", "path"}
    missing, foreign = known - {"critic_sha256", "best_response", "note"} - values.keys(), values.keys() - known
    if missing or foreign:
        wrong = f"lacks {', '.join(sorted(missing))}" if missing else f"has {', '.join(sorted(foreign))}"
        raise AgentError(f"{file} {wrong}; its fields are {', '.join(sorted(known))}.")
    return Entry(**{"id": file.stem, "path": weights, "note": "", **values, **figures})


def read_toml(file: Path) -> dict[str, Any]:
    """A file of a pool."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise AgentError(f"{file} is no TOML file: {error}. Install the pool it belongs to again.") from error


def entry(name: str) -> Entry:
    """The partner of this name; AgentError where there is none."""
    sources.need(f"pool:{name}")
    if name not in entries():
        raise AgentError(
            f"the pool has no {name!r}; `coplay pool list` names its {len(entries())} partners."
            f"{did_you_mean(name, entries())}"
        )
    return entries()[name]


def verify(one: Entry) -> None:
    """Raises if a file is missing or not the one that was measured."""
    _verify(one, one.path, one.sha256)
    critic = critic_file(one.path)
    if one.critic_sha256 or critic.exists():
        _verify(one, critic, one.critic_sha256)


def _verify(one: Entry, path: Path, recorded: str) -> None:
    if not path.is_file():
        raise AgentError(f"pool:{one.id}: {path.name} is missing from the pool; install the pool again.")
    found = digest_of(path)
    if found != recorded:
        raise AgentError(
            f"pool:{one.id}: {path.name} has sha256 {found[:12]}..., not {recorded[:12] or 'any that is recorded'}...; "
            "it is not the partner that was measured. Install the pool again."
        )


def load(place: str, game: Game, greedy: bool | None = None, symmetries: int = 1) -> NetPolicy:
    """The partner called `place`, checked; `pool:NAME?greedy=false` draws from its distribution."""
    one = entry(place)
    if not plays(one.game, game):
        raise AgentError(
            f"pool:{one.id} was trained on {one.game}, not on {canonical(game)}; "
            "`coplay pool list` says who plays what."
        )
    verify(one)
    drawn = one.greedy if greedy is None else greedy
    return load_policy(str(one.path), game, drawn, symmetries, name=f"pool:{one.id}")


def of_game(game: Game, kinds: Collection[str] | None = None) -> list[str]:
    """Specs of the partners that play this game; `kinds` chooses among them by how they were made."""
    return [
        f"pool:{one.id}" for one in entries().values() if (kinds is None or one.kind in kinds) and plays(one.game, game)
    ]
