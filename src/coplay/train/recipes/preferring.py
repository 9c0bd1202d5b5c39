"""Behaviour-preferring partners (Wang et al. 2024): pairs of learners at one table, one of each with its own taste.

One of each pair is paid for events besides the game's reward (`coplay.faces.Preferences` says which), the other is paid
by the game alone: it becomes the first one's best response. All pairs learn side by side in one program. The agents are
first the preferring ones, then their responses in the same order; each file says what its player prefers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from coplay.faces import Preferences, Wish, faces_of
from coplay.game import Game
from coplay.train.learner.partners import Block, Fellow, Partners
from coplay.train.learner.stage import Recorder
from coplay.train.learner.wishes import EVENTS, Wished
from coplay.train.recipe import Context, LearnerSettings, Plan, learner_plan
from coplay.train.settings import TrainError, require_above_zero


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    pairs: int = 64  # so many tastes, drawn by the seed; at most all there are
    snapshots: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above_zero(self, "pairs")


def plan(context: Context, settings: Settings) -> Plan:
    liked = preferences_of(context.game)
    game = liked.counting(context.game)
    wishes = drawn(liked.wishes(game), settings.pairs, context.seed)
    pairs = len(wishes)
    plain = Wish("", 1.0, (0.0,) * len(wishes[0].events))
    every = [*wishes, *[plain] * pairs]
    term = Wished(*(jnp.asarray([wish[field] for wish in every], jnp.float32) for field in (2, 1)))
    order = (*range(pairs, 2 * pairs), *range(pairs))
    block = Block((Fellow(order),) * (game.players - 1), settings.games * 2 * pairs, copies=2 * pairs)
    made = learner_plan(
        context._replace(game=game, seeds=2 * pairs),
        settings,
        Partners((block,)),
        terms=(term,),
        record=(Recorder(EVENTS, liked.count),),
        shaped_for=jnp.asarray([0.0] * pairs + [1.0] * pairs),
    )
    told = [{"wish": wish.label, "reward": wish.reward, "events": wish.events} for wish in wishes]
    answers = ({"role": "response", "to": number} for number in range(pairs))
    return made._replace(notes=(*({"role": "preferring", **one} for one in told), *answers))


def preferences_of(game: Game) -> Preferences:
    found = faces_of(game).preferences
    if found is None:
        raise TrainError(
            f"{game.name} does not say what its players may prefer; "
            "give the game's faces `preferences` (coplay.faces.Preferences)."
        )
    return found


def drawn(wishes: Sequence[Wish], count: int, seed: int) -> list[Wish]:
    """So many different tastes in the order they have; the plain one is always among them."""
    others = np.random.default_rng(seed).permutation(np.arange(1, len(wishes)))[: count - 1]
    return [wishes[number] for number in sorted([0, *others.tolist()])]
