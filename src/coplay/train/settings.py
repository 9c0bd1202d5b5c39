"""The settings of the learner, with the defaults of the baseline everyone uses (JaxMARL's IPPO for Hanabi)."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any, TypeVar

from coplay.player import AgentError
from coplay.specs import options_of, read_options

S = TypeVar("S")


class TrainError(AgentError):
    """Training cannot begin or go on; the message names the value, the rule and the remedy."""


@dataclasses.dataclass(frozen=True)
class PPOSettings:
    """One learner's knobs. A turn is one move at the table (all seats' moves in a kitchen)."""

    total_turns: float = 1e10  # turns of all games together, per seed
    games: int = 1024  # games played at once, per seed
    turns: int = 128  # turns per rollout; rounded up to whole rounds
    stretch: int = 0  # turns over which a memory is learned back through; 0: the whole rollout
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 5e-4
    anneal: bool = False  # learning rate falls linearly to 0
    discount: float = 0.99
    trace: float = 0.95  # GAE's lambda
    clip: float = 0.2
    value_weight: float = 0.5
    value_clip: float = 0.2  # points by which an update may move a value; 0: any number
    entropy: float = 0.01
    entropy_left: float = 1.0  # share of the entropy's weight at the end of the run, to which it falls linearly
    # Where it does not fall on one line: weights at shares of the run, such as "0.2@0,0.05@0.6,0.01@1".
    entropy_path: str = ""
    critic_first: float = 0.0  # turns in which only the critic learns, where a trained player has none yet
    gradient_norm: float = 0.5
    bfloat16: bool = True  # on a GPU; a CPU computes in float32

    def __post_init__(self) -> None:
        positive = ("total_turns", "games", "turns", "epochs", "minibatches", "learning_rate", "clip", "gradient_norm")
        require_above_zero(self, *positive)
        require_from_zero(self, "value_weight", "entropy", "critic_first", "stretch")
        if not math.isfinite(self.total_turns):
            raise TrainError(f"total_turns={self.total_turns!r}: a run has an end; give a number such as 1e9.")
        if self.games % self.minibatches:
            raise TrainError(
                f"games={self.games} cannot be cut into minibatches={self.minibatches} equal parts; "
                f"try games={-(-self.games // self.minibatches) * self.minibatches}, "
                f"or minibatches={math.gcd(self.games, self.minibatches)}."
            )
        if self.value_clip < 0:
            raise TrainError(f"value_clip={self.value_clip!r}: give points, or 0 for no clipping.")
        for name in ("discount", "trace", "entropy_left"):
            if not 0 <= getattr(self, name) <= 1:
                raise TrainError(f"{name}={getattr(self, name)!r}: must be between 0 and 1.")
        shares = [share for share, _ in self.entropy_points]
        if shares != sorted(set(shares)) or not all(0 <= share <= 1 for share in shares):
            raise TrainError(f"entropy_path={self.entropy_path!r}: the shares of the run must rise from 0 to 1.")

    @property
    def entropy_points(self) -> list[tuple[float, float]]:
        """(share of the run, weight of the entropy there), in order; between them it moves on straight lines."""
        if not self.entropy_path:
            return [(0.0, self.entropy), (1.0, self.entropy * self.entropy_left)]
        try:
            pairs = [point.split("@") for point in listed(self.entropy_path)]
            return [(float(share), float(weight)) for weight, share in pairs]
        except ValueError as error:
            raise TrainError(
                f"entropy_path={self.entropy_path!r}: give weights at shares of the run, as in 0.2@0,0.05@0.6,0.01@1."
            ) from error


def only_learning(settings: PPOSettings) -> PPOSettings:
    """What the learner reads of a recipe's settings: runs that differ in nothing else share their compiled program."""
    return PPOSettings(**{field.name: getattr(settings, field.name) for field in dataclasses.fields(PPOSettings)})


def listed(text: str) -> list[str]:
    """The agents or files that one setting names, separated by commas; `run:clones/agent-{0..19}.safetensors` names
    twenty."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    return [one for word in words for one in _counted(word)]


def _counted(word: str) -> list[str]:
    found = re.search(r"\{(\d+)\.\.(\d+)\}", word)
    if not found:
        return [word]
    first, last = map(int, found.groups())
    step = 1 if first <= last else -1
    return [word[: found.start()] + str(number) + word[found.end() :] for number in range(first, last + step, step)]


def require_above_zero(settings: Any, *names: str) -> None:
    for name in names:
        if not getattr(settings, name) > 0:
            raise TrainError(f"{name}={getattr(settings, name)!r}: must be greater than 0.")


def require_from_zero(settings: Any, *names: str) -> None:
    for name in names:
        if not getattr(settings, name) >= 0:
            raise TrainError(f"{name}={getattr(settings, name)!r}: must not be below 0.")


def fill_settings(kind: type[S], given: dict[str, Any], where: str) -> S:
    """A settings record from names and values (texts are read by the type of the field)."""
    return kind(**read_options(given, options_of(kind), where, TrainError, "setting"))


def numbers(text: str, name: str) -> list[float]:
    """The numbers of a setting that may list several."""
    try:
        return [float(word) for word in str(text).split(",")]
    except ValueError as error:
        raise TrainError(f"{name}={text!r} should be a number, or several separated by commas.") from error
