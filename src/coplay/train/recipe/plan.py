"""From settings to a learner ready to go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from coplay.completion import tells
from coplay.game import Game
from coplay.nets import network
from coplay.nets.network import Design, Network
from coplay.nets.policy import observation_scale
from coplay.rollouts.seeds import derive
from coplay.train.learner.partners import Partners, Ramp
from coplay.train.learner.ppo import Setup
from coplay.train.learner.stage import Recorder, Stage, event
from coplay.train.learner.terms import Mercy, ShapedReward, Term
from coplay.train.recipe.context import Context
from coplay.train.recipe.players import trained_networks
from coplay.train.recipe.settings import LearnerSettings
from coplay.train.recipe.sides import with_opponents
from coplay.train.settings import TrainError, only_learning


class Plan(NamedTuple):
    """A learner ready to go."""

    setup: Setup
    networks: Network  # stacked [learners, ...]
    cast: Network | None = None  # earlier selves that learners meet, stacked [learners, size, ...]
    notes: tuple[Mapping[str, Any], ...] = ()  # what is written down with each learner's agent


def learner_plan(
    context: Context,
    settings: LearnerSettings,
    partners: Partners | None = None,
    networks: Network | None = None,
    terms: tuple[Term, ...] = (),
    weights: Any = None,
    record: tuple[Recorder, ...] = (),
    shaped_for: Any = None,
    **stage: Any,
) -> Plan:
    """With these partners (none: self-play), these terms before those the settings ask for, and new networks unless
    some are given or the settings name players to start from.

    `weights`: see `Setup`; `shaped_for`: the share [learners] of the shaped reward that each gets; `stage`: what else
    `Stage` is told.
    """
    if networks is None and settings.start:
        networks = trained_networks(context, settings.start)
        context = context.reading(networks)
    shaping, recorded = shaping_terms(settings, context.game, shaped_for)
    place = Stage(
        context.game,
        with_opponents(context.game, settings, partners or Partners()),
        learners=context.seeds,
        dtype=context.dtype,
        record=(*record, *recorded),
        minibatches=settings.minibatches,
        looks_beyond=settings.looks_beyond,
        **stage,
    )
    if weights is not None:
        weights = jnp.asarray([[*row, *[1.0] * len(shaping)] for row in weights], jnp.float32)
    setup = Setup(place, (*terms, *shaping), only_learning(settings), weights)
    return Plan(setup, new_networks(context, settings) if networks is None else networks)


def shaping_terms(
    settings: LearnerSettings, game: Game, whose: Any = None
) -> tuple[tuple[Term, ...], tuple[Recorder, ...]]:
    """The terms that change rewards, and what the rollout must record for them; `whose`: see `ShapedReward`."""
    if settings.shaping and not tells(game, "shaped"):
        raise TrainError(
            f"shaping={settings.shaping:g}: {game.name} has no shaped reward (events.shaped, one number per seat); "
            "leave shaping out."
        )
    terms: list[Term] = [Mercy(settings.mercy)] if settings.mercy else []
    if settings.shaping:
        terms.append(ShapedReward(settings.shaping, whose))
    return tuple(terms), (event("shaped"),) if settings.shaping else ()


def coming(context: Context, settings: Any) -> Ramp | None:
    """Self-play annealed away: partners begin to come after a share `begin` of the run and always come after `end`;
    None if they sit there from the first."""
    if not settings.end:
        return None
    total = settings.total_turns * context.seeds  # the ramp counts the turns of all learners
    return Ramp(settings.begin * total, settings.end * total)


def new_networks(context: Context, settings: LearnerSettings) -> Network:
    """Fresh networks, stacked [seeds, ...]."""
    game = context.game
    design = Design(
        inputs=game.observation_shape,
        actions=game.num_actions,
        scale=observation_scale(game),
        encoder=settings.encoder,
        filters=settings.filters,
        embed=settings.embed,
        layers=settings.layers,
        cell=settings.cell,
        hidden=settings.hidden,
        actor=settings.actor,
        critic=settings.critic,
        hears=settings.hears,
        critic_inputs=0 if settings.critic_sees == "own" else _all_views(game),
        useful=settings.useful,
    )
    keys = jax.random.split(derive(context.seed, "network"), context.seeds)
    return network.new_networks(keys, design)


def _all_views(game: Game) -> int:
    size = game.players
    for side in game.observation_shape:
        size *= side
    return size
