"""The agents of a study: what each is called, the spec that makes it if it has one, and the player itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from coplay.agents.spec import agent as make_agent
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.pool.sets import expand
from coplay.rollouts.team import Player, agent_name

Named = Any  # a spec, a policy, or any object with `act`
Several = Sequence[Named] | Mapping[str, Named]  # under their own names, or under those that are given
IN_A_SPEC = set(":?/")  # what stands before a "=" that gives a name has none of these


@dataclasses.dataclass(frozen=True)
class Cast:
    """Everybody who plays, by name."""

    players: Mapping[str, Player]
    specs: Mapping[str, str]  # of those that were named by a spec

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.players)

    @property
    def has_objects(self) -> bool:
        return len(self.specs) < len(self.players)

    def renamed(self) -> dict[str, str]:
        """name -> spec, of those that go by another name than their spec."""
        return {name: spec for name, spec in self.specs.items() if name != spec}


def names_of(agents: Several) -> list[tuple[str, Named]]:
    """Every agent with what it is called; a set of partners stands for its members."""
    if isinstance(agents, Mapping):
        return list(agents.items())
    return [named(one) if isinstance(one, str) else (agent_name(one), one) for one in expand(agents)]


def named(text: str) -> tuple[str, str]:
    """Name and spec of `mine=file:agents.py:Mine`; a spec alone is its own name."""
    name, equals, spec = text.partition("=")
    given = bool(equals and name.strip() and spec) and not IN_A_SPEC & set(name)
    return (name.strip(), spec.strip()) if given else (text, text)


def cast(game: Game, agents: Several) -> Cast:
    """Makes everybody; two of one name are refused, for no table could tell them apart."""
    everyone = names_of(agents)
    for place, (name, _) in enumerate(everyone):
        if name in [other for other, _ in everyone[:place]]:
            raise MeasureError(
                f"two agents are called {name}; give them names of their own: name=SPEC, "
                '{"first": agent, "second": other}, or the attribute `name`.'
            )
    players = {name: make_agent(one, game) for name, one in everyone}
    return Cast(players, {name: one for name, one in everyone if isinstance(one, str)})
