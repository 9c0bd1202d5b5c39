"""An agent that learns from games of the team it will join: it finds the known bot that would have played them.

coplay adhoc file:examples/mimic.py:Mimic --partners smartbot,piers,information --observe 0,1,10 --out runs/mimic

It asks every bot it knows what it would have done at each decision of the games and plays as the one that agrees most
often. If none agrees in nine of ten moves, the team is a stranger, and it plays as if it had seen nothing.
"""

from functools import cache
from typing import Any

import equinox as eqx

import coplay
from coplay.measure.predict import foresee_episodes
from coplay.measure.study.partners import default_partners

SURE = 0.9
STRANGER = "iggi"  # whom it plays as before it has seen anything: of the bots the one that gets on best with the others


@cache
def known(game: Any) -> dict[str, Any]:
    """Every built-in policy of the game; made once, so that equal guesses are one player and are run together."""
    return {name: coplay.agent(name, game) for name in default_partners(game, pool="scripted")}


def likeness(games: Any, policy: Any) -> float:
    """The share of the recorded moves that the policy would have made, too."""
    found = foresee_episodes(games, policy)
    return float(found.hit[found.decides].mean())


class Mimic(eqx.Module):
    """A policy that lets another one play; `observe_games` says which."""

    game: Any = eqx.field(static=True)
    name: str = eqx.field(static=True, default="mimic")

    @property
    def hears(self) -> str:
        return self.stranger.hears

    @property
    def stranger(self) -> Any:
        return known(self.game).get(STRANGER) or next(iter(known(self.game).values()))

    def start(self) -> Any:
        return self.stranger.start()

    def act(self, memory: Any, view: Any, key: Any) -> tuple[Any, Any]:
        return self.stranger.act(memory, view, key)

    def observe_games(self, games: Any) -> Any:
        if len(games) == 0:
            return self.stranger
        alike = {name: likeness(games, policy) for name, policy in known(self.game).items()}
        best = max(alike, key=lambda name: alike[name])
        return known(self.game)[best] if alike[best] >= SURE else self.stranger
