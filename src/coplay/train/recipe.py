"""What a recipe is: settings with defaults, and a plan made from them. The names of all recipes."""

from __future__ import annotations

import dataclasses
import math
import pkgutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import jax
import jax.numpy as jnp

from coplay.agents.spec import agent, loaders
from coplay.completion import tells
from coplay.faces import faces_of
from coplay.game import Game
from coplay.nets import network
from coplay.nets.network import Design, Network
from coplay.nets.policy import NetPolicy, observation_scale, reader
from coplay.registry import attribute, module_from_file, plugins
from coplay.rollouts.seeds import derive
from coplay.rollouts.team import is_policy
from coplay.sides import per_side, sides_of
from coplay.specs import parse, unknown
from coplay.train.learner.partners import Opponents, Partners, Ramp, mixed_teams
from coplay.train.learner.ppo import Setup
from coplay.train.learner.stage import Recorder, Stage, event
from coplay.train.learner.terms import Mercy, ShapedReward, Term
from coplay.train.settings import PPOSettings, TrainError, listed, require_above_zero, require_from_zero
from coplay.train.trackers import Trackers


def recipe_names() -> dict[str, str]:
    """The recipes of this package and of installed ones -> their modules."""
    from coplay.train import recipes

    own = {module.name: f"{recipes.__name__}.{module.name}" for module in pkgutil.iter_modules(recipes.__path__)}
    return {**own, **plugins("coplay.recipes")}


class Context(NamedTuple):
    """What every recipe is told."""

    game: Game  # as a network reads it
    seeds: int
    seed: int
    folder: Path
    dtype: Any  # what networks compute in
    trackers: Trackers = Trackers()  # who is told the log besides the folder

    def reading(self, network: Network) -> Context:
        """With the game as this network reads it, where learning goes on from one."""
        return self._replace(game=reader(self.game, network.design.inputs))


class Plan(NamedTuple):
    """A learner ready to go."""

    setup: Setup
    networks: Network  # stacked [learners, ...]
    cast: Network | None = None  # earlier selves that learners meet, stacked [learners, size, ...]
    notes: tuple[Mapping[str, Any], ...] = ()  # what is written down with each learner's agent


class Recipe(Protocol):
    """A module with these names; `bc`, which needs no PPO, has `run` instead of `plan`."""

    Settings: type
    PRESETS: dict[str, dict[str, Any]]  # may be left out: there are none

    def defaults(self, game: Game) -> dict[str, Any]:
        """Settings that suit this game better than the general ones; left out, `game_defaults`."""
        ...

    def plan(self, context: Context, settings: Any) -> Plan: ...


def recipe_named(name: str) -> Any:
    """The module of a recipe: of this package, of an installed one, or somebody's own file (`file:PATH`)."""
    if name.startswith("file:"):
        return _checked(module_from_file(name.removeprefix("file:"), TrainError), name)
    known = recipe_names()
    if name not in known:
        raise TrainError(unknown("recipe", name, known, "; your own: file:my_recipe.py"))
    return _checked(attribute(known[name], TrainError), name)


def _checked(module: Any, name: str) -> Any:
    if not dataclasses.is_dataclass(getattr(module, "Settings", None)):
        raise TrainError(f"{name} has no Settings; give it a frozen dataclass of that name, as LearnerSettings is one.")
    if not callable(getattr(module, "plan", None)) and not callable(getattr(module, "run", None)):
        raise TrainError(f"{name} has no plan; define plan(context, settings) -> Plan, see docs/own.md.")
    return module


@dataclasses.dataclass(frozen=True)
class LearnerSettings(PPOSettings):
    """PPO's settings and the shape of the network."""

    encoder: Literal["mlp", "cnn"] = "mlp"
    filters: int = 32  # of each of the three convolutions
    embed: int = 512
    layers: int = 1  # of that width
    cell: Literal["none", "gru", "lstm"] = "none"
    hidden: int = 512
    actor: int = 512
    critic: int = 512
    hears: Literal["own", "every"] = "own"  # when a memory advances
    critic_sees: Literal["own", "all"] = "own"  # "all" is MAPPO
    shaping: float = 0.0  # turns over which the game's shaped reward is annealed away; 0: none
    looks_beyond: bool = True  # an episode cut off by the clock is worth what its last position is; False: it has ended
    useful: bool = False  # choose among actions only that can change something, where the world tells (kitchens)
    random_starts: float = 0.0  # kitchens: share of episodes that begin in a random state
    cluttered_starts: float = 0.0  # share of these in which things lie on counters
    starts: str = ""  # kitchens: recorded games, in whose states the other episodes begin
    recorded_starts: float = 1.0  # share of the other episodes that do
    mercy: float = 0.0  # turns over which losses (negative rewards) grow to their full weight; 0: full from the start
    against: str = ""  # games of two sides: teams that play the other one, an equal share of the games each
    start: str = ""  # trained players to learn on from, one or one per learner; the shape is then theirs
    snapshots: int = 0  # agents kept on the way, at equal distances, the first of them untrained
    bundle: int = 10  # updates between two looks at the clock, the log and the disk

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above_zero(self, "filters", "embed", "layers", "hidden", "actor", "critic", "bundle")
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


# For a game that nobody has tuned anything for, and whose observation is short.
SMALL: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    games=256, turns=32, embed=64, actor=64, critic=64, hidden=64, learning_rate=1e-3, anneal=True, total_turns=2e6
)


STARTS = ("random_starts", "cluttered_starts", "starts", "recorded_starts")  # settings of the game, for training alone


def practice_game(game: Game, settings: Any) -> Game:
    """The game as it is trained on."""
    if getattr(settings, "against", "") and sides_of(game) == 1:
        raise TrainError(
            f"against={settings.against}: {game.name} has one side, so nobody is against it; leave it out."
        )
    usual = {field.name: field.default for field in dataclasses.fields(LearnerSettings) if field.name in STARTS}
    given = {name: getattr(settings, name) for name in STARTS if getattr(settings, name, usual[name]) != usual[name]}
    for name, value in given.items():
        if not hasattr(game, name):
            raise TrainError(f"{name}={value}: {game.name} always begins as its rules say; leave {name} out.")
    return dataclasses.replace(game, **given) if given else game  # pyright: ignore[reportArgumentType]


def games_per_partner(settings: PPOSettings, partners: int) -> int:
    """An equal share of the games for each of so many partners."""
    share, over = divmod(settings.games, partners)
    if over:
        even = math.lcm(partners, settings.minibatches)
        better = -(-settings.games // even) * even
        raise TrainError(f"games={settings.games} cannot be shared equally by {partners} partners; try games={better}.")
    return share


def game_defaults(game: Game) -> dict[str, Any]:
    """What the game's world says about learning it; of a game of one's own, a small network's settings."""
    training = faces_of(game).training
    if training is not None:
        return dict(training.defaults(game))
    return SMALL if math.prod(game.observation_shape) <= 256 else {}


def shaping_terms(
    settings: LearnerSettings, game: Game, whose: Any = None
) -> tuple[tuple[Term, ...], tuple[Recorder, ...]]:
    """The terms that change rewards, and what the rollout must record for them; `whose`: see `ShapedReward`."""
    if settings.shaping and not tells(game, "shaped"):
        raise TrainError(
            f"shaping={settings.shaping:g}: {game.name} has no shaped reward (events.shaped, one number per seat); "
            "leave shaping out."
        )
    terms: list[Term] = [Mercy(settings.mercy)] if settings.mercy else []
    if settings.shaping:
        terms.append(ShapedReward(settings.shaping, whose))
    return tuple(terms), (event("shaped"),) if settings.shaping else ()


def learner_plan(
    context: Context,
    settings: LearnerSettings,
    partners: Partners | None = None,
    networks: Network | None = None,
    terms: tuple[Term, ...] = (),
    weights: Any = None,
    record: tuple[Recorder, ...] = (),
    shaped_for: Any = None,
    **stage: Any,
) -> Plan:
    """With these partners (none: self-play), these terms before those the settings ask for, and new networks unless
    some are given or the settings name players to start from.

    `weights`: see `Setup`; `shaped_for`: the share [learners] of the shaped reward that each gets; `stage`: what else
    `Stage` is told.
    """
    if networks is None and settings.start:
        networks = trained_networks(context, settings.start)
        context = context.reading(networks)
    shaping, recorded = shaping_terms(settings, context.game, shaped_for)
    place = Stage(
        context.game,
        with_opponents(context.game, settings, partners or Partners()),
        learners=context.seeds,
        dtype=context.dtype,
        record=(*record, *recorded),
        minibatches=settings.minibatches,
        looks_beyond=settings.looks_beyond,
        **stage,
    )
    if weights is not None:
        weights = jnp.asarray([[*row, *[1.0] * len(shaping)] for row in weights], jnp.float32)
    setup = Setup(place, (*terms, *shaping), settings, weights)
    return Plan(setup, new_networks(context, settings) if networks is None else networks)


def teams_of(context: Context, partners: int) -> list[int]:
    """How so many partners are mixed at a table, drawn for the run."""
    seed = int(jax.random.randint(derive(context.seed, "mates"), (), 0, 1 << 30))
    return mixed_teams(partners, context.game.players, sides_of(context.game), seed)


def with_opponents(game: Game, settings: LearnerSettings, partners: Partners) -> Partners:
    """With the teams of `settings.against` on the other side; without any, partners and learners are there too."""
    teams = [_team(game, text) for text in listed(settings.against)]
    if not teams:
        return partners
    even = math.lcm(len(teams) * game.players, settings.minibatches)
    if settings.games % (len(teams) * game.players):
        raise TrainError(
            f"games={settings.games} cannot be shared by {len(teams)} teams, each of which meets the learner in "
            f"{game.players} seats; try games={-(-settings.games // even) * even}."
        )
    blocks = tuple(
        dataclasses.replace(block, others=tuple(one if place % 2 else None for place, one in enumerate(block.others)))
        for block in partners.blocks
    )  # mates only, who sit at even distances
    return dataclasses.replace(partners, blocks=blocks, opponents=tuple(teams))


def _team(game: Game, text: str) -> Opponents:
    """A team of the other side: one agent for all seats, or one for each, joined by `+`; the learner is `self`."""
    if text == "self":
        return Opponents()
    members = [word.strip() for word in text.split("+")]
    size = per_side(game)
    if len(members) not in (1, size):
        raise TrainError(f"against={text}: names {len(members)} players for a side of {size}; name 1 or {size}.")
    made = {word: partner_named(game, word) for word in dict.fromkeys(members)}
    return Opponents.of([made[word] for word in (members * size)[:size]])


def coming(context: Context, settings: Any) -> Ramp | None:
    """Self-play annealed away: partners begin to come after a share `begin` of the run and always come after `end`;
    None if they sit there from the first."""
    if not settings.end:
        return None
    total = settings.total_turns * context.seeds  # the ramp counts the turns of all learners
    return Ramp(settings.begin * total, settings.end * total)


def require_ramp(settings: Any) -> None:
    if (settings.begin or settings.end) and not 0 <= settings.begin < settings.end <= 1:
        raise TrainError(f"begin={settings.begin}, end={settings.end}: must satisfy 0 <= begin < end <= 1.")


def stacked_copies(network: Network, count: int) -> Network:
    """The same weights for every seed."""
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), network)


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
    """Somebody who can sit in another seat while a learner learns; a bare path is a trained player who draws."""
    if not _is_file(spec):
        made = agent(spec, game)
        if not is_policy(made):
            raise TrainError(
                f"{spec} is a plain agent and cannot play inside a compiled rollout; "
                "record its games, clone it with `coplay train bc`, and train against the clone."
            )
        return made
    from coplay.nets.file import load_policy

    return load_policy(spec, game, greedy=False)


def _is_file(spec: str) -> bool:
    """Is it a path alone, without the prefix that says who reads it?"""
    return Path(spec).suffix == ".safetensors" and parse(spec).prefix not in loaders()


def stacked_networks(networks: Sequence[Network]) -> Network:
    """Networks of one shape as one, [networks, ...]."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *networks)


def new_networks(context: Context, settings: LearnerSettings) -> Network:
    """Fresh networks, stacked [seeds, ...]."""
    game = context.game
    design = Design(
        inputs=game.observation_shape,
        actions=game.num_actions,
        scale=observation_scale(game),
        encoder=settings.encoder,
        filters=settings.filters,
        embed=settings.embed,
        layers=settings.layers,
        cell=settings.cell,
        hidden=settings.hidden,
        actor=settings.actor,
        critic=settings.critic,
        hears=settings.hears,
        critic_inputs=0 if settings.critic_sees == "own" else _all_views(game),
        useful=settings.useful,
    )
    keys = jax.random.split(derive(context.seed, "network"), context.seeds)
    return network.new_networks(keys, design)


def _all_views(game: Game) -> int:
    size = game.players
    for side in game.observation_shape:
        size *= side
    return size
