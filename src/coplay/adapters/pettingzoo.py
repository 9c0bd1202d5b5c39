"""Our games as PettingZoo environments: `aec_env` for any game, `parallel_env` for those where all seats move at once.

Agents are `player_0`, `player_1`, ...; an observation is `{"observation": ..., "action_mask": ...}`, the mask empty for
a seat that is not to move. Every agent receives its team's reward.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.adapters.pictures import Window, frame
from coplay.game import Game, GameError, State, Step
from coplay.games import make
from coplay.sides import signs
from coplay.views.host import view_text

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper
except ImportError as error:
    raise ImportError(
        f"coplay.adapters.pettingzoo needs PettingZoo and Gymnasium ({error}); run: pip install 'coplay[pettingzoo]'"
    ) from error

from coplay.adapters.spaces import box

Array = jax.Array
RENDER_MODES = ("ansi", "rgb_array", "human")
Observation = dict[str, np.ndarray]


def aec_env(game: str | Game = "hanabi", render_mode: str | None = None, **settings: Any) -> AECEnv:
    """The game with agents acting one after another, also where the rules have them act at once.

    A move outside the action mask ends the game, as is PettingZoo's custom: see its `TerminateIllegalWrapper`.
    """
    env = TurnByTurn(_game(game, settings), render_mode)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))


def parallel_env(game: str | Game = "overcooked", render_mode: str | None = None, **settings: Any) -> ParallelEnv:
    """The game with all agents acting at once; for games whose rules say so."""
    return Simultaneous(_game(game, settings), render_mode)


class SeatsSeen(NamedTuple):
    """What all agents see and may do."""

    vectors: np.ndarray  # [players, *observation_shape]
    legal: np.ndarray  # bool [players, num_actions]
    turn: np.ndarray  # bool [players]


class _Seats:
    """A running game and what the two kinds of environment share."""

    def __init__(self, game: Game, render_mode: str | None) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise GameError(f"render_mode={render_mode!r}: choose one of {', '.join(RENDER_MODES)}.")
        self.game, self.render_mode = game, render_mode
        self.window = Window(game.name) if render_mode == "human" else None
        self.metadata = {"name": f"coplay_{game.name}", "render_modes": [*RENDER_MODES], "render_fps": 5}
        self.metadata["is_parallelizable"] = False
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.agents: list[str] = []
        seen, *_ = jax.eval_shape(lambda: _look(game, game.reset(jax.random.key(0))))
        observation: dict[str, spaces.Space] = {"observation": box(seen.shape[1:], seen.dtype)}
        observation["action_mask"] = spaces.Box(0, 1, (game.num_actions,), np.int8)
        self.observation_spaces = {agent: spaces.Dict(observation) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self._generator = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def render(self) -> str | np.ndarray | None:
        """In words as the first seat to move sees it, or as pixels with everybody's cards on show."""
        seat = int(np.argmax(self._table.turn))
        if self.render_mode == "ansi":
            return view_text(self.game.view(self._state, seat))
        if self.render_mode == "rgb_array":
            return frame(self.game, self._state, seat)
        if self.window is not None:
            self.window.show(frame(self.game, self._state, seat))
        return None

    def close(self) -> None:
        if self.window is not None:
            self.window.close()

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        key = jax.random.key(int(self._generator.integers(2**32)))
        self._enter(_reset(self.game, key))
        self.agents = list(self.possible_agents)

    def _play(self, actions: np.ndarray) -> tuple[float, bool]:
        """Plays one joint action: (reward, done)."""
        step = _step(self.game, self._state, actions.astype(np.int32))
        refused = np.flatnonzero(step.events.illegal)
        if refused.size:
            seat = int(refused[0])
            raise GameError(
                f"action {actions[seat]} of player_{seat} is illegal and nothing was played; "
                "choose one that observation['action_mask'] marks with 1."
            )
        self._enter(step.state)
        return float(step.reward), bool(step.done)

    def _rewards(self, reward: float) -> dict[str, float]:
        """What every agent is paid: of two sides, one has what the other loses."""
        return dict(zip(self.possible_agents, (reward * signs(self.game)).tolist(), strict=True))

    def _enter(self, state: State) -> None:
        self._state = state
        self._table = SeatsSeen(*map(np.asarray, _look(self.game, state)))
        if self.window is not None:
            self.render()

    def _observation(self, agent: str) -> Observation:
        seat = self.possible_agents.index(agent)
        # Copies: what an agent keeps or changes must not be the table itself.
        mask = self._table.legal[seat].astype(np.int8)
        return {"observation": self._table.vectors[seat].copy(), "action_mask": mask}


class TurnByTurn(_Seats, AECEnv):
    """A game as an AEC environment. Where several seats are to move, their choices are collected, then played."""

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        _Seats.__init__(self, game, render_mode)
        self.metadata["is_parallelizable"] = True

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game; `options` are not used."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._gather()

    def observe(self, agent: str) -> Observation:
        return self._observation(agent)

    def step(self, action: Any) -> None:
        """The selected agent acts; the game moves on once all who are to move have chosen."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._chosen[self.possible_agents.index(agent)] = action
        self._waiting.remove(agent)
        if self._waiting:
            self.agent_selection = self._waiting[0]
        else:
            reward, done = self._play(self._chosen)
            self.rewards = self._rewards(reward)
            self.terminations = dict.fromkeys(self.agents, done and not self.game.truncates)
            self.truncations = dict.fromkeys(self.agents, done and self.game.truncates)
            self._gather()
        self._accumulate_rewards()

    def _gather(self) -> None:
        """Asks every seat that is to move."""
        self._chosen = np.zeros(self.game.players, np.int64)
        self._waiting = [agent for agent, moves in zip(self.possible_agents, self._table.turn, strict=True) if moves]
        self.agent_selection = self._waiting[0] if self._waiting else self.agents[0]


class Simultaneous(_Seats, ParallelEnv):
    """A game as a parallel environment."""

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        _Seats.__init__(self, game, render_mode)
        if not game.turn(_reset(game, jax.random.key(0))).all():
            raise GameError(f"in {game.name} the seats move one after another; use aec_env({game.name!r}).")

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins a new game: (observations, infos); `options` are not used."""
        self._begin(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """All agents act: (observations, rewards, terminations, truncations, infos)."""
        players = self.agents
        if not players:
            raise GameError("this game is over; call reset() to begin the next one.")
        if set(actions) != set(players):
            raise GameError(f"step takes one action for each of {', '.join(players)}, but got {', '.join(actions)}.")
        reward, done = self._play(np.asarray([actions[agent] for agent in self.possible_agents]))
        observations = self._observations()
        if done:
            self.agents = []
        return (
            observations,
            self._rewards(reward),
            dict.fromkeys(players, done and not self.game.truncates),
            dict.fromkeys(players, done and self.game.truncates),
            {agent: {} for agent in players},
        )

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._observation(agent) for agent in self.agents}


def _game(game: str | Game, settings: dict[str, Any]) -> Game:
    if isinstance(game, str):
        return make(game, **settings)
    if settings:
        raise GameError(f"settings {', '.join(settings)} belong to a game's name; this game is made already.")
    return game


@partial(jax.jit, static_argnums=0)
def _reset(game: Game, key: Array) -> State:
    return game.reset(key)


@partial(jax.jit, static_argnums=0)
def _step(game: Game, state: State, actions: Array) -> Step:
    return game.step(state, actions)


@partial(jax.jit, static_argnums=0)
def _look(game: Game, state: State) -> tuple[Array, Array, Array]:
    """The arrays of what all agents see and may do."""
    views = jax.vmap(game.view, (None, 0))(state, jnp.arange(game.players))
    return jax.vmap(game.encode)(views), jax.vmap(game.legal)(views), game.turn(state)
