"""A belief in a run folder: learned once, found again after a kill, with a log of how well it guesses.

belief.safetensors   the networks of all learners
belief.jsonl         after every tenth of the way: nats per seat and turn, of the network and of plain facts alone
"""

from __future__ import annotations

import json
from typing import Any

import jax

from coplay.faces import Hidden
from coplay.files import write_whole
from coplay.nets.belief import BeliefNetwork
from coplay.nets.network import Network
from coplay.nets.policy import observation_scale
from coplay.rollouts.progress import progress_bar
from coplay.rollouts.seeds import derive
from coplay.train.checkpoint import load_checkpoint, save_checkpoint
from coplay.train.devices.hosts import first
from coplay.train.learner.belief import BeliefSettings, design_of, learn_belief, new_beliefs
from coplay.train.recipe import Context


def believe(context: Context, face: Hidden, players: Network, settings: BeliefSettings) -> BeliefNetwork:
    """What to believe in games of these players (one per learner, stacked): learned now, or read from the folder."""
    file, log = context.folder / "belief.safetensors", context.folder / "belief.jsonl"
    game = context.game
    keys = jax.random.split(derive(context.seed, "belief"), context.seeds)
    beliefs = new_beliefs(keys, game, face, design_of(game, observation_scale(game), settings))
    if file.is_file():
        return load_checkpoint(file, beliefs)[0]
    lines: list[dict[str, Any]] = []
    with progress_bar("belief", settings.steps, None) as advance:
        key = derive(context.seed, "belief games")
        for found, told in learn_belief(game, face, players, beliefs, settings, key, context.dtype):
            beliefs = found
            advance(told.step - (lines[-1]["step"] if lines else 0))
            figures = {"cross_entropy": told.cross_entropy, "by_facts": told.by_facts}
            lines.append({"step": told.step, **{name: _rounded(column) for name, column in figures.items()}})
    if first():
        write_whole(log, "".join(json.dumps(line) + "\n" for line in lines))
        save_checkpoint(file, beliefs, lines[-1])
    return beliefs


def _rounded(column: Any) -> list[float]:
    return [round(float(one), 5) for one in column]
