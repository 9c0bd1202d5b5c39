"""Every shipped agent through five measures: the tables of docs/results.md.

What was played is kept in a folder, one run per agent (and team), named after everything that decides its games, so a
second call plays only what is new: a new agent, a new partner, a changed file, another size.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coplay.agents.contents import file_hashes
from coplay.agents.spec import playing
from coplay.files import write_whole
from coplay.game import Game
from coplay.measure.stats import Estimate
from coplay.measure.study.partners import MADE_FOR_ONE
from coplay.pool.pool import entries, entry, of_game


@dataclasses.dataclass(frozen=True)
class Size:
    """How much is played."""

    trials: int = 1000  # ad-hoc, per team
    sets: int = 100
    games: int = 1000  # with proxies
    each: int = 250  # with every partner, in every seat
    episodes: int = 50  # the same in kitchens
    recorded: int = 500  # games to predict
    rollouts: int = 50  # from every start of a unit test


FULL, QUICK = Size(), Size(trials=40, sets=10, games=40, each=20, episodes=4, recorded=20, rollouts=4)


class Table(NamedTuple):
    """A table with a line above it; cells are Markdown."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Section(NamedTuple):
    """A measure: what it says and where the data differ from the papers', and its tables."""

    name: str
    title: str
    text: Sequence[str]
    tables: Sequence[Table]


def tell(line: str) -> None:
    """How far things are; a function with a name, because other processes are told of it."""
    print(line, file=sys.stderr, flush=True)


@dataclasses.dataclass(frozen=True)
class Work:
    """Where things are kept, how much is played, by whom."""

    cache: Path
    size: Size = FULL
    agents: Sequence[str] | None = None  # None: every shipped one
    players: Sequence[int] = (2, 3)
    say: Callable[[str], None] = tell

    def folder(self, kind: str, game: Game, agent: str, others: Sequence[str], **asked: Any) -> Path:
        """The place of a run: same name, same games."""
        about = [game.name, game.version, game.players, getattr(game, "layout", ""), agent, list(others)]
        digest = _digest([about, file_hashes([agent, *others]), asked])
        return self.cache / kind / f"{_slug(agent)}-{game.players}p-{digest}"

    def remembered(self, kind: str, about: Any, compute: Callable[[], Any]) -> Any:
        """What `compute` gives as JSON, kept under everything it depends on."""
        file = self.cache / kind / f"{_digest(about)}.json"
        if not file.exists():
            mine = file.with_suffix(f".{os.getpid()}")  # two processes may find out the same
            write_whole(mine, json.dumps(compute()))
            mine.replace(file)
        return json.loads(file.read_text(encoding="utf-8"))

    def shipped(self, game: Game) -> list[str]:
        """The agents of this game that are judged: built-in ones, slow ones too, and those of the pool."""
        kinds = {one.kind for one in entries().values()} - {MADE_FOR_ONE}
        everyone = [*playing(game), *of_game(game, kinds)]
        return everyone if self.agents is None else [name for name in everyone if name in self.agents]


def made_by(spec: str) -> str:
    """How an agent came to be, in a word."""
    return kind_of(spec) or "scripted"


def kind_of(spec: str) -> str:
    """The recipe of a pool's agent; empty for others."""
    prefix, _, place = spec.partition(":")
    return entry(place).kind if prefix == "pool" else ""


def as_estimate(kept: Mapping[str, Any]) -> Estimate:
    """What JSON keeps of an estimate; null is what nobody knows."""
    value, low, high = (math.nan if kept[name] is None else kept[name] for name in ("value", "low", "high"))
    return Estimate(value, low, high, kept["n"])


def _digest(about: Any) -> str:
    return hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode()).hexdigest()[:12]


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:60]
