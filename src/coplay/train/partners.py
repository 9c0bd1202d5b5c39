"""Who sits in the other seats.

The games of a batch are cut into blocks; in each block fixed policies sit at fixed distances from the learner's seat,
so every policy runs on contiguous games and no weights are ever gathered per game. The learner's seat goes round with
the number of the game. A coin per game and seat, tossed when a game begins, may give a partner's seat to the learner
instead: that is how self-play is annealed away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.agents.agent import Policy
from coplay.games.game import Game
from coplay.play.restart import where_games
from coplay.play.rollout import decide_one, start_memory

Array = jax.Array


class Block(eqx.Module):
    """`games` games with the same partners."""

    others: tuple[Any, ...]  # Policy | None by distance from the learner's seat, 1 to players - 1; None: the learner
    games: int = eqx.field(static=True)
    copies: int = eqx.field(static=True, default=0)  # > 0: policies are stacks of so many, each with an equal share


class Partners(eqx.Module):
    """The blocks of one batch, in order."""

    blocks: tuple[Block, ...] = ()
    joining: Callable[[Array], Array] | None = eqx.field(static=True, default=None)  # turns of all learners -> P(sits)


class Seats(NamedTuple):
    """Who sits where in every game."""

    lead: Array  # int32 [games]: the learner's seat
    joined: Array  # bool [games, players - 1]: does the partner at this distance sit there, or the learner?
    memory: tuple[Any, ...]  # per block and distance the partners' memories


def seat_partners(game: Game, partners: Partners, games: int, key: Array) -> Seats:
    """The seats before the first game."""
    memory = []
    for block in partners.blocks:
        for policy in block.others:
            memory.append(None if policy is None else _fresh(policy, block))
    return Seats(
        lead=jnp.arange(games, dtype=jnp.int32) % game.players,
        joined=toss(game, partners, games, jnp.float32(0), key),
        memory=tuple(memory),
    )


def toss(game: Game, partners: Partners, games: int, turns: Array, key: Array) -> Array:
    """Which partners come to the next game: bool [games, players - 1]."""
    present = [jnp.zeros((0, game.players - 1), bool)]
    for block in partners.blocks:
        row = jnp.asarray([policy is not None for policy in block.others])
        present.append(jnp.broadcast_to(row, (block.games, row.size)))
    seated = jnp.concatenate(present)
    if not partners.blocks:
        seated = jnp.zeros((games, game.players - 1), bool)
    if partners.joining is None:
        return seated
    return seated & (jax.random.uniform(key, seated.shape) < partners.joining(turns))


def learner_seats(game: Game, seats: Seats) -> Array:
    """bool [games, players]: which seats the learner plays."""
    distance = (jnp.arange(game.players) - seats.lead[:, None]) % game.players
    stranger = jnp.concatenate([jnp.zeros((seats.lead.size, 1), bool), seats.joined], axis=1)
    return ~jnp.take_along_axis(stranger, distance, axis=1)


def partner_moves(
    game: Game, partners: Partners, seats: Seats, states: Any, actions: Array, key: Array
) -> tuple[Seats, Array]:
    """The partners' memories after this turn, and int32 [games, players] actions with their moves filled in."""
    memory: list[Any] = []
    begin = 0
    for number, block in enumerate(partners.blocks):
        part = slice(begin, begin + block.games)
        begin += block.games
        here = jax.tree.map(lambda leaf, part=part: leaf[part], states)
        for place, policy in enumerate(block.others):
            before = seats.memory[len(memory)]
            if policy is None:
                memory.append(None)
                continue
            seat = (seats.lead[part] + place + 1) % game.players
            its_key = jax.random.fold_in(key, number * game.players + place)  # no two partners share their luck
            after, chosen = _decide(game, policy, block, seat, here, before, jax.random.split(its_key, block.games))
            memory.append(after)
            mine = (jnp.arange(game.players) == seat[:, None]) & seats.joined[part, place, None]
            actions = actions.at[part].set(jnp.where(mine, chosen[:, None], actions[part]))
    return seats._replace(memory=tuple(memory)), actions


def begin_again(game: Game, partners: Partners, seats: Seats, begun: Array, turns: Array, key: Array) -> Seats:
    """In the games that have just begun partners forget and the coins are tossed again."""
    if not partners.blocks:
        return seats
    joined = toss(game, partners, begun.size, turns, key)
    memory: list[Any] = []
    begin = 0
    for block in partners.blocks:
        part = slice(begin, begin + block.games)
        begin += block.games
        for policy in block.others:
            old = seats.memory[len(memory)]
            if policy is None:
                memory.append(None)
            else:
                memory.append(where_games(begun[part], _fresh(policy, block), old))
    return seats._replace(joined=jnp.where(begun[:, None], joined, seats.joined), memory=tuple(memory))


def _fresh(policy: Policy, block: Block) -> Any:
    """Memories [games, ...] of a block before its games."""
    if not block.copies:
        return start_memory(policy, block.games)
    each = block.games // block.copies
    stacked = eqx.filter_vmap(lambda one: start_memory(one, each))(policy)
    return jax.tree.map(lambda leaf: leaf.reshape(block.games, *leaf.shape[2:]), stacked)


def _decide(
    game: Game, policy: Any, block: Block, seat: Array, states: Any, memory: Any, keys: Array
) -> tuple[Any, Array]:
    """One policy's memories and actions in the games of its block."""

    def many(policy: Policy, *batch: Any) -> tuple[Any, Array]:
        return jax.vmap(lambda *row: decide_one(game, policy, *row))(*batch)

    if not block.copies:
        return many(policy, seat, states, memory, keys)
    each = block.games // block.copies
    split = jax.tree.map(lambda leaf: leaf.reshape(block.copies, each, *leaf.shape[1:]), (seat, states, memory, keys))
    found = eqx.filter_vmap(many)(policy, *split)
    return jax.tree.map(lambda leaf: leaf.reshape(block.games, *leaf.shape[2:]), found)
