"""Who sits down: a recipe names kinds of members, how common each is, and how its members differ.

```toml
[[kinds]]
name = "regular"
share = { 2 = 0.7, 3 = 0.5 }              # by number of players
level = [4, 5, 5]                         # a list: one of these
nerve = { low = 0.5, high = 1.0 }         # anything between
taste = { 2 = "pairs", 3 = "people" }     # by number of players
finesse = true                            # the same for all of the kind
```
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from coplay.player import AgentError
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import Habits
from coplay.worlds.hanabi.bots.hgroup.deciding.tastes import known_taste

SHIPPED = Path(__file__).parent
LEVELS = (1, 2, 3, 4, 5)


class Member(NamedTuple):
    """Somebody who plays one game."""

    kind: int  # the number of his kind in the recipe
    level: int
    habits: Habits


class Kind(NamedTuple):
    """Members that have something in common."""

    name: str
    share: dict[int, float]  # by number of players
    traits: dict[str, Any]  # level and habits: a value, a list, {"low", "high"}, or values by number of players


class Community(NamedTuple):
    """All kinds of members; `source` is the text of the recipe."""

    kinds: tuple[Kind, ...]
    source: str

    def seat(self, players: int, luck: random.Random) -> list[Member]:
        """Who plays the next game, drawn seat by seat."""
        shares = [kind.share.get(players, 0.0) for kind in self.kinds]
        if not any(shares):
            raise AgentError(
                f"this community has no members for {players} players; give a kind a share = {{ {players} = 1 }}."
            )
        numbers = luck.choices(range(len(self.kinds)), shares, k=players)
        return [_draw(number, self.kinds[number], players, luck) for number in numbers]


def read_community(place: str | Path) -> Community:
    """A recipe that comes with the package (`community`) or a file of one's own (`mine.toml`)."""
    path = Path(place)
    path = path if path.suffix == ".toml" else SHIPPED / f"{place}.toml"
    if not path.is_file():
        raise AgentError(f"{place}: there is no such recipe of a community; write `community` or the path of a .toml.")
    text = path.read_text()
    try:
        return parse(text)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise AgentError(f"{path}: {error}") from error


def parse(text: str) -> Community:
    """The community that a recipe describes; a member of every kind is drawn, so that mistakes show before any game."""
    kinds = []
    for entry in tomllib.loads(text)["kinds"]:
        traits = dict(entry)
        name, share = traits.pop("name"), {int(players): float(part) for players, part in traits.pop("share").items()}
        unknown = set(traits) - {"level", *Habits._fields}
        if unknown:
            known = ", ".join(("level", *Habits._fields))
            raise ValueError(f"kind {name!r} has an unknown habit {min(unknown)!r}; the habits are {known}.")
        kinds.append(Kind(name, share, traits))
        for players in share:
            member = _draw(0, kinds[-1], players, random.Random(0))
            if member.level not in LEVELS:
                raise ValueError(f"kind {name!r}: level {member.level} is none of 1 to 5.")
            if member.habits.taste:
                known_taste(member.habits.taste)
    return Community(tuple(kinds), text)


def _draw(number: int, kind: Kind, players: int, luck: random.Random) -> Member:
    traits = {name: _value(trait, players, luck) for name, trait in kind.traits.items()}
    level = traits.pop("level", 5)
    return Member(number, level, Habits(**traits))


def _value(trait: Any, players: int, luck: random.Random) -> Any:
    if isinstance(trait, list):
        return luck.choice(trait)
    if isinstance(trait, dict) and "low" in trait:
        return trait["low"] + (trait["high"] - trait["low"]) * luck.random()
    if isinstance(trait, dict):
        return trait[str(players)]
    return trait
