"""Fictitious co-play (Strouse et al. 2021): one learner against a population of self-play agents of every strength.

`population=FOLDER` is a run of `ippo` with several seeds and snapshots (`--seeds 4 --set snapshots=20`). Of every seed
three partners are taken: the first snapshot, the one whose training score is nearest to half of the last, and the last.
Every partner has an equal share of the games.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from coplay.agents.nets.file import load_policy, read_safetensors
from coplay.games.game import Game
from coplay.train.partners import Block, Partners
from coplay.train.ppo import Setup
from coplay.train.recipe import (
    Context,
    LearnerSettings,
    Plan,
    game_defaults,
    games_per_partner,
    new_networks,
    shaping_terms,
)
from coplay.train.rollout import Stage
from coplay.train.settings import TrainError


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    population: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.population:
            raise TrainError(
                "fcp needs a population: --set population=FOLDER, "
                "a run of `coplay train ippo --seeds N --set snapshots=20`."
            )


PRESETS: dict[str, dict[str, Any]] = {"recurrent": {"cell": "gru"}}


def defaults(game: Game) -> dict[str, Any]:
    return game_defaults(game)


def plan(context: Context, settings: Settings) -> Plan:
    files = choose_partners(Path(settings.population))
    policies = [load_policy(str(file), context.game, greedy=False, name="population") for file in files]
    stack = jax.tree.map(lambda *leaves: jnp.stack(leaves), *policies)
    games_per_partner(settings, len(files))  # or there is no equal share
    others = (stack,) * (context.game.players - 1)
    blocks = tuple(Block(others, settings.games, copies=len(files)) for _ in range(context.seeds))
    terms, record = shaping_terms(settings)
    stage = Stage(context.game, Partners(blocks), learners=context.seeds, dtype=context.dtype, record=record)
    return Plan(Setup(stage, terms, settings), new_networks(context, settings))


def choose_partners(folder: Path) -> list[Path]:
    """Of every seed the first snapshot, the one with about half of the last one's score, and the last."""
    by_seed: dict[int, list[tuple[int, float, Path]]] = {}
    for file in folder.glob("snapshot-*.safetensors"):
        made = json.loads(read_safetensors(file)[1]["made"])
        by_seed.setdefault(made["number"], []).append((made["turns"], made["training_score"], file))
    if not by_seed:
        raise TrainError(f"{folder} holds no snapshots; train the population with --set snapshots=20.")
    chosen = []
    for _, found in sorted(by_seed.items()):
        found.sort()
        middle = min(found, key=lambda entry: abs(entry[1] - found[-1][1] / 2))
        chosen += [found[0][2], middle[2], found[-1][2]]
    return list(dict.fromkeys(chosen))
