"""A table of games at which one seat waits to be told what to do: one compiled call per decision of that seat.

The other seats are policies, the same ones in all games of a table. A call plays your action, and what the others do
until you are to move again or the game is over. Every game has its own seat for you, its own keys and its own turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game
from coplay.player import Policy
from coplay.rollouts.restart import where_games
from coplay.rollouts.rollout import decide_one, start_memory

Array = jax.Array
Players = tuple[Any, ...]  # policies


class Tables(NamedTuple):
    """Running games; everything has a leading axis of games."""

    states: Any
    memories: tuple[Any, ...]  # of the first, second, … seat after yours
    seat: Array  # int32: yours
    turn: Array  # int32: steps so far
    act: Array  # uint32: of the players' draws


class Seen(NamedTuple):
    """What your seat is told, [games, ...]."""

    vector: Array
    legal: Array
    reward: Array
    shaped: Array
    done: Array
    illegal: Array  # your action was refused
    broken: Array  # a partner's was
    score: Array


@eqx.filter_jit
def begin(game: Game, players: Players, seat: Any, start: Any, act: Any) -> tuple[Tables, Seen]:
    """Fresh games, in which the others have moved until it is your turn."""
    states = jax.vmap(lambda number: game.reset(jax.random.key(number)))(start)
    memories = tuple(start_memory(player, seat.shape[0]) for player in players)
    tables = Tables(states, memories, seat, jnp.zeros_like(seat), act)
    return _until_yours(game, players, tables, _nothing(game, tables), jnp.zeros_like(seat), jnp.bool_(False))


@eqx.filter_jit
def move(game: Game, players: Players, tables: Tables, actions: Any) -> tuple[Tables, Seen]:
    """Plays your actions, int32 [games], and what follows; a refused one changes nothing and ends its game."""
    seen = _nothing(game, tables)
    legal = jax.vmap(game.legal)(_views(game, tables))
    inside = (actions >= 0) & (actions < game.num_actions)
    chosen = jnp.where(inside, actions, 0)
    refused = ~(inside & jnp.take_along_axis(legal, chosen[:, None], 1)[:, 0]) & ~seen.done
    seen = seen._replace(illegal=refused, done=seen.done | refused)
    return _until_yours(game, players, tables, seen, chosen, jnp.bool_(True))


@eqx.filter_jit
def choose(chosen: Any, new: Any, old: Any) -> Any:
    """`new` in the chosen games, `old` in the others."""
    return where_games(chosen, new, old)


def _nothing(game: Game, tables: Tables) -> Seen:
    """Before anything happened."""
    zero = jnp.zeros(tables.seat.shape, jnp.float32)
    over = ~jax.vmap(game.turn)(tables.states).any(-1)
    false = jnp.zeros_like(over)
    return Seen(zero, zero, zero, zero, over, false, false, zero)  # the first two are looked up in the end


def _until_yours(
    game: Game, players: Players, tables: Tables, seen: Seen, mine: Array, acts: Array
) -> tuple[Tables, Seen]:
    """With `mine` [games] first, if you act; then the others move on; then what your seat sees.

    Both in one loop, so that a step of the game and the partners' decisions are compiled once.
    """

    def moving(loop: tuple[Tables, Seen, Array]) -> Array:
        tables, seen, acts = loop
        return ~seen.done & (acts | ~_yours(game, tables))

    def step(loop: tuple[Tables, Seen, Array]) -> tuple[Tables, Seen, Array]:
        return *_step(game, players, loop[0], loop[1], mine, moving(loop)), jnp.bool_(False)

    tables, seen, _ = jax.lax.while_loop(lambda loop: moving(loop).any(), step, (tables, seen, acts))
    views = _views(game, tables)
    vector, legal = jax.vmap(game.encode)(views), jax.vmap(game.legal)(views)
    score = jax.vmap(game.score)(tables.states).astype(jnp.float32)
    return tables, seen._replace(vector=vector, legal=legal, score=score)


def _yours(game: Game, tables: Tables) -> Array:
    """bool [games]: are you to move?"""
    return jnp.take_along_axis(jax.vmap(game.turn)(tables.states), tables.seat[:, None], 1)[:, 0]


def _views(game: Game, tables: Tables) -> Any:
    return jax.vmap(game.view)(tables.states, tables.seat)


def _step(game: Game, players: Players, tables: Tables, seen: Seen, mine: Array, moving: Array) -> tuple[Tables, Seen]:
    """One step of the games that are `moving`, with `mine` [games] in your seat, which counts where you are to move."""
    games = jnp.arange(tables.seat.shape[0])
    actions = jnp.zeros((games.size, game.players), jnp.int32).at[games, tables.seat].set(mine)
    memories = []
    for place, (player, memory) in enumerate(zip(players, tables.memories, strict=True)):
        seat = (tables.seat + 1 + place) % game.players
        after, action = jax.vmap(_decide, (None, None, 0, 0, 0, 0, 0))(
            game, player, tables.states, memory, seat, tables.turn, tables.act
        )
        actions = actions.at[games, seat].set(action)
        memories.append(where_games(moving, after, memory))
    step = jax.vmap(game.step)(tables.states, actions)
    illegal = step.events.illegal & jax.vmap(game.turn)(tables.states) & moving[:, None]
    states = where_games(moving, step.state, tables.states)
    shaped = getattr(step.events, "shaped", None)
    own = jnp.zeros_like(seen.shaped) if shaped is None else shaped[games, tables.seat].astype(jnp.float32)
    seen = seen._replace(
        reward=seen.reward + jnp.where(moving, step.reward, 0).astype(jnp.float32),
        shaped=seen.shaped + jnp.where(moving, own, 0),
        done=seen.done | (moving & (step.done | illegal.any(1))),
        broken=seen.broken | illegal.any(1),
    )
    return tables._replace(states=states, memories=tuple(memories), turn=tables.turn + moving), seen


def _decide(game: Game, player: Policy, state: Any, memory: Any, seat: Array, turn: Array, act: Array) -> Any:
    """As in a rollout: the keys of one seat at one turn."""
    key = jax.random.fold_in(jax.random.key(act), turn * game.players + seat)
    return decide_one(game, player, seat, state, memory, key)
