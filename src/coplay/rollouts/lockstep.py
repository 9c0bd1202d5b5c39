"""All games of a batch step together on the host: plain agents are asked there, policies in one call each."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.compiling import quick_jit
from coplay.faces import faces_of
from coplay.game import Game, GameError
from coplay.rollouts.chairs import chair_for
from coplay.rollouts.episode import Forfeit, forfeited_score
from coplay.rollouts.team import Player, agent_name
from coplay.sides import sign_of
from coplay.views.host import HostView, host_views


@quick_jit
def _step(game: Game, states: Any, actions: Any, live: Any) -> Any:
    step = jax.vmap(game.step)(states, actions)
    keep = lambda new, old: jnp.where(live.reshape((-1,) + (1,) * (new.ndim - 1)), new, old)  # noqa: E731
    return step._replace(state=jax.tree.map(keep, step.state, states))


@quick_jit
def _to_move(game: Game, states: Any) -> Any:
    return jax.vmap(game.turn)(states)


@quick_jit
def _outcome(game: Game, states: Any) -> Any:
    return jax.vmap(lambda state: (game.score(state), faces_of(game).facts(game, state)))(states)


class LockStep:
    """One chunk of games in progress."""

    def __init__(
        self,
        game: Game,
        team: tuple[Player, ...],
        states: Any,
        keys: Any,
        first: int,
        move_seconds: float | None,
        wanted: int | None = None,
    ) -> None:
        """`wanted`: the games that count; those beyond only fill the batch, and nobody plain is asked in them."""
        self.game, self.team, self.states, self.first = game, team, states, first
        games = keys.shape[0]
        self.live = np.arange(games) < (games if wanted is None else wanted)
        self.actions = np.full((games, game.max_steps, game.players), -1, np.int16)
        self.lengths = np.zeros(games, np.int32)
        self.forfeits: list[Forfeit] = []
        self.turn = 0
        self.chairs = [
            chair_for(game, player, seat, keys, self.live, move_seconds, self._loser(seat))
            for seat, player in enumerate(team)
        ]

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Forfeit], dict[str, np.ndarray]]:
        """Actions, lengths, scores, forfeits, and what else the ends tell."""
        while self.live.any():
            if self.turn == self.game.max_steps:
                raise endless(self.game)
            self._one_turn(self.turn)
            self.turn += 1
        found, facts = jax.device_get(_outcome(self.game, self.states))
        scores = np.asarray(found, np.float32).copy()
        for forfeit in self.forfeits:
            sign = sign_of(self.game, forfeit.seat)
            scores[forfeit.game - self.first] = forfeited_score(found[forfeit.game - self.first], sign)
        return self.actions, self.lengths, scores, self.forfeits, facts

    def _one_turn(self, turn: int) -> None:
        to_move = np.asarray(_to_move(self.game, self.states)) & self.live[:, None]
        actions = self._choose(turn, to_move)
        to_move &= self.live[:, None]
        step = _step(self.game, self.states, actions, self.live)
        illegal = np.asarray(step.events.illegal) & to_move
        for index, seat in np.argwhere(illegal).tolist():
            view = host_views(self.game, self.states, seat, np.asarray([index]))[0]
            self._forfeit(index, seat, illegal_reason(int(actions[index, seat]), self.game.num_actions), view)
        broken = np.asarray(illegal.any(axis=1))
        self.actions[:, turn] = np.where(to_move & ~broken[:, None], actions, -1)
        self.lengths += self.live & ~broken
        self.states = step.state
        self.live &= ~broken & ~np.asarray(step.done)

    def _choose(self, turn: int, to_move: np.ndarray) -> np.ndarray:
        """What every seat does, int32 [games, players]; -1 where it was not asked."""
        chosen = [
            chair.choose(turn, self.states, to_move[:, seat] & self.live, self.live)
            for seat, chair in enumerate(self.chairs)
        ]
        return np.stack(chosen, axis=1).astype(np.int32)

    def _loser(self, seat: int) -> Any:
        return lambda index, reason, view: self._forfeit(index, seat, reason, view)

    def _forfeit(self, index: int, seat: int, reason: str, view: HostView | None) -> None:
        if not self.live[index]:
            return
        self.live[index] = False
        shown = f"{reason}\n{view.text()}" if view is not None else reason
        self.forfeits.append(Forfeit(self.first + index, self.turn, seat, agent_name(self.team[seat]), shown))


def endless(game: Game) -> GameError:
    """What to say of a game that keeps on going."""
    return GameError(
        f"{game.name} goes on after max_steps={game.max_steps} steps; "
        "let `done` be true and `turn` all False by then, or say a higher max_steps."
    )


def illegal_reason(action: int, num_actions: int) -> str:
    """Why an action was refused."""
    if not 0 <= action < num_actions:
        return f"action {action} does not exist: ids run from 0 to {num_actions - 1}"
    return f"action {action} is not legal here: choose one where view.legal is True"
