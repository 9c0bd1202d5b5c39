"""Records matches of scripted players, every step of them: what football was before somebody made it faster.

python tests/golden/football/record.py tests/golden/football

Only to be run when the game's behaviour moves on purpose, with its `version`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import coplay
from coplay.rollouts.rollout import decide_one

SPECS = {
    "five": "football?players=5&half=50",
    "narrow": "football?players=3&half=45&sight=12&cone=140&speeds=100,90,80,70,60,50&noise=0,5,10,15,20,25&dribble=70",
    "wide": "football?players=2&half=50&cone=250",
}
PLAYERS = ["chaser", "intruder", "passer", "striker", "winger", "supporter", "sweeper", "marker", "keeper", "anchor"]
MATCHES = {"five": 3, "narrow": 3, "wide": 4}


def flat(tree: Any) -> jax.Array:
    """A row per match, of a tree of [matches, ...]; floats and `luck` by their bits."""

    def column(leaf: jax.Array) -> jax.Array:
        whole = leaf.astype(jnp.int32) if leaf.dtype == bool else jax.lax.bitcast_convert_type(leaf, jnp.int32)
        return whole.reshape(leaf.shape[0], -1)

    return jnp.concatenate([column(leaf) for leaf in jax.tree.leaves(tree)], axis=1)


def seen(game: Any, states: Any) -> jax.Array:
    """uint8 [matches, seats, entries]"""
    each = jax.vmap(lambda state, seat: game.encode(game.view(state, seat)), (None, 0))
    return jax.vmap(each, (0, None))(states, jnp.arange(game.players))


def record(name: str) -> dict[str, np.ndarray]:
    game: Any = coplay.make(SPECS[name])
    team: list[Any] = [coplay.agent(PLAYERS[seat], game) for seat in range(game.players)]

    def act(states: Any, key: jax.Array) -> jax.Array:
        def one(state: Any) -> list[jax.Array]:
            return [decide_one(game, player, seat, state, player.start(), key)[1] for seat, player in enumerate(team)]

        chosen = jax.vmap(one)(states)
        # Now and then somebody does anything, legal or not.
        draw = jax.random.randint(key, (len(chosen), states.time.shape[0]), -1, 1200)
        return jnp.where(draw < game.num_actions + 1, draw, jnp.stack(chosen)).T.astype(jnp.int32)

    def turn(states: Any, key: jax.Array) -> Any:
        actions = act(states, key)
        after = jax.vmap(game.step)(states, actions)
        return after.state, (actions, flat(after), seen(game, after.state))

    states = jax.vmap(game.reset)(jax.random.split(jax.random.key(7), MATCHES[name]))
    keys = jax.random.split(jax.random.key(8), game.max_steps + 6)  # some steps after the end
    actions, steps, observations = jax.jit(lambda start: jax.lax.scan(turn, start, keys)[1])(states)
    columns = {"actions": actions.astype(jnp.int8), "start": flat(states), "steps": steps, "observations": observations}
    return {f"{name}_{what}": np.asarray(column) for what, column in columns.items()}


if __name__ == "__main__":
    found = {what: column for name in SPECS for what, column in record(name).items()}
    np.savez_compressed(Path(sys.argv[1]) / "matches.npz", **found)  # pyright: ignore[reportArgumentType]
