"""Teacher forcing: what does an agent expect at every decision of recorded games?

The agent sits in every seat of a recorded game and is asked before each move; then the recorded move is played. A
memory that hears every turn advances on every turn, one of own turns only on its own, as at the table. A network says
how likely each action is; a scripted player names one action, which it expects with certainty.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.measure.study.run import MOVE_SECONDS
from coplay.player import AgentError, unnamed
from coplay.rollouts.chairs import begin, game_seeds, limit, told, warm_up
from coplay.rollouts.episode import Episodes
from coplay.rollouts.progress import progress_bar
from coplay.rollouts.rollout import start_memory
from coplay.rollouts.seeds import derive
from coplay.rollouts.team import Player, agent_name, is_policy
from coplay.rollouts.time_limit import TookTooLong, time_limit
from coplay.views.host import host_views

Array = jax.Array
CHUNK, FEWEST = 128, 16  # games at once, at most and at least


class Foreseen(NamedTuple):
    """What was expected, [games, turns, seats]; only entries where `decides` is true mean anything."""

    log_prob: Any  # float32: natural logarithm of the probability given to the action that was taken
    hit: Any  # bool: the likeliest action was the one taken
    legal: Any  # int32: how many actions were legal
    decides: Any  # bool: the seat made a recorded move


def foresee_episodes(
    episodes: Episodes, player: Player, seed: int = 0, move_seconds: float | None = MOVE_SECONDS
) -> Foreseen:
    """What an agent expects at the decisions of games that were played here."""
    return foresee(episodes.game, player, episodes.starts, episodes.actions, episodes.lengths, seed, move_seconds)


def foresee(
    game: Game,
    player: Player,
    starts: Any,
    actions: Any,
    lengths: Any,
    seed: int = 0,
    move_seconds: float | None = MOVE_SECONDS,
) -> Foreseen:
    """`starts`: states [games, ...]; `actions`: int [games, turns], of all seats [games, turns, seats] in a game where
    they act together; `lengths`: int [games]. A plain agent that thinks longer than `move_seconds` is an error."""
    moves = np.asarray(actions, np.int32)
    if moves.ndim == 2:
        moves = np.repeat(moves[..., None], game.players, -1)
    lengths = np.asarray(lengths, np.int32)
    if not is_policy(player):
        return _Hosted(game, player, starts, moves, lengths, seed, move_seconds).run()
    count, longest = len(lengths), max(game.max_steps, moves.shape[1])
    # Few different shapes, so that little compiles twice.
    size = min(CHUNK, max(FEWEST, 1 << (count - 1).bit_length()))
    moves = np.pad(moves, ((0, 0), (0, longest - moves.shape[1]), (0, 0)), constant_values=-1)
    parts = []
    with progress_bar(agent_name(player), count) as advance:
        for first in range(0, count, size):
            rows = np.minimum(np.arange(first, first + size), count - 1)
            chunk = jax.tree.map(lambda leaf, rows=rows: jnp.asarray(np.asarray(leaf)[rows]), starts)
            keys = _keys(derive(seed, "foresee"), jnp.asarray(rows))
            found = _walk(game, unnamed(player), chunk, jnp.asarray(moves[rows]), jnp.asarray(lengths[rows]), keys)
            parts.append(jax.device_get(found))
            advance(min(size, count - first))
    return Foreseen(*(np.concatenate(leaves)[:count] for leaves in zip(*parts, strict=True)))


@jax.jit
def _keys(key: Array, indices: Array) -> Array:
    return jax.vmap(jax.random.fold_in, (None, 0))(key, indices)


@eqx.filter_jit
def _walk(game: Game, policy: Any, starts: Any, moves: Array, lengths: Array, keys: Array) -> Foreseen:
    """The games of a chunk, all together."""
    seats = jnp.arange(game.players)
    memories = start_memory(policy, game.players, lengths.shape[0])

    def turn(carry: tuple[Any, Any], now: tuple[Array, Array]) -> tuple[tuple[Any, Any], Foreseen]:
        states, memories = carry
        number, joint = now  # joint: [games, seats]

        def one_seat(seat_and_memory: tuple[Array, Any]) -> tuple[Any, Foreseen]:
            seat, memory = seat_and_memory
            seat_keys = jax.vmap(jax.random.fold_in, (0, None))(keys, number * game.players + seat)
            ask = lambda state, memory, action, key: _ask(game, policy, seat, state, memory, action, key)  # noqa: E731
            return jax.vmap(ask)(states, memory, joint[:, seat], seat_keys)

        memories, found = jax.lax.map(one_seat, (seats, memories))
        found = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), found)  # [games, seats]
        played = number < lengths
        found = found._replace(decides=found.decides & played[:, None])
        after = jax.vmap(game.step)(states, jnp.where(played[:, None], joint, -1)).state
        return (after, memories), found

    numbers = jnp.arange(moves.shape[1])
    _, found = jax.lax.scan(turn, (starts, memories), (numbers, jnp.swapaxes(moves, 0, 1)))
    return jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), found)


def expectation(game: Game, policy: Any, memory: Any, view: Any, mine: Array, key: Array) -> tuple[Any, Array, Array]:
    """What a policy expects of the seat that it looks from: its memory after the look, the logarithms of how likely
    each action is, the likeliest. Who names one action expects it with certainty."""
    if hasattr(policy, "think"):
        after, logits = policy.think(memory, view)
        told = jax.nn.log_softmax(logits)
        likeliest = jnp.argmax(told)
    else:
        after, likeliest = policy.act(memory, view, key)
        told = jnp.where(jnp.arange(game.num_actions) == likeliest, 0.0, -jnp.inf)
    if policy.hears == "own":
        after = jax.tree.map(lambda new, old: jnp.where(mine, new, old), after, memory)
    return after, told, likeliest


def _ask(
    game: Game, policy: Any, seat: Array, state: Any, memory: Any, action: Array, key: Array
) -> tuple[Any, Foreseen]:
    """One seat of one game before one move: its memory after the look, and what it expected of itself."""
    view = game.view(state, seat)
    mine = game.turn(state)[seat]
    after, told, likeliest = expectation(game, policy, memory, view, mine, key)
    legal = game.legal(view).sum(dtype=jnp.int32)
    return after, Foreseen(told[jnp.maximum(action, 0)].astype(jnp.float32), likeliest == action, legal, mine)


class _Hosted:
    """The same for a plain agent, which is asked on the host; a copy of it sits in every seat of every game."""

    def __init__(
        self,
        game: Game,
        player: Any,
        starts: Any,
        moves: np.ndarray,
        lengths: np.ndarray,
        seed: int,
        move_seconds: float | None,
    ) -> None:
        self.game, self.player, self.moves, self.lengths = game, player, moves, lengths
        self.move_seconds, self.known = move_seconds, False
        self.states = jax.tree.map(jnp.asarray, starts)
        shape = moves.shape
        self.found = Foreseen(
            np.full(shape, -np.inf, np.float32), np.zeros(shape, bool), np.ones(shape, np.int32), np.zeros(shape, bool)
        )
        warm_up(player)
        keys = _keys(derive(seed, "foresee"), jnp.arange(shape[0]))
        seeds = np.stack([game_seeds(keys, seat, game.players) for seat in range(game.players)], 1)
        self.copies = [[self._sit_down(seat, int(number)) for seat, number in enumerate(row)] for row in seeds]

    def _sit_down(self, seat: int, seed: int) -> Any:
        mine = copy.deepcopy(self.player)
        begin(mine, seat, self.game.players, seed)
        return mine

    def run(self) -> Foreseen:
        with progress_bar(agent_name(self.player), int(self.lengths.max())) as advance:
            for turn in range(int(self.lengths.max())):
                played = turn < self.lengths
                to_move = np.asarray(_to_move(self.game, self.states)) & played[:, None]
                for seat in range(self.game.players):
                    self._ask_seat(turn, seat, to_move[:, seat], played)
                joint = np.where(played[:, None], self.moves[:, turn], -1)
                self.states = _advance(self.game, self.states, jnp.asarray(joint))
                advance(1)
        return self.found

    def _ask_seat(self, turn: int, seat: int, mine: np.ndarray, played: np.ndarray) -> None:
        asked = np.flatnonzero(played if getattr(self.player, "hears", "own") == "every" else mine)
        if not len(asked):
            return
        for index, view in zip(asked.tolist(), host_views(self.game, self.states, seat, asked), strict=True):
            action = self._ask(index, turn, seat, view, bool(mine[index]))
            if action is None:
                continue
            hit = action == self.moves[index, turn, seat]
            self.found.hit[index, turn, seat] = hit
            self.found.log_prob[index, turn, seat] = 0.0 if hit else -np.inf
            self.found.legal[index, turn, seat] = int(np.asarray(view.legal).sum())
            self.found.decides[index, turn, seat] = True

    def _ask(self, index: int, turn: int, seat: int, view: Any, mine: bool) -> int | None:
        """Its action; None where it only watches."""
        allowed = limit(self.move_seconds, self.known, self.player)
        self.known = self.known or mine
        try:
            with time_limit(allowed):
                asked = self.copies[index][seat]
                return int(asked.act(view)) if mine else asked.watch(view)
        except TookTooLong as error:
            reason = str(error)
        except (Exception, SystemExit) as error:  # an agent may raise anything
            reason = told(error)
        raise AgentError(f"{agent_name(self.player)} in game {index}, turn {turn}, seat {seat}: {reason}")


@eqx.filter_jit
def _to_move(game: Game, states: Any) -> Array:
    return jax.vmap(game.turn)(states)


@eqx.filter_jit
def _advance(game: Game, states: Any, joint: Array) -> Any:
    return jax.vmap(game.step)(states, joint).state
