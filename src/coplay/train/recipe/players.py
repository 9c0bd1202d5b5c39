"""Players that a recipe's settings name: to learn on from, and to sit in the other seats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coplay.agents.spec import agent, loaders
from coplay.game import Game
from coplay.nets.network import Network
from coplay.nets.policy import NetPolicy
from coplay.nets.stacks import stacked_networks
from coplay.player import unnamed
from coplay.rollouts.team import is_policy
from coplay.specs import parse
from coplay.train.recipe.context import Context
from coplay.train.settings import TrainError, listed


def trained_networks(context: Context, start: str, setting: str = "start") -> Network:
    """The networks of the players to begin from, one for all learners or one each; stacked [learners, ...]."""
    specs = listed(start)
    if len(specs) not in (1, context.seeds):
        raise TrainError(
            f"{setting} names {len(specs)} players for {context.seeds} learners; name one, or one for each."
        )
    networks = [trained_network(context.game, spec, setting) for spec in specs] * (context.seeds // len(specs))
    if len({network.design for network in networks}) > 1:
        raise TrainError(f"{setting}={start}: these players' networks differ in shape; train them apart.")
    return stacked_networks(networks)


def trained_network(game: Game, spec: str, setting: str) -> Network:
    """The network of a trained player: of ours, or of one from elsewhere that can be told as ours (`as_network`)."""
    player = partner_named(game, spec)
    if isinstance(player, NetPolicy):
        if player.symmetries != 1:
            raise TrainError(f"{setting}={spec}: learning goes on from the network alone; leave out `symmetries`.")
        return player.network
    retold = getattr(player, "as_network", None)
    if retold is None:
        raise TrainError(f"{setting}={spec}: not a trained player, so there is no network to start from.")
    return retold(game)


def partner_named(game: Game, spec: str) -> Any:
    """Somebody who can sit in another seat while a learner learns; a bare path is a trained player who draws.

    Without its name: runs beside partners of one kind share a compiled program."""
    if not _is_file(spec):
        made = agent(spec, game)
        if not is_policy(made):
            raise TrainError(
                f"{spec} is a plain agent and cannot play inside a compiled rollout; "
                "record its games, clone it with `coplay train bc`, and train against the clone."
            )
        return unnamed(made)
    from coplay.nets.file import load_policy

    return unnamed(load_policy(spec, game, greedy=False))


def _is_file(spec: str) -> bool:
    """Is it a path alone, without the prefix that says who reads it?"""
    return Path(spec).suffix == ".safetensors" and parse(spec).prefix not in loaders()
