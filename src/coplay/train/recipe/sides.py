"""Games of two sides: how partners are mixed at a table, and who plays the other side."""

from __future__ import annotations

import dataclasses
import math

import jax

from coplay.game import Game
from coplay.rollouts.seeds import derive
from coplay.sides import per_side, sides_of
from coplay.train.learner.partners import Block, Opponents, Partners, mixed_teams
from coplay.train.recipe.context import Context
from coplay.train.recipe.players import partner_named
from coplay.train.recipe.settings import LearnerSettings
from coplay.train.settings import TrainError, listed


def teams_of(context: Context, partners: int) -> list[int]:
    """How so many partners are mixed at a table, drawn for the run."""
    seed = int(jax.random.randint(derive(context.seed, "mates"), (), 0, 1 << 30))
    return mixed_teams(partners, context.game.players, sides_of(context.game), seed)


def with_opponents(game: Game, settings: LearnerSettings, partners: Partners) -> Partners:
    """With the teams of `settings.against` on the other side; without any, partners and learners are there too."""
    teams = [_team(game, text) for text in listed(settings.against)]
    if not teams:
        return partners
    even = math.lcm(len(teams) * game.players, settings.minibatches)
    if settings.games % (len(teams) * game.players):
        raise TrainError(
            f"games={settings.games} cannot be shared by {len(teams)} teams, each of which meets the learner in "
            f"{game.players} seats; try games={-(-settings.games // even) * even}."
        )
    blocks = tuple(_mates_only(block) for block in partners.blocks)
    return dataclasses.replace(partners, blocks=blocks, opponents=tuple(teams))


def _mates_only(block: Block) -> Block:
    """Without those who sit on the other side, at odd distances."""
    if block.drawn:
        return dataclasses.replace(block, drawn=tuple(may and place % 2 == 1 for place, may in enumerate(block.drawn)))
    mates = tuple(one if place % 2 else None for place, one in enumerate(block.others))
    return dataclasses.replace(block, others=mates)


def _team(game: Game, text: str) -> Opponents:
    """A team of the other side: one agent for all seats, or one for each, joined by `+`; the learner is `self`."""
    if text == "self":
        return Opponents()
    members = [word.strip() for word in text.split("+")]
    size = per_side(game)
    if len(members) not in (1, size):
        raise TrainError(f"against={text}: names {len(members)} players for a side of {size}; name 1 or {size}.")
    made = {word: partner_named(game, word) for word in dict.fromkeys(members)}
    return Opponents.of([made[word] for word in (members * size)[:size]])
