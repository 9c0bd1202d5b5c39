"""Off-belief learning (Hu et al. 2021), level 1: self-play in which no habit can become a secret language.

Every decision is judged in a world that is drawn from what its seat knows by plain facts (in Hanabi: hints, and the
cards that it sees), where the others answer to what they see there. A hint is then worth what it says and nothing else,
so agents trained apart play together as they play with themselves. The games themselves go on with the true cards.

The target of a decision is what is paid in that world until the seat decides again, plus `discount` times the value of
its next view there: one step, without a trace.
"""

from __future__ import annotations

import dataclasses

from coplay.faces import faces_of
from coplay.train.learner.off_belief import OffBelief
from coplay.train.recipe import Context, LearnerSettings, Plan, learner_plan
from coplay.train.settings import TrainError


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    """The network reads one view at a time: a redrawn world has no past that a memory could know."""

    total_turns: float = 1e9
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

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.wander <= 1:
            raise TrainError(f"wander={self.wander!r}: a share of the moves, between 0 and 1.")
        wanted = {"cell": "none", "hears": "own", "critic_sees": "own", "shaping": 0, "random_starts": 0}
        for name, value in wanted.items():
            if getattr(self, name) != value:
                raise TrainError(f"{name}={getattr(self, name)!r}: obl needs {name}={value}; leave it out.")


def plan(context: Context, settings: Settings) -> Plan:
    game = context.game
    belief = faces_of(game).belief
    if game.simultaneous:
        raise TrainError(f"{game.name}: obl needs a game in which one seat moves at a time; use ippo.")
    if belief is None:
        raise TrainError(
            f"{game.name} cannot redraw what a seat does not see, which obl needs; "
            "use other_play or ippo, or give the game's faces a `belief` (coplay.faces.Belief)."
        )
    return learner_plan(context, settings, foresight=OffBelief(belief), wander=settings.wander)
