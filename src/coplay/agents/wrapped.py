"""Anything with an `act` as a player: nobody has to inherit from our classes."""

from __future__ import annotations

import copy
from typing import Any

from coplay.player import Agent, Policy


def as_player(thing: Any, name: str = "") -> Policy | Agent:
    """The thing itself if it is a player, else one that asks it."""
    if isinstance(thing, Policy | Agent):
        return thing
    return Wrapped(thing, name or type(thing).__name__)


class Wrapped(Agent):
    """A class that has `act` but does not derive from Agent."""

    def __init__(self, inner: Any, name: str) -> None:
        self.inner = inner
        self.name = getattr(inner, "name", name)
        self.hears = getattr(inner, "hears", "own")
        for optional in ("observe_games", "warm_up", "act_batch", "watch_batch", "reset_batch"):
            if hasattr(inner, optional):
                setattr(self, optional, getattr(inner, optional))

    def __copy__(self) -> Wrapped:
        return Wrapped(copy.copy(self.inner), self.name)  # what it remembers is in `inner`

    def reset(self, seat: int, players: int) -> None:
        self.inner.seed = self.seed
        if hasattr(self.inner, "reset"):
            self.inner.reset(seat, players)
        else:
            super().reset(seat, players)

    def act(self, view: Any) -> int:
        return self.inner.act(view) if hasattr(self.inner, "act") else super().act(view)

    def watch(self, view: Any) -> None:
        if hasattr(self.inner, "watch"):
            self.inner.watch(view)
