"""Cooperative open-ended learning (Li et al. 2023), with the ranking by return that ZSC-Eval compares.

An agent learns with a cast of its own earlier selves, most from those with whom it scores least, and with itself. At
the end of every generation it joins the cast, in the place of the eldest; the first cast is untrained. With
`solver=graph` it learns most from those who get along least with the whole cast, by their Shapley values in the graph
of what all score together (`coplay.train.learner.graph`); what two of them score was recorded when the later one
joined.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import jax

from coplay.game import Game
from coplay.nets.network import new_networks as networks_of
from coplay.rollouts.seeds import derive
from coplay.train.ego import ego_defaults
from coplay.train.learner.partners import Block, Cast, Partners
from coplay.train.recipe import Context, LearnerSettings, Plan, games_per_partner, learner_plan, new_networks
from coplay.train.settings import TrainError, require_above_zero, require_from_zero


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    size: int = 25  # of the cast
    own: int = 7  # shares of the games that are self-play, where each of the cast has one
    generation: float = 1e6  # turns
    priority: float = 1.0
    solver: Literal["rank", "graph"] = "rank"  # who is hard to play with: by the agent's return, or by the whole cast's
    total_turns: float = 5e7  # two generations for each place in the cast
    entropy_path: str = "0.2@0,0.05@0.5,0.01@1"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above_zero(self, "size", "generation")
        require_from_zero(self, "own", "priority")
        if self.solver not in ("rank", "graph"):
            raise TrainError(f"solver={self.solver!r}: choose rank or graph.")


def defaults(game: Game) -> dict[str, Any]:
    return {name: value for name, value in ego_defaults(game).items() if name != "total_turns"}


def plan(context: Context, settings: Settings) -> Plan:
    cells = settings.size + settings.own
    games_per_partner(settings, cells)  # or there is no equal share
    count = cells * context.seeds
    block = Block(
        (Cast(settings.size, settings.own),) * (context.game.players - 1), settings.games * context.seeds, copies=count
    )
    partners = Partners((block,), priority=settings.priority, ranked=settings.size)
    if settings.solver == "graph":
        partners = dataclasses.replace(partners, graph=True)
    networks = new_networks(context, settings)
    keys = jax.random.split(derive(context.seed, "cast"), context.seeds * settings.size)
    first = networks_of(keys, networks.design)
    cast = jax.tree.map(lambda leaf: leaf.reshape(context.seeds, settings.size, *leaf.shape[1:]), first)
    made = learner_plan(context, settings, partners, networks)
    updates = max(round(settings.generation / made.setup.turns_per_update), 1)
    return made._replace(setup=dataclasses.replace(made.setup, generation=updates), cast=cast)
