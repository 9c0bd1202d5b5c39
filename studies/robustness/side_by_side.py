"""Best responses to several populations in one program: a recipe of this study.

`populations` are lists as `partner` of `best_response` has them, separated by semicolons; each population has an equal
share of the learners (`--seeds` is the number of all), one after the other. Every learner meets every partner of its
population in an equal share of its games. Until `begin` of the run it plays with itself, from `end` on always with
partners.

Partners that differ only in their numbers are one block, also those of neighbouring learners, so that seven
populations of clones and Theory-of-Mind agents compile what two partners would.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.train.learner.partners import Block, Partners, alike, are_alike, stacked
from coplay.train.recipe import (
    Context,
    LearnerSettings,
    Plan,
    coming,
    games_per_partner,
    learner_plan,
    partner_named,
    require_ramp,
)
from coplay.train.settings import TrainError, listed


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    """Of all learners."""

    populations: str = ""
    begin: float = 0.0  # share of the run after which partners begin to come
    end: float = 0.0  # share of the run after which they always come; 0: from the first

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.populations:
            raise TrainError("name the populations: lists of partners, separated by semicolons.")
        require_ramp(self)


def plan(context: Context, settings: Settings) -> Plan:
    named = [listed(one) for one in settings.populations.split(";")]
    if context.seeds % len(named):
        raise TrainError(f"{len(named)} populations cannot share {context.seeds} learners equally.")
    known = {spec: partner_named(context.game, spec) for specs in named for spec in specs}
    casts = []
    for specs in named:
        games_per_partner(settings, len(specs))  # or there is no equal share
        casts += [[known[spec] for spec in specs]] * (context.seeds // len(named))
    blocks = blocks_of(casts, context.game.players, settings.games)
    return learner_plan(context, settings, Partners(blocks, joining=coming(context, settings)))


Cells = list[tuple[Any, int]]  # partners one after the other, and in how many games each sits


def blocks_of(casts: Sequence[Sequence[Any]], players: int, games: int) -> tuple[Block, ...]:
    """A cast per learner; each of its policies takes all other seats in an equal share of the learner's `games`."""
    runs: list[Cells] = []
    for cast in casts:
        groups = alike(cast)
        if runs and are_alike(runs[-1][-1][0], groups[-1][0]):
            groups = groups[::-1]  # goes on with whom the learner before ended with
        for group in groups:
            if not runs or not are_alike(runs[-1][-1][0], group[0]):
                runs.append([])
            runs[-1] += [(policy, games // len(cast)) for policy in group]
    return tuple(_block(cells, players) for cells in runs)


def _block(cells: Cells, players: int) -> Block:
    """One block of partners that differ only in their numbers, each as often as it takes to have equal parts."""
    games = sum(share for _, share in cells)
    different = list({id(policy): policy for policy, _ in cells}.values())
    if len(different) == 1:
        return Block((different[0],) * (players - 1), games)
    part = math.gcd(*(share for _, share in cells))
    place = {id(policy): number for number, policy in enumerate(different)}
    which = jnp.asarray([place[id(policy)] for policy, share in cells for _ in range(share // part)])
    return Block((taken(stacked(different), which),) * (players - 1), games, len(which))


def taken(stack: Any, which: jax.Array) -> Any:
    """These policies of a stack, as a stack."""
    arrays, fixed = eqx.partition(stack, eqx.is_array)
    return eqx.combine(_taken(arrays, which), fixed)


@jax.jit
def _taken(arrays: Any, which: jax.Array) -> Any:
    return jax.tree.map(lambda leaf: leaf[which], arrays)
