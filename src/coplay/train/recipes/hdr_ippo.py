"""HDR-IPPO (AH2AC2): PPO in self-play that starts from a clone and is held near it.

Loss: (1 - kl) x PPO + kl x KL(clone || learner), both means over decisions. `bc=FILE` names the clone, or a clone of
one shape for every learner, separated by commas. Several weights (`kl=0,0.05,0.13`) are compared in one run, one
learner each (then `--seeds` is their number).

The paper takes the divergence on the learner's own play. A learner whose clone loses its games early never comes to
the middle of one, and forgets what the clone knew there; `data=FILE` adds kl x KL(clone || learner) on recorded games
(those the clone learned from, never held-out ones). `start=run:FILE` learns on from a trained player instead.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from coplay.game import Game
from coplay.nets.network import Network
from coplay.nets.stacks import stacked_copies, stacked_networks
from coplay.train.clone import lessons, read_games
from coplay.train.learner.recorded import KLOnGames
from coplay.train.learner.terms import KLToReference, Term
from coplay.train.recipe import (
    Context,
    LearnerSettings,
    Plan,
    learner_plan,
    trained_network,
    trained_networks,
)
from coplay.train.settings import TrainError, listed, numbers, require_above_zero


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    """The network's shape is the clone's; settings of the shape are not read."""

    bc: str = ""
    kl: str = "0.25"
    data: str = ""  # recorded games on which it is held near the clone too; several files separated by commas
    data_games: int = 16  # so many of them, drawn anew for every rollout
    entropy: float = 0.001
    anneal: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.bc:
            raise TrainError("hdr_ippo starts from a clone: --set bc=FILE, an agent that `coplay train bc` made.")
        if not all(0 <= weight <= 1 for weight in self.kls):
            raise TrainError(f"kl={self.kl}: the weight of the clone is between 0 and 1.")
        require_above_zero(self, "data_games")
        if self.data and len(listed(self.bc)) > 1:
            raise TrainError("data= holds learners near one clone; with several in bc=, leave it out.")

    @property
    def kls(self) -> list[float]:
        return numbers(self.kl, "kl")


# For clones of many games: small steps, so that the learner stays near them, and first a critic, which a clone has not.
PROXY: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    games=1024, turns=64, epochs=2, minibatches=4, learning_rate=3e-4, value_clip=0.0, critic_first=2e6, total_turns=1e8
)
PRESETS: dict[str, dict[str, Any]] = {"proxy": PROXY}


def defaults(game: Game) -> dict[str, Any]:
    return {}


def plan(context: Context, settings: Settings) -> Plan:
    clones = [trained_network(context.game, spec, "bc") for spec in listed(settings.bc)]
    context = context.reading(clones[0])
    kls = settings.kls
    if len(kls) > 1 and len(kls) != context.seeds:
        raise TrainError(f"kl={settings.kl} trains one learner per weight: use --seeds {len(kls)}.")
    if len(clones) > 1 and len(clones) != context.seeds:
        raise TrainError(f"bc={settings.bc} trains one learner per clone: use --seeds {len(clones)}.")
    if len({clone.design for clone in clones}) > 1:
        raise TrainError(f"bc={settings.bc}: these clones differ in shape; train their learners apart.")
    each = kls if len(kls) > 1 else kls * context.seeds
    held = _held(context, settings, clones) if any(each) else ()
    weights = [[1 - kl, *[kl] * len(held)] for kl in each]
    return learner_plan(context, settings, networks=_begin(context, settings, clones), terms=held, weights=weights)


def _held(context: Context, settings: Settings, clones: list[Network]) -> tuple[Term, ...]:
    """What holds learners near their clones: in their own play and, if there are any, on recorded games."""
    if len(clones) > 1:
        return (KLToReference(stacked_networks(clones), each=True),)
    clone = clones[0]
    own = KLToReference(clone)
    if not settings.data:
        return (own,)
    found = lessons(context.game, clone.design, read_games(context.game, settings.data))
    count = min(settings.data_games, found.turns.shape[0])
    return (own, KLOnGames(clone, found, count, context.game, context.dtype))


def _begin(context: Context, settings: Settings, clones: list[Network]) -> Network:
    if not settings.start:
        return stacked_networks(clones) if len(clones) > 1 else stacked_copies(clones[0], context.seeds)
    networks = trained_networks(context, settings.start)
    if networks.design != clones[0].design:
        raise TrainError(
            f"start={settings.start} has another shape than the clone {settings.bc}; name a player trained from it."
        )
    return networks
