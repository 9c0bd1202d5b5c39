"""The settings that recipes share: the learner's, the network's, and how its games begin."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

from coplay.faces import faces_of
from coplay.game import Game
from coplay.sides import sides_of
from coplay.train.settings import PPOSettings, TrainError, require_above_zero, require_from_zero


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


def game_defaults(game: Game) -> dict[str, Any]:
    """What the game's world says about learning it; of a game of one's own, a small network's settings."""
    training = faces_of(game).training
    if training is not None:
        return dict(training.defaults(game))
    return SMALL if math.prod(game.observation_shape) <= 256 else {}


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


def require_ramp(settings: Any) -> None:
    if (settings.begin or settings.end) and not 0 <= settings.begin < settings.end <= 1:
        raise TrainError(f"begin={settings.begin}, end={settings.end}: must satisfy 0 <= begin < end <= 1.")
