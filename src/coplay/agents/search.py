"""Search on top of any policy, its blueprint: before a move, look one move ahead in worlds that agree with the game.

`search:pool:hanabi-2p-ippo-0?worlds=64` plays by the blueprint unless another move is better (SPARTA, Lerer et al.
2020, for one searching player). At its turn it

1. guesses what it cannot see `guesses` times, as likely as plain facts make it;
2. follows every guess back through the game: how likely were the others' moves, had they played by the blueprint?
   They slip now and then (`slips`), so that one odd move does not rule out everything;
3. draws `worlds` worlds from what is left, makes each legal move in each of them and lets all play on by the blueprint;
4. makes the best move, if it is better than the blueprint's by `margin` standard errors; else the blueprint's.

It sees views only, as everybody. `worlds` is its budget: a move costs about worlds x legal moves whole games. A partner
who searches too plays other moves than the blueprint; `slips` is what makes up for that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.faces import Retraced, faces_of
from coplay.game import Game
from coplay.player import Agent, AgentError, OneView, Policy, unnamed

Array = jax.Array
NEVER = -1e9


class Budget(NamedTuple):
    """How much is looked at before a move."""

    worlds: int
    guesses: int
    slips: float
    margin: float


def load_search(
    place: str, game: Game, worlds: int = 32, guesses: int = 512, slips: float = 0.02, margin: float = 1.0
) -> Search:
    """`search:BLUEPRINT`: the blueprint is the spec of any policy."""
    from coplay.agents.spec import agent

    blueprint = agent(place, game)
    if not isinstance(blueprint, Policy):
        raise AgentError(f"search:{place}: {place} is a plain agent; search needs a policy that it can play on with.")
    if not isinstance(faces_of(game).belief, Retraced):
        raise AgentError(
            f"search:{place}: {game.name} cannot say what a seat does not see; "
            "give the game's face `belief` the methods of coplay.faces.Retraced."
        )
    for name, value, least in (("worlds", worlds, 2), ("guesses", guesses, 1)):
        if value < least:
            raise AgentError(f"search:{place}: {name}={value}; take at least {least}.")
    if not 0 < slips < 1 or margin < 0:
        raise AgentError(
            f"search:{place}: slips={slips}, margin={margin}; slips is between 0 and 1, margin not below 0."
        )
    return Search(game, blueprint, f"search:{place}", Budget(worlds, guesses, slips, margin))


class Search(Agent):
    """Answers for all its games at once; remembers every view."""

    hears = "every"

    def __init__(self, game: Game, blueprint: Policy, name: str, budget: Budget) -> None:
        self.game, self.blueprint, self.name, self.budget = game, blueprint, name, budget

    def reset_batch(self, seat: int, players: int, seeds: np.ndarray) -> None:
        self._seat, self._views, self._count = seat, None, np.zeros(len(seeds), np.int32)
        self._keys = np.asarray(jax.vmap(lambda seed: jax.random.key_data(jax.random.key(seed)))(np.uint32(seeds)))

    def watch(self, view: Any) -> None:
        self.watch_batch(OneView(view))

    def watch_batch(self, views: Any) -> None:
        """Notes what is seen."""
        whole, rows = views.whole(), np.asarray(views.games)
        if self._views is None:
            shape = (len(self._count), self.game.max_steps + 1)
            self._views = jax.tree.map(lambda leaf: np.zeros((*shape, *leaf.shape[1:]), leaf.dtype), whole)
        for column, seen in zip(jax.tree.leaves(self._views), jax.tree.leaves(whole), strict=True):
            column[rows, self._count[rows]] = seen
        self._count[rows] += 1

    def act_batch(self, views: Any) -> np.ndarray:
        self.watch_batch(views)
        rows = np.asarray(views.games)
        # A power of two, so that few numbers of games are compiled; the rest repeats the first.
        filled = np.concatenate([rows, np.full(_power(len(rows)) - len(rows), rows[0])])
        seen = jax.tree.map(lambda column: column[filled], self._views)
        keys = jax.vmap(jax.random.wrap_key_data)(jnp.asarray(self._keys[filled]))
        chosen = _choose(self.game, unnamed(self.blueprint), self.budget, seen, jnp.asarray(self._count[filled]), keys)
        return np.asarray(chosen)[: len(rows)]


def _power(number: int) -> int:
    return 1 << (number - 1).bit_length()


@eqx.filter_jit
def _choose(game: Game, policy: Policy, budget: Budget, views: Any, count: Array, keys: Array) -> Array:
    """int32 [games]"""
    return jax.vmap(lambda views, count, key: _choose_one(game, policy, budget, views, count, key))(views, count, keys)


def _choose_one(game: Game, policy: Policy, budget: Budget, views: Any, count: Array, key: Array) -> Array:
    face: Any = faces_of(game).belief
    guess_key, trace_key, draw_key, play_key = jax.random.split(jax.random.fold_in(key, count), 4)
    now = _at(views, count - 1)
    facts = face.facts_in(game, now)
    guesses = jax.vmap(lambda key: face.draw_hand(facts, key))(jax.random.split(guess_key, budget.guesses))
    weights, memories, plan = jax.vmap(
        lambda values, key: _trace(game, policy, face, budget.slips, views, count, values, key)
    )(guesses, jax.random.split(trace_key, budget.guesses))
    drawn = jax.random.categorical(draw_key, weights, shape=(budget.worlds,))
    values, memories = jax.tree.map(lambda leaf: leaf[drawn], (guesses, memories))
    keys = jax.random.split(play_key, budget.worlds)
    worlds = jax.vmap(lambda values, key: face.world(game, now, values, key))(values, keys)
    legal = game.legal(now)
    scores = jax.vmap(
        lambda action: jax.vmap(lambda *world: _outcome(game, policy, action, *world))(worlds, memories, keys)
    )(jnp.arange(game.num_actions))  # [actions, worlds]
    usual = plan[0]  # the own view is the same in all worlds
    gain = scores - scores[usual]
    mean, error = gain.mean(1), gain.std(1) / jnp.sqrt(budget.worlds - 1.0)
    better = legal & (mean > budget.margin * error) & (mean > 0)
    best = jnp.argmax(jnp.where(better, mean, NEVER))
    return jnp.where(better.any(), best, usual).astype(jnp.int32)


def _trace(
    game: Game, policy: Policy, face: Any, slips: float, views: Any, count: Array, values: Array, key: Array
) -> tuple[Array, Any, Array]:
    """Of one guess: (log likelihood of the others' moves, the memories of all seats now, the own planned move)."""
    before = face.earlier(game, views, count, values)
    start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (game.players, *jnp.shape(leaf))), policy.start())

    def one(turn: Array, now: tuple[Array, Any, Array]) -> tuple[Array, Any, Array]:
        total, memories, _ = now
        world_key, act_key = jax.random.split(jax.random.fold_in(key, turn))
        view, following = _at(views, turn), _at(views, turn + 1)
        state = face.world(game, view, before[turn], world_key)
        mover = jnp.argmax(game.turn(state))
        memories, likely = _listened(game, policy, memories, state, mover, act_key)
        made, _ = face.latest(following)
        chance = jnp.log((1 - slips) * likely[made] + slips / game.num_actions)
        past = (turn + 1 < count) & (mover != view.seat)
        return total + jnp.where(past, chance, 0), memories, jnp.argmax(likely).astype(jnp.int32)

    return jax.lax.fori_loop(0, count, one, (jnp.float32(0), start, jnp.int32(0)))


def _at(views: Any, turn: Array) -> Any:
    return jax.tree.map(lambda leaf: leaf[turn], views)


def _listened(game: Game, policy: Policy, memories: Any, state: Any, mover: Array, key: Array) -> tuple[Any, Array]:
    """All memories after a turn, and how likely the mover's actions are by the policy, float32 [actions]."""
    if policy.hears == "every":
        seats = jnp.arange(game.players)
        after, chances = jax.vmap(lambda memory, seat: _says(policy, memory, game.view(state, seat), key, game))(
            memories, seats
        )
        return after, chances[mover]
    mine = jax.tree.map(lambda leaf: leaf[mover], memories)
    after, chances = _says(policy, mine, game.view(state, mover), key, game)
    return jax.tree.map(lambda every, new: every.at[mover].set(new), memories, after), chances


def _says(policy: Any, memory: Any, view: Any, key: Array, game: Game) -> tuple[Any, Array]:
    """The memory after a view, and how likely each action is."""
    if hasattr(policy, "think") and not getattr(policy, "greedy", True):
        memory, logits = policy.think(memory, view)
        return memory, jax.nn.softmax(logits)
    memory, action = policy.act(memory, view, key)
    return memory, jax.nn.one_hot(action, game.num_actions)


def _outcome(game: Game, policy: Policy, action: Array, state: Any, memories: Any, key: Array) -> Array:
    """The score if this action is made now and everybody plays on by the policy."""

    def one(now: tuple[Array, Any, Any]) -> tuple[Array, Any, Any]:
        turn, state, memories = now
        mover = jnp.argmax(game.turn(state))
        memories, likely = _listened(game, policy, memories, state, mover, jax.random.fold_in(key, turn))
        # The worlds of all actions draw alike, so that their differences are of the actions alone.
        move = jax.random.categorical(jax.random.fold_in(key, turn), jnp.log(likely + 1e-9))
        return turn + 1, game.step(state, jnp.full(game.players, move)).state, memories

    first = game.step(state, jnp.full(game.players, action)).state
    goes_on = lambda now: game.turn(now[1]).any() & (now[0] < game.max_steps)  # noqa: E731
    _, state, _ = jax.lax.while_loop(goes_on, one, (jnp.int32(0), first, memories))
    return game.score(state).astype(jnp.float32)
