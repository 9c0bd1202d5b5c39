"""JaxMARL's Overcooked over our game: the same methods, dictionaries, starts and observations.

    from coplay.adapters.jaxmarl_overcooked import Overcooked, overcooked_layouts
    env = Overcooked(layout=overcooked_layouts["coord_ring"])

The dynamics are the papers' (old) ones, which JaxMARL shares. A game played with the same keys and actions has the same
observations and rewards, with one difference: the shaped reward for a dish looks at the pots as they were before the
step, as Overcooked-AI does; JaxMARL lets agent 1 see what agent 0 did to them in the same step.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.adapters.jaxmarl import Discrete
from coplay.game import GameError
from coplay.worlds.overcooked import Overcooked as Game
from coplay.worlds.overcooked import State
from coplay.worlds.overcooked.encode import jaxmarl
from coplay.worlds.overcooked.kitchen.layouts import find
from coplay.worlds.overcooked.rules import Chef

Array = jax.Array
PerAgent = dict[str, Array]

# JaxMARL's names: our kitchen, and where agent 0 and agent 1 start there
NAMES = {
    "cramped_room": ("cramped_room", (1, 1), (3, 1)),
    "asymm_advantages": ("asymmetric_advantages", (2, 3), (5, 3)),
    "coord_ring": ("coordination_ring", (2, 1), (1, 2)),
    "forced_coord": ("forced_coordination", (1, 2), (3, 1)),
    "counter_circuit": ("counter_circuit", (2, 1), (6, 3)),
}


def _drawing(name: str, *starts: tuple[int, int]) -> str:
    """A kitchen of ours as text, with other start cells."""
    rows = [list(row) for row in find(name).rows]
    for number, (x, y) in enumerate(starts, start=1):
        rows[y][x] = str(number)
    return "\n".join("".join(row) for row in rows)


overcooked_layouts: dict[str, str] = {name: _drawing(*kitchen) for name, kitchen in NAMES.items()}


class Pictures:
    """Arrays between two bounds."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: Any = jnp.uint8) -> None:
        self.low, self.high, self.shape, self.dtype = low, high, shape, dtype

    def sample(self, rng: Array) -> Array:
        return jax.random.uniform(rng, self.shape, minval=self.low, maxval=self.high).astype(self.dtype)

    def contains(self, x: Array) -> Array:
        return jnp.all((x >= self.low) & (x <= self.high))


class Overcooked:
    """Overcooked with agents `agent_0` and `agent_1`."""

    name = "Overcooked"

    def __init__(
        self,
        layout: str | Mapping[str, Any] = overcooked_layouts["cramped_room"],
        random_reset: bool = False,
        max_steps: int = 400,
    ) -> None:
        if random_reset:
            raise GameError("random_reset: make the starts you want with env.game.place(...) and step from them.")
        self.layout = _text(layout)
        self.game = Game(layout=self.layout, horizon=max_steps)
        if self.game.players != 2:
            raise GameError(f"this class seats 2 agents, but the layout has {self.game.players} starts; mark 1 and 2.")
        self.max_steps, self.num_agents = max_steps, 2
        self.agents = ["agent_0", "agent_1"]
        self.height, self.width = self.game.kitchen.height, self.game.kitchen.width
        self.obs_shape = (self.height, self.width, self.game.observation_shape[-1])
        self.num_actions = self.game.num_actions
        # JaxMARL's wrappers ask whether a space is one of theirs; where they are loaded, it is.
        theirs = sys.modules.get("jaxmarl.environments.spaces")
        discrete, pictures = (theirs.Discrete, theirs.Box) if theirs else (Discrete, Pictures)
        self.action_spaces = {agent: discrete(self.num_actions, dtype=jnp.uint32) for agent in self.agents}
        self.observation_spaces = {agent: pictures(0, 255, self.obs_shape) for agent in self.agents}

    def action_space(self, agent: str = "agent_0") -> Any:
        return self.action_spaces[agent]

    def observation_space(self, agent: str = "agent_0") -> Any:
        return self.observation_spaces[agent]

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        return {"agent": self.agents}

    @partial(jax.jit, static_argnums=0)
    def reset(self, key: Array) -> tuple[PerAgent, State]:
        """The standard start with facings by chance, those JaxMARL draws from this key: (observations, state)."""
        key, _ = jax.random.split(key)  # JaxMARL draws positions first, and uses them only for random resets
        _, key = jax.random.split(key)
        facings = jax.random.choice(key, jnp.arange(4, dtype=jnp.int32), shape=(2,)).astype(jnp.uint32)
        state = self.game.reset(key)
        chefs = tuple(
            Chef.of(chef)._replace(facing=facing).pack() for chef, facing in zip(state.chefs, facings, strict=True)
        )
        state = state._replace(chefs=chefs)
        return self.get_obs(state), state

    @partial(jax.jit, static_argnums=0)
    def step(
        self, key: Array, state: State, actions: PerAgent, reset_state: State | None = None
    ) -> tuple[PerAgent, State, PerAgent, PerAgent, dict[str, Any]]:
        """One step; where it ends the episode, the observations and the state are those of the next one."""
        after, rewards, dones, infos = self._play(state, actions)
        fresh = self.reset(jax.random.split(key)[1])[1] if reset_state is None else reset_state
        following = jax.tree.map(lambda new, old: jnp.where(dones["__all__"], new, old), fresh, after)
        return self.get_obs(following), following, rewards, dones, infos

    @partial(jax.jit, static_argnums=0)
    def step_env(
        self, key: Array, state: State, actions: PerAgent
    ) -> tuple[PerAgent, State, PerAgent, PerAgent, dict[str, Any]]:
        """One step without a new episode after the end; `key` is not used."""
        after, rewards, dones, infos = self._play(state, actions)
        return self.get_obs(after), after, rewards, dones, infos

    @partial(jax.jit, static_argnums=0)
    def get_obs(self, state: State) -> PerAgent:
        """uint8 [height, width, 26] per agent; the counter layer shows empty counters only."""
        return {agent: jaxmarl(self.game.view(state, seat)) for seat, agent in enumerate(self.agents)}

    def get_avail_actions(self, state: State) -> PerAgent:
        """All actions are always there."""
        del state
        return {agent: jnp.ones(self.num_actions, jnp.float32) for agent in self.agents}

    def _play(self, state: State, actions: PerAgent) -> tuple[State, PerAgent, PerAgent, dict[str, Any]]:
        joint = jnp.stack([jnp.asarray(actions[agent]).reshape(()) for agent in self.agents]).astype(jnp.int32)
        step = self.game.step(state, joint)
        shaped = {agent: step.events.shaped[seat].astype(jnp.float32) for seat, agent in enumerate(self.agents)}
        dones = dict.fromkeys([*self.agents, "__all__"], step.done)
        return step.state, dict.fromkeys(self.agents, step.reward), dones, {"shaped_reward": shaped}


def _text(layout: str | Mapping[str, Any]) -> str:
    """A layout as our text: a name of JaxMARL's or ours, a drawing, or JaxMARL's lists of cells."""
    if isinstance(layout, str):
        return overcooked_layouts.get(layout, layout)
    letters = {"wall_idx": "X", "goal_idx": "S", "plate_pile_idx": "D", "onion_pile_idx": "O", "pot_idx": "P"}
    missing = [key for key in ("height", "width", *letters, "agent_idx") if key not in layout]
    if missing:
        raise GameError(f"layout: {', '.join(missing)} missing; give JaxMARL's lists of cells, a name or a drawing.")
    cells = np.full(int(layout["height"]) * int(layout["width"]), " ")
    for key, letter in letters.items():
        cells[np.asarray(layout[key])] = letter
    cells[np.asarray(layout["agent_idx"])] = ["1", "2"]
    return "\n".join("".join(row) for row in cells.reshape(int(layout["height"]), -1))
