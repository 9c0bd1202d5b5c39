"""PPO against any partner: `partner=smartbot`, several separated by commas, or agents from files.

With several partners one learner meets them all, an equal share of the games each. With `each=true` every partner gets
a learner of its own, trained side by side (then `--seeds` is the number of partners). In games of more than two the
partner takes all other seats. Partners must be policies: a plain agent cannot play inside a compiled rollout.

`start=run:FILE` starts from a trained player instead of a new network, `start=partner` from the partner itself (a
trained one): then the response is as good as the partner's own copies before it has learned anything. Files of the pool
have no critic; a new one is learned on the way.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from coplay.agents.spec import agent
from coplay.games.game import Game
from coplay.play.team import is_policy
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
    trained_networks,
)
from coplay.train.rollout import Stage
from coplay.train.settings import TrainError, listed


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    partner: str = ""
    each: bool = False
    start: str = ""  # trained players to start from: one, one per learner, or "partner"; the shape is then theirs

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.partner:
            raise TrainError("best_response needs a partner: --set partner=smartbot, or several with commas.")

    @property
    def partners(self) -> list[str]:
        return listed(self.partner)


PRESETS: dict[str, dict[str, Any]] = {}


def defaults(game: Game) -> dict[str, Any]:
    return game_defaults(game)


def plan(context: Context, settings: Settings) -> Plan:
    policies = [_policy(context.game, spec) for spec in settings.partners]
    if settings.each and context.seeds != len(policies):
        raise TrainError(f"each=true trains one learner per partner: use --seeds {len(policies)}.")
    others = context.game.players - 1
    if settings.each:
        blocks = [Block((policy,) * others, settings.games) for policy in policies]
    else:
        share = games_per_partner(settings, len(policies))
        blocks = [Block((policy,) * others, share) for policy in policies] * context.seeds
    terms, record = shaping_terms(settings)
    stage = Stage(context.game, Partners(tuple(blocks)), learners=context.seeds, dtype=context.dtype, record=record)
    if settings.start:
        networks = trained_networks(context, settings.partner if settings.start == "partner" else settings.start)
    else:
        networks = new_networks(context, settings)
    return Plan(Setup(stage, terms, settings), networks)


def _policy(game: Game, spec: str) -> Any:
    made = agent(spec, game)
    if not is_policy(made):
        raise TrainError(
            f"{spec} is a plain agent and cannot play inside a compiled rollout; "
            "record its games, clone it with `coplay train bc`, and train against the clone."
        )
    return made
