"""Partners at their tables: who sits where, what they remember and what they do."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.player import Policy
from coplay.rollouts.restart import where_games
from coplay.rollouts.rollout import decide_one, start_memory
from coplay.train.learner.dealing import deal_again, deal_places, place_of
from coplay.train.learner.partners import Block, Opponents, Partners
from coplay.train.learner.rows import Layout

Array = jax.Array


class Seats(NamedTuple):
    """Who sits where in every game."""

    lead: Array  # int32 [games]: the learner's seat
    joined: Array  # bool [games, players - 1]: does the partner at this distance sit there, or the learner?
    memory: tuple[Any, ...]  # per block and distance the partners' memories
    advice: tuple[Any, ...] = ()  # per block the memory of an adviser
    opponents: tuple[tuple[Any, ...], ...] = ()  # per team and player of it their memories [games, seats, ...]
    # Per block whose partners are drawn: how far from the learner each sits, int32 [games, partners]; 0: it sits out.
    places: tuple[Any, ...] = ()


def seat_partners(game: Game, partners: Partners, layout: Layout, states: Any, key: Array) -> Seats:
    """The seats before the first game."""
    memory = []
    for block in partners.blocks:
        for policy in block.others:
            memory.append(None if policy is None else _unknowing(policy, block))
    games = jax.tree.leaves(states)[0].shape[0]
    return Seats(
        lead=_leads(game, layout, states, jnp.int32(0), games),
        joined=toss(game, partners, games, jnp.float32(0), key),
        memory=tuple(memory),
        advice=tuple(None if b.adviser is None else _unknowing(b.adviser, b) for b in partners.blocks),
        opponents=tuple(_memories(team, games // len(partners.opponents)) for team in partners.opponents),
        places=deal_places(partners, key),
    )


def _memories(team: Opponents, games: int) -> tuple[Any, ...]:
    """Of a team of the other side before so many games."""
    each = zip(team.players, team.places, strict=True)
    return tuple(start_memory(policy, games, len(places)) for policy, places in each)


def _met(column: Any, number: int, teams: int, players: int) -> Any:
    """Of [games, ...] those in which a team plays the other side: as many games in a row as there are seats, then the
    next team's, so that every team meets the learner in each of its seats."""
    return jax.tree.map(lambda leaf: _cut(leaf, teams, players)[:, number].reshape(-1, *leaf.shape[1:]), column)


def _put_met(column: Array, part: Array, number: int, teams: int, players: int) -> Array:
    """The inverse: `column` with `part` in the games that `_met` gives."""
    cut = _cut(column, teams, players)
    return cut.at[:, number].set(part.reshape(cut.shape[0], *cut.shape[2:])).reshape(column.shape)


def _cut(leaf: Array, teams: int, players: int) -> Array:
    return leaf.reshape(-1, teams, players, *leaf.shape[1:])


def _leads(game: Game, layout: Layout, states: Any, turn: Array, games: int) -> Array:
    """The learner's seat in games that begin with this turn."""
    if layout.kind != "slots":
        return jnp.arange(games, dtype=jnp.int32) % game.players
    each = games // (layout.cells * game.players)
    slot = jnp.broadcast_to(jnp.arange(game.players)[:, None], (layout.cells, game.players, each)).reshape(games)
    first = jnp.argmax(jax.vmap(game.turn)(states), axis=1)
    return ((first + slot - turn) % game.players).astype(jnp.int32)


def toss(game: Game, partners: Partners, games: int, turns: Array, key: Array) -> Array:
    """Which partners come to the next game: bool [games, players - 1]."""
    present = [jnp.zeros((0, game.players - 1), bool)]
    for block in partners.blocks:
        row = jnp.asarray(block.taken)
        present.append(jnp.broadcast_to(row, (block.games, row.size)))
    seated = jnp.concatenate(present)
    if not partners.blocks:
        seated = jnp.zeros((games, game.players - 1), bool)
    if partners.joining is not None:
        seated &= jax.random.uniform(key, seated.shape) < partners.joining(turns)
    if not partners.opponents:
        return seated
    there = np.array([bool(team.players) for team in partners.opponents])[_team_numbers(partners, game.players, games)]
    return jnp.where(there[:, None] & (np.arange(game.players - 1) % 2 == 0), True, seated)


def _team_numbers(partners: Partners, players: int, games: int) -> np.ndarray:
    """int [games]: which team plays the other side."""
    return np.arange(games) // players % len(partners.opponents)


def learner_seats(game: Game, seats: Seats) -> Array:
    """bool [games, players]: which seats the learner plays."""
    distance = (jnp.arange(game.players) - seats.lead[:, None]) % game.players
    stranger = jnp.concatenate([jnp.zeros((seats.lead.size, 1), bool), seats.joined], axis=1)
    return ~jnp.take_along_axis(stranger, distance, axis=1)


def partner_moves(
    game: Game, partners: Partners, layout: Layout, seats: Seats, states: Any, actions: Array, turn: Array, key: Array
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
            away, there = place_of(seats.joined[part], seats.places[number], place)
            seat = (seats.lead[part] + away) % game.players
            its_key = jax.random.fold_in(key, number * game.players + place)  # no two partners share their luck
            # Who hears own turns only is asked in the games where it is to move, if these are known beforehand.
            some = _EVERYWHERE
            if policy.hears == "own" and not block.drawn:
                some = dataclasses.replace(layout, cells=block.cells)
            asked = some.on_turn((seat, here, before), turn, later=-1 - place)
            keys = jax.random.split(its_key, asked[0].shape[0])
            after, chosen = _decide(game, policy, block.copies, *asked, keys=keys)
            memory.append(some.put_on_turn(before, after, turn, later=-1 - place))
            its = some.on_turn((actions[part], there), turn, later=-1 - place)
            mine = (jnp.arange(game.players) == asked[0][:, None]) & its[1][:, None]
            moved = jnp.where(mine, chosen[:, None], its[0])
            actions = actions.at[part].set(some.put_on_turn(actions[part], moved, turn, later=-1 - place))
    return _opponent_moves(game, partners, seats._replace(memory=tuple(memory)), states, actions, key)


def _opponent_moves(
    game: Game, partners: Partners, seats: Seats, states: Any, actions: Array, key: Array
) -> tuple[Seats, Array]:
    """The same of the other side's teams, whose players of one kind are asked at once."""
    memory: list[tuple[Any, ...]] = []
    where = (len(partners.opponents), game.players)
    for number, (team, before) in enumerate(zip(partners.opponents, seats.opponents, strict=True)):
        here, lead, moves = _met((states, seats.lead, actions), number, *where)
        after = []
        for kind, (policy, places, its) in enumerate(zip(team.players, team.places, before, strict=True)):
            its_key = jax.random.fold_in(key, (len(partners.blocks) + 1 + number) * game.players + kind)
            keys = jax.random.split(its_key, (lead.size, len(places)))
            seat = (lead[:, None] + jnp.asarray(places)) % game.players
            now, chosen = jax.vmap(partial(_at_one_table, game, policy))(here, seat, its, keys)
            after.append(now)
            moves = jax.vmap(lambda row, seat, chosen: row.at[seat].set(chosen))(moves, seat, chosen)
        memory.append(tuple(after))
        actions = _put_met(actions, moves, number, *where)
    return seats._replace(opponents=tuple(memory)), actions


def _at_one_table(
    game: Game, policy: Policy, state: Any, seats: Array, memories: Any, keys: Array
) -> tuple[Any, Array]:
    """The memories and actions of several players of one kind."""
    return jax.vmap(lambda seat, *its: decide_one(game, policy, seat, state, *its))(seats, memories, keys)


def advised(
    game: Game, partners: Partners, layout: Layout, seats: Seats, states: Any, turn: Array, key: Array
) -> tuple[Seats, Array]:
    """The advisers' memories after this turn, and what they would do in the learner's seat: int32 [games], -1 where
    there is none or another's turn is known to be."""
    memory: list[Any] = []
    moves = []
    begin = 0
    for number, (block, before) in enumerate(zip(partners.blocks, seats.advice, strict=True)):
        part = slice(begin, begin + block.games)
        begin += block.games
        nothing = jnp.full(block.games, -1, jnp.int32)
        if block.adviser is None:
            memory.append(None)
            moves.append(nothing)
            continue
        here = jax.tree.map(lambda leaf, part=part: leaf[part], states)
        some = dataclasses.replace(layout, cells=block.cells) if block.adviser.hears == "own" else _EVERYWHERE
        asked = some.on_turn((seats.lead[part], here, before), turn)
        keys = jax.random.split(jax.random.fold_in(key, number), asked[0].shape[0])
        after, chosen = _decide(game, block.adviser, block.copies, *asked, keys=keys)
        memory.append(some.put_on_turn(before, after, turn))
        moves.append(some.put_on_turn(nothing, chosen, turn))
    return seats._replace(advice=tuple(memory)), jnp.concatenate(moves)


_EVERYWHERE = Layout("seats", 0)


def begin_again(
    game: Game, partners: Partners, layout: Layout, seats: Seats, begun: Array, states: Any, turn: Array, key: Array
) -> Seats:
    """In the games that begin with this turn partners forget, the coins are tossed again, and the learner has a seat.

    Coins count the turns of all learners together.
    """
    if not partners.blocks and not partners.opponents:
        return seats
    joined = toss(game, partners, begun.size, turn.astype(jnp.float32) * begun.size, key)
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
                memory.append(where_games(begun[part], _unknowing(policy, block), old))
    return Seats(
        lead=jnp.where(begun, _leads(game, layout, states, turn, begun.size), seats.lead),
        joined=jnp.where(begun[:, None], joined, seats.joined),
        memory=tuple(memory),
        advice=_forgotten(partners, seats, begun),
        opponents=_forgotten_opponents(game, partners, seats, begun),
        places=deal_again(partners, seats.places, begun, key),
    )


def _forgotten_opponents(game: Game, partners: Partners, seats: Seats, begun: Array) -> tuple[tuple[Any, ...], ...]:
    """The same of the other side's teams."""
    found = []
    for number, (team, before) in enumerate(zip(partners.opponents, seats.opponents, strict=True)):
        new = _met(begun, number, len(partners.opponents), game.players)
        unknowing = _memories(team, new.size)
        found.append(tuple(where_games(new, *both) for both in zip(unknowing, before, strict=True)))
    return tuple(found)


def _forgotten(partners: Partners, seats: Seats, begun: Array) -> tuple[Any, ...]:
    """What advisers remember, nothing of games that have just begun."""
    found, begin = [], 0
    for block, old in zip(partners.blocks, seats.advice, strict=True):
        part = slice(begin, begin + block.games)
        begin += block.games
        new = None if block.adviser is None else where_games(begun[part], _unknowing(block.adviser, block), old)
        found.append(new)
    return tuple(found)


def _unknowing(policy: Policy, block: Block) -> Any:
    """Memories [games, ...] of a block before its games."""
    if not block.copies:
        return start_memory(policy, block.games)
    each = block.games // block.copies
    stacked = eqx.filter_vmap(lambda one: start_memory(one, each))(policy)
    return jax.tree.map(lambda leaf: leaf.reshape(block.games, *leaf.shape[2:]), stacked)


def _decide(
    game: Game, policy: Any, copies: int, seat: Array, states: Any, memory: Any, keys: Array
) -> tuple[Any, Array]:
    """One policy's memories and actions in some games of its block, the same number for each copy."""

    def many(policy: Policy, *batch: Any) -> tuple[Any, Array]:
        return jax.vmap(lambda *row: decide_one(game, policy, *row))(*batch)

    if not copies:
        return many(policy, seat, states, memory, keys)
    games = seat.shape[0]
    each = games // copies
    split = jax.tree.map(lambda leaf: leaf.reshape(copies, each, *leaf.shape[1:]), (seat, states, memory, keys))
    found = eqx.filter_vmap(many)(policy, *split)
    return jax.tree.map(lambda leaf: leaf.reshape(games, *leaf.shape[2:]), found)
