"""Teacher forcing: what does an agent expect at every decision of recorded games?

The agent sits in every seat of a recorded game and is asked before each move; then the recorded move is played. A
memory that hears every turn advances on every turn, one of own turns only on its own, as at the table. A network says
how likely each action is; a scripted player names one action, which it expects with certainty.
"""

from __future__ import annotations

import copy
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from scipy import optimize

from coplay.agents.spec import agent as make_agent
from coplay.data.games import Games
from coplay.games.game import Game
from coplay.measure import MeasureError
from coplay.measure.prediction import ActionPrediction, action_prediction
from coplay.play.episode import Episodes
from coplay.play.lockstep import host_views
from coplay.play.progress import progress_bar
from coplay.play.rollout import start_memory
from coplay.play.seeds import derive
from coplay.play.team import Player, agent_name, is_policy

Array = jax.Array
CHUNK, FEWEST = 128, 16  # games at once, at most and at least
DOUBT = 0.05


class Foreseen(NamedTuple):
    """What was expected, [games, turns, seats]; only entries where `decides` is true mean anything."""

    log_prob: Any  # float32: natural logarithm of the probability given to the action that was taken
    hit: Any  # bool: the likeliest action was the one taken
    legal: Any  # int32: how many actions were legal
    decides: Any  # bool: the seat made a recorded move


class Prediction(NamedTuple):
    """How surely an agent foresaw recorded moves, and the share of uniform play that was mixed into its words."""

    result: ActionPrediction
    smoothing: float


def predict(
    games: Games, agent: str | Player, smoothing: float | Literal["fit"] | None = None, seed: int = 0
) -> Prediction:
    """How surely the agent foresees the moves of recorded games; only people's where the file marks their seat.

    smoothing: the share of uniform play to mix in; "fit": the share with the least cross-entropy on these games; None:
    nothing for a network, `DOUBT` for players who never doubt and whose every miss would cost infinitely much.
    """
    game = games.game
    player = make_agent(agent, game)
    starts = jax.jit(jax.vmap(lambda deck: game.deal(deck)))(jnp.asarray(games.decks))
    found = foresee(game, player, starts, games.actions, games.lengths, seed)
    counts = found.decides
    if "human_seat" in games.extra:
        teacher = np.broadcast_to(np.asarray(games.extra["human_seat"]), (len(games),))
        counts = counts & ((teacher[:, None] < 0) | (teacher[:, None] == np.arange(game.players)))[:, None]
    if not counts.any():
        raise MeasureError("no recorded move counts: the file marks seats of people that nobody sits in.")
    logs, legal = found.log_prob[counts].astype(np.float64), found.legal[counts]
    if smoothing == "fit":
        smoothing = fitted_smoothing(logs, legal)
    elif smoothing is None:
        smoothing = 0.0 if hasattr(player, "think") else DOUBT
    result = action_prediction(
        log_probs=logs,
        legal_actions=legal,
        players=game.players,
        hits=found.hit[counts],
        games=np.nonzero(counts)[0],
        smoothing=smoothing,
        seed=seed,
    )
    return Prediction(result, smoothing)


def fitted_smoothing(log_probs: np.ndarray, legal: np.ndarray) -> float:
    """The share of uniform play with the least cross-entropy: one number, fitted to the decisions it is judged by."""
    told = np.exp(log_probs)

    def cost(share: float) -> float:
        return -float(np.log((1 - share) * told + share / legal).mean())

    found: Any = optimize.minimize_scalar(cost, bounds=(1e-6, 1 - 1e-6), method="bounded")
    return float(found.x)


def foresee_episodes(episodes: Episodes, player: Player, seed: int = 0) -> Foreseen:
    """What an agent expects at the decisions of games that were played here."""
    return foresee(episodes.game, player, episodes.starts, episodes.actions, episodes.lengths, seed)


def foresee(game: Game, player: Player, starts: Any, actions: Any, lengths: Any, seed: int = 0) -> Foreseen:
    """`starts`: states [games, ...]; `actions`: int [games, turns], of all seats [games, turns, seats] in a game where
    they act together; `lengths`: int [games]."""
    moves = np.asarray(actions, np.int32)
    if moves.ndim == 2:
        moves = np.repeat(moves[..., None], game.players, -1)
    lengths = np.asarray(lengths, np.int32)
    if not is_policy(player):
        return _Hosted(game, player, starts, moves, lengths).run()
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
            found = _walk(game, player, chunk, jnp.asarray(moves[rows]), jnp.asarray(lengths[rows]), keys)
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


def _ask(
    game: Game, policy: Any, seat: Array, state: Any, memory: Any, action: Array, key: Array
) -> tuple[Any, Foreseen]:
    """One seat of one game before one move: its memory after the look, and what it expected of itself."""
    view = game.view(state, seat)
    mine = game.turn(state)[seat]
    if hasattr(policy, "think"):
        after, logits = policy.think(memory, view)
        told = jax.nn.log_softmax(logits)
        likeliest = jnp.argmax(told)
    else:
        after, likeliest = policy.act(memory, view, key)
        told = jnp.where(jnp.arange(game.num_actions) == likeliest, 0.0, -jnp.inf)
    if policy.hears == "own":
        after = jax.tree.map(lambda new, old: jnp.where(mine, new, old), after, memory)
    legal = game.legal(view).sum(dtype=jnp.int32)
    return after, Foreseen(told[jnp.maximum(action, 0)].astype(jnp.float32), likeliest == action, legal, mine)


class _Hosted:
    """The same for a plain agent, which is asked on the host; a copy of it sits in every seat of every game."""

    def __init__(self, game: Game, player: Any, starts: Any, moves: np.ndarray, lengths: np.ndarray) -> None:
        self.game, self.player, self.moves, self.lengths = game, player, moves, lengths
        self.states = jax.tree.map(jnp.asarray, starts)
        shape = moves.shape
        self.found = Foreseen(
            np.full(shape, -np.inf, np.float32), np.zeros(shape, bool), np.ones(shape, np.int32), np.zeros(shape, bool)
        )
        self.copies = [[copy.deepcopy(player) for _ in range(game.players)] for _ in range(shape[0])]
        for copies in self.copies:
            for seat, one in enumerate(copies):
                one.reset(seat, game.players)

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
            one = self.copies[index][seat]
            if not mine[index]:
                one.watch(view)
                continue
            hit = int(one.act(view)) == self.moves[index, turn, seat]
            self.found.hit[index, turn, seat] = hit
            self.found.log_prob[index, turn, seat] = 0.0 if hit else -np.inf
            self.found.legal[index, turn, seat] = int(np.asarray(view.legal).sum())
            self.found.decides[index, turn, seat] = True


@eqx.filter_jit
def _to_move(game: Game, states: Any) -> Array:
    return jax.vmap(game.turn)(states)


@eqx.filter_jit
def _advance(game: Game, states: Any, joint: Array) -> Any:
    return jax.vmap(game.step)(states, joint).state
