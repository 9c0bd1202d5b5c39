"""The parameters of the Theory-of-Mind agent and their published sets, by name."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from statistics import median
from typing import NamedTuple

import jax
import numpy as np

from coplay.player import AgentError

Number = jax.Array | np.floating


class Parameters(NamedTuple):
    """See `parameters.toml` for what each means; float32, so that a population can be stacked."""

    compliance: Number
    retain_goals: Number
    path_teamwork: Number
    rationality: Number
    prob_greedy: Number
    prob_obs_other: Number
    look_ahead: Number
    prob_pausing: Number
    prob_thinking: Number
    prob_random: Number


MAX_LOOK_AHEAD = 4
MANUAL = 30
DRAWN = 20210114  # begins the seeds of random sets


@cache
def _published() -> dict:
    text = (
        resources.files("coplay.worlds.overcooked.bots.theory_of_mind")
        .joinpath("parameters.toml")
        .read_text(encoding="utf-8")
    )
    return tomllib.loads(text)


def set_names() -> list[str]:
    """Every name that `named_set` knows."""
    fitted = [f"fitted-{layout}" for layout in _published()["fitted"]]
    return ["fitted", *fitted, *_published()["test_partners"], *(f"manual-{i}" for i in range(MANUAL))]


def validation_sets() -> list[str]:
    """Those of the manual population that were kept for validation."""
    return [f"manual-{number}" for number in range(0, MANUAL, 3)]


def training_sets() -> list[str]:
    """The other twenty of the manual population."""
    return [f"manual-{number}" for number in range(MANUAL) if number % 3]


def named_set(name: str, layout: str) -> dict[str, float]:
    """A published set; "fitted" is the one of the layout.

    For a kitchen without a fit of its own, "fitted" takes the median of each parameter over the seven published fits:
    a typical person of the data, in a kitchen that nobody fitted.
    """
    sets = _published()
    if name == "fitted":
        fits = sets["fitted"]
        return fits.get(layout) or {key: median(fit[key] for fit in fits.values()) for key in fits["cramped_room"]}
    family, _, rest = name.partition("-")
    if family == "random" and rest.isdigit():
        return drawn(int(rest), layout)
    if family == "fitted" and rest in sets["fitted"]:
        return sets["fitted"][rest]
    if name in sets["test_partners"]:
        return sets["test_partners"][name]
    if family == "manual" and rest.isdigit() and int(rest) < MANUAL:
        strategies, motions = sets["manual"]["strategies"], sets["manual"]["motions"]
        strategy, motion = divmod(int(rest), len(motions))
        return {"look_ahead": sets["manual"]["look_ahead"], **strategies[strategy], **motions[motion]}
    fits = ", ".join(sets["fitted"])
    partners = ", ".join(sets["test_partners"])
    raise AgentError(
        f"theory-of-mind: unknown parameters {name!r}; choose fitted (this kitchen's), fitted-LAYOUT with one of "
        f"{fits}, or {partners}, or manual-0 to manual-{MANUAL - 1}, or random-0, random-1 and so on."
    )


def drawn(number: int, layout: str) -> dict[str, float]:
    """Somebody drawn at random, always the same one for a number.

    Uniformly from what the paper calls human-like: pausing within 0.2 of the kitchen's fit, thinking up to 0.4,
    rationality 1 to 20, look-ahead 1 to 4, everything else from 0 to 1, no random actions.
    """
    usual = named_set("fitted", layout)["prob_pausing"]
    ranges = {
        "compliance": (0.0, 1.0),
        "retain_goals": (0.0, 1.0),
        "path_teamwork": (0.0, 1.0),
        "rationality": (1.0, 20.0),
        "prob_greedy": (0.0, 1.0),
        "prob_obs_other": (0.0, 1.0),
        "prob_pausing": (max(usual - 0.2, 0.0), min(usual + 0.2, 1.0)),
        "prob_thinking": (0.0, 0.4),
    }
    chance = np.random.default_rng([DRAWN, number])
    found = {name: float(chance.uniform(*ends)) for name, ends in ranges.items()}
    return found | {"look_ahead": float(chance.integers(1, MAX_LOOK_AHEAD, endpoint=True))}


def checked(values: dict[str, float]) -> Parameters:
    """The parameters as arrays; impossible ones are refused."""
    for name, value in values.items():
        if name not in ("rationality", "look_ahead") and not 0 <= value <= 1:
            raise AgentError(f"theory-of-mind: {name}={value} is a probability; give a number from 0 to 1.")
    if not values["rationality"] >= 0:
        raise AgentError(
            f"theory-of-mind: rationality={values['rationality']}; give 0 (random) to 20 (fully rational)."
        )
    depth = round(values["look_ahead"])
    if not 1 <= depth <= MAX_LOOK_AHEAD:
        raise AgentError(
            f"theory-of-mind: look_ahead={values['look_ahead']}; give 1 to {MAX_LOOK_AHEAD} levels of tasks."
        )
    return Parameters(**{name: np.float32(value) for name, value in (values | {"look_ahead": depth}).items()})


def spec_of(parameters: Parameters, layout: str) -> str:
    """The options that name these parameters: a published set, or the set and the numbers that differ from it."""
    ours = {name: float(value) for name, value in parameters._asdict().items()}
    best: list[str] = []
    for name in set_names():
        published = checked(named_set(name, layout) | {"prob_random": 0.0})
        theirs = {key: float(value) for key, value in published._asdict().items()}
        options = [f"params={name}", *(f"{key}={ours[key]:.6g}" for key in ours if ours[key] != theirs[key])]
        best = options if not best or len(options) < len(best) else best
    return "&".join(best)
