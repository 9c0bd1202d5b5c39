"""Off-belief learning (Hu et al. 2021): self-play in which no habit can become a secret language.

Every decision is judged in a world that is drawn from what its seat believes, where the others answer to what they see
there. The games themselves go on with the true cards. The target of a decision is what is paid in that world until the
seat decides again, plus `discount` times the value of its next view there: one step, without a trace.

Level 1 believes plain facts (in Hanabi: hints, and the cards that it sees), as if all moves before had been random. A
hint is then worth what it says and nothing else, so agents trained apart play together as they play with themselves.
Level 2 believes what facts and the moves of level 1 tell, level 3 what those of level 2 do, and so on: conventions
arise, in an order in which everybody finds the same ones. Such a belief is learned from games of the level below
(`coplay.nets.belief`), whose network is also where a level begins. What an earlier hint meant by such a convention no
later view shows: `cell=lstm hears=every` gives the levels above the first a memory of what everybody saw.

`level=4` makes all levels in one run: the folder has `level-1` to `level-3`, each a run of its own, and goes on after a
kill. `below=` names a run of the level below instead, or its players (`pool:hanabi-2p-obl-1`).
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax

from coplay.faces import Hidden, faces_of
from coplay.nets.network import Network, remembering
from coplay.nets.stacks import stacked_networks
from coplay.rollouts.seeds import derive
from coplay.train.belief_run import believe
from coplay.train.learner.belief import BeliefSettings
from coplay.train.learner.off_belief import OffBelief
from coplay.train.recipe import (
    Context,
    LearnerSettings,
    Plan,
    learner_plan,
    new_networks,
    trained_networks,
)
from coplay.train.settings import TrainError, require_above_zero


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    """A memory (`cell`) is public: in a redrawn world nobody could remember what was seen in another."""

    total_turns: float = 1e9  # of each level
    games: int = 2048
    turns: int = 32
    epochs: int = 2
    minibatches: int = 8
    learning_rate: float = 1e-3
    anneal: bool = True
    discount: float = 0.999  # what a point a round later is worth
    value_clip: float = 0.0
    entropy: float = 0.03
    entropy_left: float = 0.05
    embed: int = 768
    wander: float = 0.0  # share of the moves that are random in the games, so that rare positions are learned too
    level: int = 1
    below: str = ""  # a run of the level below, or its players by their specs; empty: it is made first
    belief_turns: float = 3e7  # turns of the level below from which a level learns what to believe
    belief_games: int = 256  # at once; every `turns` turns of all of them are a step
    belief_hidden: int = 512  # width of the memory that follows them

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.wander <= 1:
            raise TrainError(f"wander={self.wander!r}: a share of the moves, between 0 and 1.")
        require_above_zero(self, "level", "belief_turns", "belief_games", "belief_hidden")
        if self.below and self.level == 1:
            raise TrainError(f"below={self.below}: nothing is below level 1; set level too.")
        wanted = {
            "hears": "own" if self.cell == "none" else "every",
            "critic_sees": "own",
            "shaping": 0,
            "random_starts": 0,
            "starts": "",
        }
        for name, value in wanted.items():
            if getattr(self, name) != value:
                raise TrainError(f"{name}={getattr(self, name)!r}: with cell={self.cell} obl needs {name}={value}.")

    @property
    def belief(self) -> BeliefSettings:
        return BeliefSettings(self.belief_turns, self.belief_games, self.turns, hidden=self.belief_hidden)


def plan(context: Context, settings: Settings) -> Plan:
    game = context.game
    face = faces_of(game).belief
    if game.simultaneous:
        raise TrainError(f"{game.name}: obl needs a game in which one seat moves at a time; use ippo.")
    if face is None:
        raise TrainError(
            f"{game.name} cannot redraw what a seat does not see, which obl needs; "
            "use other_play or ippo, or give the game's faces a `belief` (coplay.faces.Belief)."
        )
    plain = settings.level == 1 and settings.cell == "none"
    if not (plain or isinstance(face, Hidden)):
        raise TrainError(
            f"{game.name}: a memory, and what levels above the first believe, need to know what the others cannot see; "
            "give the game's face `belief` the methods of coplay.faces.Hidden, or take level=1 cell=none."
        )
    learned = None
    if settings.level == 1 or not isinstance(face, Hidden):
        networks = new_networks(context, dataclasses.replace(settings, cell="none", hears="own"))
    else:
        networks = _below(context, settings)
        learned = believe(context, face, networks, settings.belief)
    networks = _remembering(context, settings, networks, face)
    foresight = OffBelief(face, learned)
    return learner_plan(context, settings, networks=networks, foresight=foresight, wander=settings.wander)


def _remembering(context: Context, settings: Settings, networks: Network, face: Any) -> Network:
    """With the memory that the settings ask for, unless they have one."""
    if settings.cell == "none" or networks.design.cell != "none":
        return networks
    keys = jax.random.split(derive(context.seed, "memory"), context.seeds)
    return remembering(networks, keys, settings.cell, settings.hidden, face.private(context.game))


def _below(context: Context, settings: Settings) -> Network:
    """The players of the level below, one per learner."""
    from coplay.train.run import open_run, train

    place = settings.below
    if place.startswith("run:") and Path(place.removeprefix("run:")).is_dir():  # a run's folder goes by both names
        place = place.removeprefix("run:")
    if ":" in place:
        return trained_networks(context, place, "below")
    for level in range(1, settings.level) if not settings.below else ():
        given = dataclasses.asdict(settings) | {"level": level, "below": place}
        if level == 1:  # what it goes by is in every view
            given |= {"cell": "none", "hears": "own"}
        place = str(context.folder / f"level-{level}")
        train("obl", context.game, place, seeds=context.seeds, seed=context.seed, resume=True, **given)
    players = open_run(place, context.game).agents
    if len(players) != context.seeds:
        raise TrainError(f"below={settings.below} has {len(players)} players for {context.seeds} learners.")
    return stacked_networks([player.network for player in players])
