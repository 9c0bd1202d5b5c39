"""Teams of pure policies: all games of a chunk in one compiled loop."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.faces import faces_of
from coplay.game import Game
from coplay.player import Policy, unnamed

Array = jax.Array


class PlayedArrays(NamedTuple):
    """Arrays of finished games, batch first."""

    actions: Array  # int16 [games, max_steps, players]; -1 where the seat was not to move
    lengths: Array  # int32 [games]
    scores: Array  # float32 [games]
    illegal_turn: Array  # int32 [games]: turn of an illegal action, or -1
    illegal_seat: Array  # int32 [games]
    illegal_action: Array  # int32 [games]
    facts: dict[str, Array]  # [games]: what the ends tell besides the score
    endless: Array  # bool [games]: it was still going on after the most steps that its game can have


def decide(game: Game, policy: Policy, seat: Array | int, states: Any, memory: Any, keys: Array) -> tuple[Any, Array]:
    """One policy's memories and actions in one seat of a batch of games."""

    return jax.vmap(lambda state, memory, key: decide_one(game, policy, seat, state, memory, key))(states, memory, keys)


def decide_one(game: Game, policy: Policy, seat: Array | int, state: Any, memory: Any, key: Array) -> tuple[Any, Array]:
    """A policy's memory and action in one seat of one game; a memory of own turns stands still on the others'."""
    after, action = policy.act(memory, game.view(state, seat), key)
    if policy.hears == "own":
        mine = game.turn(state)[seat]
        after = jax.tree.map(lambda new, old: jnp.where(mine, new, old), after, memory)
    return after, jnp.asarray(action, jnp.int32)


def start_memory(policy: Policy, *batch: int) -> Any:
    """Fresh memories for a batch of any shape."""
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (*batch, *jnp.shape(leaf))), policy.start())


def turn_keys(keys: Array, turn: Array | int, seat: Array | int, players: int) -> Array:
    """The keys of one seat at one turn, one per game: the same however the games are run."""
    return jax.vmap(jax.random.fold_in, (0, None))(keys, turn * players + seat)


class _Loop(NamedTuple):
    turn: Array
    states: Any
    memories: tuple[Any, ...]
    live: Array
    played: PlayedArrays


class _Group(NamedTuple):
    """A policy and the seats it takes: compiled once, run for all of them together."""

    policy: Policy
    seats: tuple[int, ...]


def rollout(game: Game, team: tuple[Policy, ...], states: Any, keys: Array) -> PlayedArrays:
    """Plays a batch of games to their ends."""
    members = {id(policy): policy for policy in team}
    groups = [
        _Group(unnamed(policy), tuple(seat for seat, other in enumerate(team) if other is policy))
        for policy in members.values()
    ]
    return _rollout(game, tuple(groups), states, keys)


@eqx.filter_jit
def _rollout(game: Game, groups: tuple[_Group, ...], states: Any, keys: Array) -> PlayedArrays:
    games = keys.shape[0]
    none = jnp.full(games, -1, jnp.int32)
    empty = PlayedArrays(
        actions=jnp.full((games, game.max_steps, game.players), -1, jnp.int16),
        lengths=jnp.zeros(games, jnp.int32),
        scores=jnp.zeros(games, jnp.float32),
        illegal_turn=none,
        illegal_seat=none,
        illegal_action=none,
        facts={},
        endless=jnp.zeros(games, bool),
    )
    memories = tuple(start_memory(group.policy, len(group.seats), games) for group in groups)
    begin = _Loop(jnp.int32(0), states, memories, jnp.ones(games, bool), empty)
    goes_on = lambda loop: loop.live.any() & (loop.turn < game.max_steps)  # noqa: E731
    end = jax.lax.while_loop(goes_on, partial(_turn, game, groups, keys), begin)
    scores = jnp.where(end.played.illegal_turn >= 0, 0, jax.vmap(game.score)(end.states))
    facts = jax.vmap(lambda state: faces_of(game).facts(game, state))(end.states)
    return end.played._replace(scores=scores.astype(jnp.float32), facts=facts, endless=end.live)


def _decide_all(game: Game, groups: tuple[_Group, ...], keys: Array, loop: _Loop) -> tuple[tuple[Any, ...], Array]:
    """The memories of every group [seats, games, ...] and the actions of every seat, int32 [games, players]."""
    memories, by_seat = [], {}
    for group, memory in zip(groups, loop.memories, strict=True):

        def one_seat(seat_and_memory: tuple[Array, Any], policy: Policy = group.policy) -> tuple[Any, Array]:
            seat, memory = seat_and_memory
            seat_keys = turn_keys(keys, loop.turn, seat, game.players)
            return decide(game, policy, seat, loop.states, memory, seat_keys)

        # A loop, not a batch: it compiles in half the time, because a decision is not repeated in all that uses it.
        after, actions = jax.lax.map(one_seat, (jnp.asarray(group.seats), memory))
        memories.append(after)
        by_seat |= {seat: actions[place] for place, seat in enumerate(group.seats)}
    return tuple(memories), jnp.stack([by_seat[seat] for seat in range(game.players)], axis=1)


def _turn(game: Game, groups: tuple[_Group, ...], keys: Array, loop: _Loop) -> _Loop:
    """One step of every live game."""
    memories, actions = _decide_all(game, groups, keys, loop)
    to_move = jax.vmap(game.turn)(loop.states) & loop.live[:, None]
    step = jax.vmap(game.step)(loop.states, actions)
    illegal = step.events.illegal & to_move
    broken = illegal.any(1)
    culprit = jnp.argmax(illegal, axis=1)
    recorded = jnp.where(to_move & ~broken[:, None], actions, -1).astype(jnp.int16)
    played = loop.played
    played = played._replace(
        actions=jax.lax.dynamic_update_index_in_dim(played.actions, recorded, loop.turn, 1),
        lengths=played.lengths + (loop.live & ~broken),
        illegal_turn=jnp.where(broken, loop.turn, played.illegal_turn),
        illegal_seat=jnp.where(broken, culprit, played.illegal_seat),
        illegal_action=jnp.where(broken, actions[jnp.arange(broken.size), culprit], played.illegal_action),
    )
    live = loop.live & ~broken & ~step.done
    return _Loop(loop.turn + 1, step.state, memories, live, played)
