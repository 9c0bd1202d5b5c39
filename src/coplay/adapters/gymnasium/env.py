"""One environment: a game in which one seat is yours. Partners may be any agents, plain ones too."""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import numpy as np
from gymnasium import spaces

from coplay.adapters.gymnasium.company import (
    ILLEGAL_REWARD,
    Company,
    check_seat,
    check_shaping,
    companies,
    draw,
)
from coplay.adapters.pictures import Window, frame
from coplay.adapters.spaces import box
from coplay.compiling import quick_jit
from coplay.game import Game, GameError
from coplay.games import make as make_game
from coplay.player import AgentError
from coplay.rollouts.chairs import chair_for
from coplay.rollouts.team import Player, agent_name
from coplay.views.host import view_text

Observed = tuple[np.ndarray, dict[str, Any]]


def make(
    game: str | Game,
    partners: Any,
    *,
    seat: int | None = None,
    shaping: float = 0.0,
    illegal_reward: float = ILLEGAL_REWARD,
    render_mode: str | None = None,
    move_seconds: float | None = 60.0,
    **settings: Any,
) -> SeatEnv:
    """A game with these partners: a spec, an agent, or a list of them, of which one is drawn for every episode.

    A partner takes all other seats; a tuple in the list says who sits in each. `seat=None` draws yours. `shaping` adds
    so much of the game's own reward for learning.
    """
    made = make_game(game, **settings) if isinstance(game, str) else make_game(game)
    return SeatEnv(made, partners, seat, shaping, illegal_reward, render_mode, move_seconds)


class SeatEnv(gymnasium.Env):
    """Observations are what a network reads; `info["action_mask"]` and `action_masks()` say what is legal.

    An illegal action ends the episode with `illegal_reward`. A game that its clock cuts off is truncated.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 5}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        partners: Any,
        seat: int | None = None,
        shaping: float = 0.0,
        illegal_reward: float = ILLEGAL_REWARD,
        render_mode: str | None = None,
        move_seconds: float | None = 60.0,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise GameError(f"render_mode={render_mode!r}: choose one of {', '.join(self.metadata['render_modes'])}.")
        check_seat(game, seat)
        check_shaping(game, shaping)
        self.game, self.seat, self.shaping, self.illegal_reward = game, seat, shaping, illegal_reward
        self.companies, self.render_mode, self.move_seconds = companies(game, partners), render_mode, move_seconds
        self.window = Window(game.name) if render_mode == "human" else None
        vector, legal, _ = jax.eval_shape(lambda: _look(game, game.reset(jax.random.key(0)), 0))
        self.observation_space = box(vector.shape, vector.dtype)
        self.action_space = spaces.Discrete(legal.shape[0])
        self.over = True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Observed:
        """A new episode; `options` are not used. Where the others end a game before your first turn, another begins."""
        super().reset(seed=seed)
        self.over = True
        while self.over:
            several = len(self.companies) > 1
            number = int(self.np_random.integers(len(self.companies))) if several else 0
            self._sit_down(self.companies[number])
            self._others()
        self.before, self.reward = self.reward, 0.0
        self._render_human()
        return self._observed()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Plays your action, and what the others do until you are to move again."""
        if self.over:
            raise GameError("this episode is over; call reset() to begin the next one.")
        self.reward, self.before = self.before, 0.0  # what the others earned before your first turn
        refused = not (0 <= int(action) < self.game.num_actions and self.legal[int(action)])
        if refused:
            self.over, self.reward = True, self.illegal_reward
        else:
            self._one_step(int(action))
            self._others()
        cut = self.over and not refused and self.game.truncates
        seen, info = self._observed()
        if self.over:
            info |= {"score": float(_score(self.game, self.state)), "illegal": refused}
        self._render_human()
        return seen, self.reward, self.over and not cut, cut, info

    def action_masks(self) -> np.ndarray:
        """bool [actions]: what you may do now."""
        return self.legal.copy()

    def render(self) -> Any:
        """The position as you see it in words, or as pixels with everybody's cards on show."""
        if self.render_mode == "ansi":
            return view_text(self.game.view(self.state, self.mine))
        if self.render_mode == "rgb_array":
            return frame(self.game, self.state, self.mine)
        self._render_human()
        return None

    def close(self) -> None:
        if self.window is not None:
            self.window.close()

    def _render_human(self) -> None:
        if self.window is not None:
            self.window.show(frame(self.game, self.state, self.mine))

    def _sit_down(self, company: Company) -> None:
        deal = draw(self.game, self.np_random, self.seat)
        self.mine, self.turn, self.partner, self.reward = deal.seat, 0, company.name, 0.0
        self.states = _begin(self.game, np.uint32(deal.start))
        keys = jax.random.key(np.uint32(deal.act))[None]
        live = np.ones(1, bool)
        seats = [(self.mine + 1 + place) % self.game.players for place in range(len(company.players))]
        self.chairs = {
            seat: chair_for(self.game, player, seat, keys, live, self.move_seconds, self._loser(player))
            for seat, player in zip(seats, company.players, strict=True)
        }
        self.over = False
        self._enter()

    def _loser(self, player: Player) -> Any:
        def lost(index: int, reason: str, view: Any) -> None:
            raise AgentError(f"the partner {agent_name(player)} broke the game off: {reason}.")

        return lost

    @property
    def state(self) -> Any:
        return jax.tree.map(lambda leaf: leaf[0], self.states)

    def _others(self) -> None:
        while not self.over and not self.to_move[self.mine]:
            self._one_step(0)

    def _one_step(self, action: int) -> None:
        actions = np.zeros((1, self.game.players), np.int32)
        actions[0, self.mine] = action
        for seat, chair in self.chairs.items():
            actions[0, seat] = chair.choose(self.turn, self.states, self.to_move[None, seat], np.ones(1, bool))[0]
        step, shaped = _play(self.game, self.states, actions, np.int32(self.mine))
        refused = np.flatnonzero(np.asarray(step.events.illegal)[0] & self.to_move)
        if refused.size:
            chosen = f"action {actions[0, refused[0]]} in seat {refused[0]}"
            raise AgentError(f"the partner {self.partner} chose {chosen}, which is not legal.")
        self.states, self.turn, self.over = step.state, self.turn + 1, bool(step.done[0])
        self.reward += float(step.reward[0]) + self.shaping * float(shaped)
        self._enter()

    def _enter(self) -> None:
        vector, legal, to_move = _look_at(self.game, self.states, np.int32(self.mine))
        self.vector, self.legal, self.to_move = np.array(vector), np.array(legal), np.asarray(to_move)

    def _observed(self) -> Observed:
        info = {"action_mask": self.legal.astype(np.int8), "seat": self.mine, "partner": self.partner}
        return self.vector.copy(), info


def _look(game: Game, state: Any, seat: Any) -> Any:
    view = game.view(state, seat)
    return game.encode(view), game.legal(view), game.turn(state)


@quick_jit
def _look_at(game: Game, states: Any, seat: Any) -> Any:
    return _look(game, jax.tree.map(lambda leaf: leaf[0], states), seat)


@quick_jit
def _begin(game: Game, start: Any) -> Any:
    return jax.vmap(lambda number: game.reset(jax.random.key(number)))(start[None])


@quick_jit
def _play(game: Game, states: Any, actions: Any, seat: Any) -> Any:
    step = jax.vmap(game.step)(states, actions)
    shaped = getattr(step.events, "shaped", None)
    return step, 0.0 if shaped is None else shaped[0, seat]


@quick_jit
def _score(game: Game, state: Any) -> Any:
    return game.score(state)
