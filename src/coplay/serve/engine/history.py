"""Games so far, for agents that remember and have to start again in the middle: dealt and played again from their logs.

It is done aside, from what is written down alone; the tables in play go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.batches import block
from coplay.game import Game
from coplay.serve.engine.game_batch import vector_of
from coplay.serve.engine.live_game import LiveGame


def history(live: LiveGame, seats: Sequence[int]) -> Callable[[], dict[str, Any]]:
    """What is told of a game so far: who did what, and the view that each of these seats had at every turn. As it
    is now, worked out when it is called."""
    log, movers = list(live.course.log), list(live.course.movers)
    game, packing, seed = live.dealt.batch.game, live.dealt.batch.packing, live.dealt.seed
    about = {"configuration": live.dealt.configuration, "game": live.dealt.number}

    def tell() -> dict[str, Any]:
        joint = joint_actions(game, log)
        vectors = [np.asarray(_vectors(game, packing, seed, joint, np.int32(seat))) for seat in seats]
        seen = [(turn, place) for turn in range(len(log)) for place in range(len(seats))]
        return about | {
            "actions": [list(made) for made in log],
            "movers": movers,
            "turn": [turn for turn, _ in seen],
            "seat": [seats[place] for _, place in seen],
            "vector": block(np.stack([vectors[place][turn] for turn, place in seen])),
        }

    return tell


def joint_actions(game: Game, log: Sequence[tuple[int, ...]]) -> np.ndarray:
    """int32 [max_steps, players] of a log, padded: one length for all games, so that one program serves them all."""
    joint = np.zeros((game.max_steps, game.players), np.int32)
    for turn, made in enumerate(log):
        joint[turn] = made if game.simultaneous else made[0]
    return joint


def seen_by(game: Game, seed: Any, joint: Any, look: Callable[[Any], Any]) -> Any:
    """`look` at every state of a game that is dealt and played again, before each move and after the last; traced."""

    def turn(state: Any, actions: Any) -> tuple[Any, Any]:
        after = game.step(state, actions).state
        return after, look(after)

    start = game.reset(jax.random.wrap_key_data(seed))
    later = jax.lax.scan(turn, start, joint)[1]
    return jax.tree.map(lambda one, rest: jnp.concatenate([one[None], rest]), look(start), later)


@eqx.filter_jit
def _vectors(game: Game, packing: str, seed: Any, joint: Any, seat: Any) -> Any:
    return seen_by(game, seed, joint, lambda state: vector_of(game, packing, game.view(state, seat)))
