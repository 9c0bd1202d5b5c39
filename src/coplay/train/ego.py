"""Agents that learn to play with a population: what `fcp`, `mep`, `trajedi` and `hsp` share.

The first phase makes the population in the folder `population` of the run, the second trains the agent with it. With
`population=FOLDER` the first phase is left out: several agents may learn with one population.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from coplay.game import Game
from coplay.nets.file import load_policy, read_safetensors
from coplay.train.learner.partners import Partners, shared_by
from coplay.train.recipe import (
    Context,
    LearnerSettings,
    Plan,
    coming,
    game_defaults,
    games_per_partner,
    learner_plan,
    require_ramp,
    teams_of,
)
from coplay.train.settings import TrainError, require_above_zero

LEVELS = 3  # of every member: untrained, half as good as at the end, the end
# The published lengths (turns) by the size of the population.
LENGTHS = {12: 5e7, 24: 8e7, 36: 1e8}


@dataclasses.dataclass(frozen=True)
class EgoSettings(LearnerSettings):
    """Defaults are those of "Quantifying Zero-Shot Coordination Capability with Behavior Preferring Partners"."""

    population: str = ""  # a folder of `coplay train population`; empty: it is trained first
    size: int = 12  # partners: three of every member
    population_turns: float = 1e7  # turns for which each member learns
    mixed: bool = False  # as in best_response
    entropy_path: str = "0.2@0,0.05@0.5,0.01@1"
    cell: Literal["none", "gru", "lstm"] = "gru"
    begin: float = 0.0  # share of the run after which partners begin to come; until then it is self-play
    end: float = 0.0  # share of the run after which they always come; 0: from the first

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above_zero(self, "size", "population_turns")
        require_ramp(self)
        if self.size % LEVELS:
            raise TrainError(
                f"size={self.size}: must be a multiple of {LEVELS}, as each member is there at {LEVELS} levels."
            )


def ego_defaults(game: Game) -> dict[str, Any]:
    """The game's, with what the published agents had."""
    found = dict(game_defaults(game))
    for name in ("entropy", "entropy_left", "cell", "total_turns"):
        found.pop(name, None)
    even = math.lcm(12, found.get("minibatches", LearnerSettings.minibatches))
    games = -(-found.get("games", LearnerSettings.games) // even) * even
    return found | {"total_turns": LENGTHS[12], "games": games}


def ego_plan(context: Context, settings: EgoSettings, files: Sequence[Path], priority: float = 0.0) -> Plan:
    """One agent per seed that meets all partners, those with whom it scores least perhaps more often."""
    policies = [load_policy(str(file), context.game, greedy=False, name="population") for file in files]
    policies = [dataclasses.replace(policy, dtype=context.dtype) for policy in policies]
    games_per_partner(settings, len(policies))  # or there is no equal share
    mixed = teams_of(context, len(policies)) if settings.mixed else None
    blocks = shared_by(policies, context.game.players, settings.games, context.seeds, mixed=mixed)
    return learner_plan(context, settings, Partners(blocks, joining=coming(context, settings), priority=priority))


def own_population(context: Context, settings: EgoSettings, size: int, **given: Any) -> list[Path]:
    """The partners that `settings.population` names, or those that a population trained now makes."""
    if settings.population:
        return choose_partners(Path(settings.population))
    folder = context.folder / "population"
    return choose_partners(sub_run(context, settings, "population", folder, size // LEVELS, **given))


def sub_run(context: Context, settings: EgoSettings, recipe: str, folder: Path, seeds: int, **given: Any) -> Path:
    """A run of another recipe that goes before, with the learner's settings but without a memory; goes on after a
    kill, and does nothing if it is finished."""
    from coplay.train.run import train

    shared = {field.name: getattr(settings, field.name) for field in dataclasses.fields(LearnerSettings)}
    shared |= {"cell": "none", "start": "", "total_turns": settings.population_turns, "snapshots": 20, **given}
    train(recipe, context.game, folder, seeds=seeds, seed=context.seed, resume=True, **shared)
    return folder


def choose_partners(folder: Path) -> list[Path]:
    """Of every member the first snapshot, the one with about half of the last one's score, and the last."""
    by_member: dict[int, list[Path]] = {}
    for file in sorted(folder.glob("snapshot-*.safetensors")):
        by_member.setdefault(int(file.stem.split("-")[1]), []).append(file)
    if not by_member:
        raise TrainError(f"{folder} holds no snapshots; train the population with --set snapshots=20.")
    every = [by_member[member] for member in sorted(by_member)]
    return [file for kept in every for file in (kept[0], halfway(kept), kept[-1])]


def halfway(kept: Sequence[Path]) -> Path:
    """Of the snapshots of one learner, in their order, the one that scored about half of what the last one did."""
    scores = [json.loads(read_safetensors(file)[1]["made"])["training_score"] for file in kept]
    between = range(1, len(kept) - 1) if len(kept) > 2 else range(len(kept))
    return kept[min(between, key=lambda number: abs(scores[number] - scores[-1] / 2))]
