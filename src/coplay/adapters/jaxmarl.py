"""JaxMARL's Hanabi over our game: the same methods and dictionaries, so that its training scripts run on it.

    from coplay.adapters import jaxmarl            # instead of: import jaxmarl
    env = jaxmarl.make("hanabi", num_agents=3)

An illegal action changes nothing and is marked in `infos["illegal"]`; JaxMARL carries it out as something else.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

from coplay.game import GameError
from coplay.worlds.hanabi import Hanabi, State
from coplay.worlds.hanabi.settings import Encoding

Array = jax.Array
PerAgent = dict[str, Array]


class Discrete:
    """Whole numbers from 0 to n - 1."""

    def __init__(self, num_categories: int, dtype: Any = jnp.int32) -> None:
        self.n, self.shape, self.dtype = num_categories, (), dtype

    def sample(self, rng: Array) -> Array:
        return jax.random.randint(rng, self.shape, 0, self.n).astype(self.dtype)

    def contains(self, x: Array) -> Array:
        return (x >= 0) & (x < self.n)


class Box:
    """Vectors between two bounds; `shape` is their length, a plain number, because that is what the scripts expect."""

    def __init__(self, low: float, high: float, shape: int, dtype: Any = jnp.float32) -> None:
        self.low, self.high, self.shape, self.dtype = low, high, shape, dtype

    def sample(self, rng: Array) -> Array:
        return jax.random.uniform(rng, (self.shape,), minval=self.low, maxval=self.high).astype(self.dtype)

    def contains(self, x: Array) -> Array:
        return jnp.all((x >= self.low) & (x <= self.high))


class HanabiEnv:
    """Hanabi with agents `agent_0`, `agent_1`, ...; the last action id is the no-op of the seats not to move."""

    name = "Hanabi"

    def __init__(
        self,
        num_agents: int = 2,
        num_colors: int = 5,
        num_ranks: int = 5,
        hand_size: int | None = None,
        max_info_tokens: int = 8,
        max_life_tokens: int = 3,
        num_cards_of_rank: Sequence[int] | None = None,
        encoding: Encoding = "jaxmarl",
    ) -> None:
        self.game = Hanabi(
            players=num_agents,
            colors=num_colors,
            ranks=num_ranks,
            hand_size=hand_size or 0,
            info_tokens=max_info_tokens,
            life_tokens=max_life_tokens,
            copies=() if num_cards_of_rank is None else tuple(int(copies) for copies in num_cards_of_rank),
            encoding=encoding,
        )
        self.num_agents = num_agents
        self.agents = [f"agent_{seat}" for seat in range(num_agents)]
        self.num_moves = self.num_actions = self.game.num_actions + 1
        self.obs_size = self.game.observation_shape[0]
        # JaxMARL's wrappers ask whether a space is one of theirs; where they are loaded, it is.
        spaces = sys.modules.get("jaxmarl.environments.spaces", sys.modules[__name__])
        self.action_spaces = {agent: spaces.Discrete(self.num_moves) for agent in self.agents}
        self.observation_spaces = {agent: spaces.Box(0, 1, self.obs_size) for agent in self.agents}

    # Equal environments share what is compiled.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, HanabiEnv) and self.game == other.game

    def __hash__(self) -> int:
        return hash(self.game)

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> Box:
        return self.observation_spaces[agent]

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        return {"agent": self.agents}

    # Compiled in parts, so that a program which calls several of these does not compile the observations for each.

    def reset(self, key: Array) -> tuple[PerAgent, State]:
        """Shuffles and deals: (observations, state)."""
        state = self._shuffle(key)
        return self.get_obs(state), state

    def reset_from_deck_of_pairs(self, deck: Array) -> tuple[PerAgent, State]:
        """Starts from a deck [cards, 2] of (colour, rank), dealt from index 0: (observations, state)."""
        state = self.game.deal(deck)
        return self.get_obs(state), state

    def step(
        self, key: Array, state: State, actions: PerAgent, reset_state: State | None = None
    ) -> tuple[PerAgent, State, PerAgent, PerAgent, dict[str, Any]]:
        """One move; where it ends the game, the observations and the state are those of the next one."""
        after, rewards, dones, infos = self._move(state, actions)
        following = self._next_game(key, dones["__all__"], after, reset_state)
        return self.get_obs(following), following, rewards, dones, infos

    def step_env(
        self, key: Array, state: State, actions: PerAgent
    ) -> tuple[PerAgent, State, PerAgent, PerAgent, dict[str, Any]]:
        """One move without a new game after the end; `key` is not used, all chance is in the deck."""
        after, rewards, dones, infos = self._move(state, actions)
        return self.get_obs(after), after, rewards, dones, infos

    @partial(jax.jit, static_argnums=0)
    def get_obs(self, state: State) -> PerAgent:
        """The observation of every agent, whoever is to move."""
        return {agent: self.game.encode(self.game.view(state, seat)) for seat, agent in enumerate(self.agents)}

    @partial(jax.jit, static_argnums=0)
    def get_legal_moves(self, state: State) -> PerAgent:
        """float32 [num_moves] of 0s and 1s per agent; the no-op exactly for those not to move."""
        turn = self.game.turn(state)
        return {
            agent: jnp.append(self.game.legal(self.game.view(state, seat)), ~turn[seat]).astype(jnp.float32)
            for seat, agent in enumerate(self.agents)
        }

    get_avail_actions = get_legal_moves

    @partial(jax.jit, static_argnums=0)
    def _shuffle(self, key: Array) -> State:
        return self.game.reset(key)

    @partial(jax.jit, static_argnums=0)
    def _move(self, state: State, actions: PerAgent) -> tuple[State, PerAgent, PerAgent, dict[str, Any]]:
        joint = jnp.stack([jnp.asarray(actions[agent]).reshape(()) for agent in self.agents])
        step = self.game.step(state, joint)
        everyone = [*self.agents, "__all__"]
        rewards, dones = dict.fromkeys(everyone, step.reward), dict.fromkeys(everyone, step.done)
        return step.state, rewards, dones, {"illegal": step.events.illegal}

    @partial(jax.jit, static_argnums=0)
    def _next_game(self, key: Array, done: Array, state: State, reset_state: State | None) -> State:
        fresh = _fresh_where(self.game)(done, key, state) if reset_state is None else reset_state
        return jax.tree.map(lambda new, old: jnp.where(done, new, old), fresh, state)


def make(env_id: str = "hanabi", **env_kwargs: Any) -> Any:
    """The environment JaxMARL calls `env_id`."""
    if env_id == "hanabi":
        return HanabiEnv(**env_kwargs)
    if env_id == "overcooked":
        from coplay.adapters.jaxmarl_overcooked import Overcooked

        return Overcooked(**env_kwargs)
    raise GameError(f"unknown environment {env_id!r}; in JaxMARL's style there are 'hanabi' and 'overcooked'.")


def _fresh_where(game: Hanabi) -> Any:
    """fresh(done, key, like): a new state where `done`, anything elsewhere.

    `vmap` of a plain branch would shuffle a deck for every game at every step. A batch instead gathers the games that
    ended, shuffles for a part of the batch at once, and repeats in the rare step where more have ended.
    """

    @custom_vmap
    def fresh(done: Array, key: Array, like: State) -> State:
        return jax.lax.cond(done, lambda: game.reset(key), lambda: like)

    @fresh.def_vmap
    def of_batch(size: int, batched: list[Any], done: Array, keys: Array, like: State) -> tuple[State, State]:
        def spread(leaf: Array, has_batch: bool) -> Array:
            return leaf if has_batch else jnp.broadcast_to(leaf, (size, *leaf.shape))

        done, keys, like = jax.tree.map(spread, (done, keys, like), tuple(batched))
        return _renewed(game, done, keys, like), jax.tree.map(lambda _: True, like)

    return fresh


def _renewed(game: Hanabi, done: Array, keys: Array, states: State) -> State:
    """The batch of states with new ones in the rows that are done."""
    size = done.shape[0]
    if jax.default_backend() == "gpu":
        # A loop that looks at the data has the GPU wait for the host, which costs more than the shuffles.
        return jax.vmap(game.reset)(keys)
    room = max(size // 16, 1)

    def any_waits(carry: tuple[Array, State]) -> Array:
        return carry[0].any()

    def renew(carry: tuple[Array, State]) -> tuple[Array, State]:
        waiting, states = carry
        (rows,) = jnp.nonzero(waiting, size=room, fill_value=size)
        new = jax.vmap(game.reset)(keys[jnp.minimum(rows, size - 1)])
        states = jax.tree.map(lambda old, leaf: old.at[rows].set(leaf, mode="drop"), states, new)
        return waiting.at[rows].set(False, mode="drop"), states

    return jax.lax.while_loop(any_waits, renew, (done, states))[1]
