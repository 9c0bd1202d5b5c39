"""The settings of the learner, with the defaults of the baseline everyone uses (JaxMARL's IPPO for Hanabi)."""

from __future__ import annotations

import dataclasses
import difflib
import math
from typing import Any, TypeVar

from coplay.agents.agent import AgentError

S = TypeVar("S")


class TrainError(AgentError):
    """Training cannot begin or go on; the message names the value, the rule and the remedy."""


@dataclasses.dataclass(frozen=True)
class PPOSettings:
    """One learner's knobs. A turn is one move at the table (all seats' moves in a kitchen)."""

    total_turns: float = 1e10  # turns of all games together, per seed
    games: int = 1024  # games played at once, per seed
    turns: int = 128  # turns per rollout; rounded up to whole rounds
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
    gradient_norm: float = 0.5
    bfloat16: bool = True  # on a GPU; a CPU computes in float32

    def __post_init__(self) -> None:
        positive = ("total_turns", "games", "turns", "epochs", "minibatches", "learning_rate", "clip", "gradient_norm")
        require_above_zero(self, *positive)
        require_from_zero(self, "value_weight", "entropy")
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


def listed(text: str) -> list[str]:
    """The agents or files that one setting names, separated by commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def require_above_zero(settings: Any, *names: str) -> None:
    for name in names:
        if not getattr(settings, name) > 0:
            raise TrainError(f"{name}={getattr(settings, name)!r}: must be greater than 0.")


def require_from_zero(settings: Any, *names: str) -> None:
    for name in names:
        if not getattr(settings, name) >= 0:
            raise TrainError(f"{name}={getattr(settings, name)!r}: must not be below 0.")


def fill_settings(kind: type[S], given: dict[str, Any], where: str) -> S:
    """A settings record from names and values (texts are read by the type of the default)."""
    fields = {field.name: field for field in dataclasses.fields(kind)}  # pyright: ignore[reportArgumentType]
    values = {}
    for name, value in given.items():
        if name not in fields:
            near = difflib.get_close_matches(name, fields, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise TrainError(f"{where}: unknown setting {name!r}; the settings are {', '.join(fields)}.{hint}")
        values[name] = _read(where, name, value, fields[name].default)
    return kind(**values)


def _read(where: str, name: str, value: Any, default: Any) -> Any:
    if isinstance(default, bool):
        words = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
        if str(value).lower() not in words:
            raise TrainError(f"{where}: {name}={value!r} should be true or false.")
        return words[str(value).lower()]
    if isinstance(default, int | float):
        try:
            number = float(value)
        except (TypeError, ValueError) as error:
            raise TrainError(f"{where}: {name}={value!r} should be a number.") from error
        if isinstance(default, int) and not number.is_integer():
            raise TrainError(f"{where}: {name}={value!r} should be a whole number.")
        return int(number) if isinstance(default, int) else number
    return value if isinstance(value, type(default)) else str(value)
