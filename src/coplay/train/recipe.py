"""What a recipe is: settings with defaults, and a plan made from them. The names of all recipes."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import math
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import jax
import jax.numpy as jnp

from coplay.agents.nets import network
from coplay.agents.nets.network import Design, Network
from coplay.agents.nets.policy import NetPolicy, observation_scale
from coplay.agents.spec import agent
from coplay.games.game import Game
from coplay.play.seeds import derive
from coplay.train.ppo import Setup
from coplay.train.rollout import SHORT
from coplay.train.settings import PPOSettings, TrainError, listed, require_above_zero, require_from_zero
from coplay.train.terms import Mercy, ShapedReward, Term

RECIPES = {
    "ippo": "coplay.train.recipes.ippo",
    "other_play": "coplay.train.recipes.other_play",
    "bc": "coplay.train.recipes.bc",
    "hdr_ippo": "coplay.train.recipes.hdr_ippo",
    "br_bc": "coplay.train.recipes.br_bc",
    "best_response": "coplay.train.recipes.best_response",
    "fcp": "coplay.train.recipes.fcp",
}


class Context(NamedTuple):
    """What every recipe is told."""

    game: Game  # as a network reads it
    seeds: int
    seed: int
    folder: Path
    dtype: Any  # what networks compute in


class Plan(NamedTuple):
    """A learner ready to go."""

    setup: Setup
    networks: Network  # stacked [seeds, ...]


class Recipe(Protocol):
    """A module with these names; `bc`, which needs no PPO, has `run` instead of `plan`."""

    Settings: type
    PRESETS: dict[str, dict[str, Any]]

    def defaults(self, game: Game) -> dict[str, Any]:
        """Settings that suit this game better than the general ones."""
        ...

    def plan(self, context: Context, settings: Any) -> Plan: ...


def recipe_named(name: str) -> Any:
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise TrainError(f"unknown recipe {name!r}; the recipes are {', '.join(RECIPES)}.{hint}")
    return importlib.import_module(RECIPES[name])


@dataclasses.dataclass(frozen=True)
class LearnerSettings(PPOSettings):
    """PPO's settings and the shape of the network."""

    encoder: Literal["mlp", "cnn"] = "mlp"
    embed: int = 512
    cell: Literal["none", "gru", "lstm"] = "none"
    hidden: int = 512
    actor: int = 512
    critic: int = 512
    hears: Literal["own", "every"] = "own"  # when a memory advances
    critic_sees: Literal["own", "all"] = "own"  # "all" is MAPPO
    shaping: float = 0.0  # turns over which the game's shaped reward is annealed away; 0: none
    random_starts: float = 0.0  # kitchens: share of episodes that begin in a random state
    mercy: float = 0.0  # turns over which losses (negative rewards) grow to their full weight; 0: full from the start
    snapshots: int = 0  # agents kept on the way, at equal distances, the first of them untrained
    tensorboard: bool = False  # write curves for TensorBoard too; needs tensorboardX
    bundle: int = 10  # updates between two looks at the clock, the log and the disk

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above_zero(self, "embed", "hidden", "actor", "critic", "bundle")
        require_from_zero(self, "shaping", "mercy", "snapshots")
        choices = {
            "encoder": ("mlp", "cnn"),
            "cell": ("none", "gru", "lstm"),
            "hears": ("own", "every"),
            "critic_sees": ("own", "all"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise TrainError(f"{name}={getattr(self, name)!r}: choose one of {', '.join(allowed)}.")


# JaxMARL's settings for its second Overcooked, but an entropy weight that starts ten times higher and falls to half of
# JaxMARL's, and a plain network: on a fixed layout it learns as well as the convolutions (`encoder=cnn`) and several
# times faster. With fewer and larger steps all seeds stop one soup short in cramped_room and leave the second pot of
# asymmetric_advantages unused (docs/pool.md).
KITCHEN: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    games=256,
    turns=256,
    minibatches=64,
    embed=128,
    actor=128,
    critic=128,
    hidden=128,
    learning_rate=2.5e-4,
    anneal=True,
    gradient_norm=0.25,
    entropy=0.1,
    entropy_left=0.05,
    total_turns=3e7,
    shaping=1.5e7,
)


# A tiny deck: small networks learn it on two CPU cores in minutes.
TINY: dict[str, Any] = dict(  # noqa: C408
    games=128,
    turns=32,
    embed=128,
    actor=128,
    critic=128,
    learning_rate=1e-3,
    entropy=0.05,
    total_turns=4e6,
    mercy=3e6,
    anneal=True,
)


def practice_game(game: Game, random_starts: float) -> Game:
    """The game as it is trained on."""
    if not random_starts:
        return game
    if not hasattr(game, "random_starts"):
        raise TrainError(f"random_starts={random_starts}: {game.name} has no random starts; only kitchens do.")
    return dataclasses.replace(game, random_starts=random_starts)  # pyright: ignore[reportArgumentType]


def games_per_partner(settings: PPOSettings, partners: int) -> int:
    """An equal share of the games for each of so many partners."""
    share, over = divmod(settings.games, partners)
    if over:
        even = math.lcm(partners, settings.minibatches)
        better = -(-settings.games // even) * even
        raise TrainError(f"games={settings.games} cannot be shared equally by {partners} partners; try games={better}.")
    return share


def game_defaults(game: Game) -> dict[str, Any]:
    if game.simultaneous:
        return KITCHEN
    return TINY if game.max_steps < SHORT else {}


def shaping_terms(settings: LearnerSettings) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """The terms that change rewards, and what the rollout must record for them."""
    terms: list[Term] = [Mercy(settings.mercy)] if settings.mercy else []
    if settings.shaping:
        terms.append(ShapedReward(settings.shaping))
    return tuple(terms), ("shaped",) if settings.shaping else ()


def stacked_copies(network: Network, count: int) -> Network:
    """The same weights for every seed."""
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), network)


def trained_networks(context: Context, start: str) -> Network:
    """The networks of the players to begin from, one for all learners or one each; stacked [learners, ...]."""
    specs = listed(start)
    if len(specs) not in (1, context.seeds):
        raise TrainError(f"start names {len(specs)} players for {context.seeds} learners; name one, or one for each.")
    players = [agent(spec, context.game) for spec in specs]
    for spec, player in zip(specs, players, strict=True):
        if not isinstance(player, NetPolicy):
            raise TrainError(f"start={spec}: not a trained player, so there is no network to start from.")
    networks = [player.network for player in players] * (context.seeds // len(players))  # pyright: ignore[reportAttributeAccessIssue]
    if len({network.design for network in networks}) > 1:
        raise TrainError(f"start={start}: these players' networks differ in shape; train them apart.")
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *networks)


def new_networks(context: Context, settings: LearnerSettings) -> Network:
    """Fresh networks, stacked [seeds, ...]."""
    game = context.game
    design = Design(
        inputs=game.observation_shape,
        actions=game.num_actions,
        scale=observation_scale(game),
        encoder=settings.encoder,
        embed=settings.embed,
        cell=settings.cell,
        hidden=settings.hidden,
        actor=settings.actor,
        critic=settings.critic,
        hears=settings.hears,
        critic_inputs=0 if settings.critic_sees == "own" else _all_views(game),
    )
    keys = jax.random.split(derive(context.seed, "network"), context.seeds)
    return network.new_networks(keys, design)


def _all_views(game: Game) -> int:
    size = game.players
    for side in game.observation_shape:
        size *= side
    return size
