"""Endless play of a batch of games by the learner and its partners, a fixed number of turns at a time.

Several learners (seeds) play side by side: the batch holds the games of the first, then of the second, and so on.
Memories are carried from one rollout into the next and emptied where a game begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.agents.nets.network import Network
from coplay.agents.nets.policy import masked, observe
from coplay.games.game import Game, Step, Symmetry
from coplay.play.restart import finished, renew, where_games
from coplay.train.partners import Partners, Seats, begin_again, learner_seats, partner_moves, seat_partners
from coplay.train.rows import Rows, one_row_per_turn

Array = jax.Array
SHORT = 40  # turns: so many games of a short game end at once that all must be able to begin anew


class Stage(eqx.Module):
    """What does not change while a run goes on: the game, the partners, how the learner looks at it."""

    game: Game = eqx.field(static=True)  # as the network reads it
    partners: Partners
    learners: int = eqx.field(static=True, default=1)
    relabel: bool = eqx.field(static=True, default=False)  # each seat sees its own symmetry of the game
    dtype: Any = eqx.field(static=True, default=jnp.float32)
    record: tuple[str, ...] = eqx.field(static=True, default=())  # fields of the game's events that terms ask for


class Tables(NamedTuple):
    """The games in progress, [games, ...]."""

    states: Any
    carry: Any  # the learner's memories [games, players, ...]
    fresh: Array  # bool [games, players]: the game began after this memory's last row
    labels: Array  # int32 [games, players]: the symmetry each seat looks through
    seats: Seats
    turn: Array  # int32: turns played so far; memory number turn % players belongs to the seat to move
    key: Array


class Finished(NamedTuple):
    """Games that came to their end during a rollout, per learner."""

    games: Array  # float32 [learners]
    score: Array  # float32 [learners]: sum


def open_tables(stage: Stage, networks: Network, games: int, key: Array) -> Tables:
    """`games` games per learner at their start; `networks` are stacked [learners, ...]."""
    game = stage.game
    count = games * stage.learners
    key, deal, label, seat = jax.random.split(key, 4)
    start = jax.tree.map(lambda leaf: leaf[0], eqx.filter_vmap(lambda network: network.start())(networks))
    return Tables(
        states=jax.vmap(game.reset)(jax.random.split(deal, count)),
        carry=jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, game.players, *leaf.shape)), start),
        fresh=jnp.ones((count, game.players), bool),
        labels=_draw_labels(stage, label, count),
        seats=seat_partners(game, stage.partners, count, seat),
        turn=jnp.int32(0),
        key=key,
    )


def collect(stage: Stage, networks: Network, tables: Tables, turns: int) -> tuple[Tables, Rows, Array, Array, Finished]:
    """Plays so many turns: (tables, rows, value after the last turn, does the learner move next, finished games)."""

    def one_turn(tables: Tables, _: None) -> tuple[Tables, tuple[Rows, Array, Array]]:
        return _turn(stage, networks, tables)

    tables, (rows, over, scores) = jax.lax.scan(one_turn, tables, None, length=turns)
    last = _look(stage, networks, tables)

    def per_learner(column: Array) -> Array:
        return column.reshape(turns, stage.learners, -1).astype(jnp.float32).sum((0, 2))

    done = Finished(per_learner(over), per_learner(jnp.where(over, scores, 0)))
    return tables, rows, last.value, last.learns, done


class _Look(NamedTuple):
    """What the learner makes of a turn; [games, rows, ...]."""

    seat: Array
    carry: Any
    observation: Array
    everything: Array
    legal: Array
    logits: Array
    value: Array
    learns: Array
    waits: Array
    symmetry: Symmetry | None


def _look(stage: Stage, networks: Network, tables: Tables) -> _Look:
    game = stage.game
    design = networks.design
    turn = jax.vmap(game.turn)(tables.states)
    count = turn.shape[0]
    single = one_row_per_turn(game, design)
    seat = jnp.argmax(turn, axis=1)[:, None] if single else jnp.broadcast_to(jnp.arange(game.players), turn.shape)
    views = jax.vmap(jax.vmap(game.view, (None, 0)))(tables.states, seat)
    observation = jax.vmap(jax.vmap(lambda view: observe(game, view)))(views)
    legal = jax.vmap(jax.vmap(game.legal))(views)
    everything = _everything(stage, design.critic_inputs, tables.states, seat)
    symmetry = None
    if stage.relabel:
        symmetry = _through(game, jnp.take_along_axis(tables.labels, seat, axis=1))
        flat = observation.reshape(*seat.shape, -1)
        observation = jnp.take_along_axis(flat, symmetry.bits, axis=2).reshape(observation.shape)
        legal = jnp.take_along_axis(legal, symmetry.actions, axis=2)
    slot = tables.turn % game.players
    carry = tables.carry
    if single:
        carry = jax.tree.map(lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, slot, 1, 1), carry)
    after, logits, value = _think(stage, networks, carry, observation, everything)
    if single:
        after = jax.tree.map(
            lambda leaf, new: jax.lax.dynamic_update_slice_in_dim(leaf, new.astype(leaf.dtype), slot, 1),
            *(tables.carry, after),
        )
    mine = jnp.take_along_axis(learner_seats(game, tables.seats), seat, axis=1)
    to_move = jnp.take_along_axis(turn, seat, axis=1)
    waits = jnp.broadcast_to(~turn.any(1, keepdims=True), (count, seat.shape[1]))
    return _Look(seat, after, observation, everything, legal, logits, value, mine & to_move, waits, symmetry)


def _think(stage: Stage, networks: Network, *columns: Any) -> tuple[Any, Array, Array]:
    """Every learner's network on its own games: (memories, logits, values)."""

    def one(network: Network, carry: Any, observation: Array, everything: Array) -> tuple[Any, Array, Array]:
        after, features = network.step(carry, observation, stage.dtype)
        return after, *network.heads(features, everything, stage.dtype)

    apart = jax.tree.map(lambda leaf: split_axis(leaf, 0, stage.learners), columns)
    found = eqx.filter_vmap(one)(networks, *apart)
    return jax.tree.map(lambda leaf: leaf.reshape(leaf.shape[0] * leaf.shape[1], *leaf.shape[2:]), found)


def split_axis(leaf: Array, axis: int, parts: int) -> Array:
    """Cuts one axis into [parts, rest]."""
    return leaf.reshape(*leaf.shape[:axis], parts, leaf.shape[axis] // parts, *leaf.shape[axis + 1 :])


def _everything(stage: Stage, size: int, states: Any, seat: Array) -> Array:
    """All views, the row's own first, uint8 [games, rows, size]; nothing where the critic does not see them."""
    game = stage.game
    if size == 0:
        return jnp.zeros((*seat.shape, 0), jnp.uint8)

    def of_seat(state: Any, seat: Array) -> Array:
        around = (seat + jnp.arange(game.players)) % game.players
        return jax.vmap(lambda s: observe(game, game.view(state, s)))(around).reshape(-1)

    return jax.vmap(jax.vmap(of_seat, (None, 0)))(states, seat)


def _turn(stage: Stage, networks: Network, tables: Tables) -> tuple[Tables, tuple[Rows, Array, Array]]:
    game = stage.game
    key, draw, partner_key, deal, label, coin = jax.random.split(tables.key, 6)
    look = _look(stage, networks, tables)
    logits = masked(look.logits, look.legal)
    chosen = jax.random.categorical(draw, logits)
    log_prob = jnp.take_along_axis(jax.nn.log_softmax(logits), chosen[..., None], axis=-1)[..., 0]
    meant = chosen
    if look.symmetry is not None:
        meant = jnp.take_along_axis(look.symmetry.actions, chosen[..., None], axis=-1)[..., 0]
    actions = jnp.broadcast_to(meant, (chosen.shape[0], game.players)).astype(jnp.int32)
    seats, actions = partner_moves(game, stage.partners, tables.seats, tables.states, actions, partner_key)
    step: Step = jax.vmap(game.step)(tables.states, actions)
    over = step.done & ~look.waits[:, 0]
    due = look.waits[:, 0] if game.truncates else finished(game, step.state)
    room = due.size if game.max_steps < SHORT else None
    states, begun = renew(game, step.state, due, deal, room)
    turns = tables.turn.astype(jnp.float32) * chosen.shape[0]
    slot = tables.turn % game.players
    single = look.seat.shape[1] == 1
    rows = Rows(
        observation=look.observation,
        everything=look.everything,
        legal=look.legal,
        action=chosen,
        log_prob=log_prob,
        value=look.value,
        learns=look.learns,
        waits=look.waits,
        fresh=jax.lax.dynamic_slice_in_dim(tables.fresh, slot, 1, 1) if single else tables.fresh,
        reward=jnp.broadcast_to(step.reward[:, None], chosen.shape),
        ends=jnp.broadcast_to((over & (not game.truncates))[:, None], chosen.shape),
        extra={name: getattr(step.events, name) for name in stage.record},
    )
    carry = where_games(begun, jax.tree.map(jnp.zeros_like, look.carry), look.carry)  # a memory starts from zeros
    seen = jnp.arange(game.players) == slot if single else jnp.ones(game.players, bool)
    after = Tables(
        states=states,
        carry=carry,
        fresh=(tables.fresh & ~seen) | begun[:, None],
        labels=jnp.where(begun[:, None], _draw_labels(stage, label, begun.size), tables.labels),
        seats=begin_again(game, stage.partners, seats, begun, turns, coin),
        turn=tables.turn + 1,
        key=key,
    )
    return after, (rows, over, jax.vmap(game.score)(step.state))


def _through(game: Game, labels: Array) -> Symmetry:
    """The tables of the symmetries of these numbers."""
    every = jax.vmap(lambda index: game.symmetries[index])(jnp.arange(len(game.symmetries)))
    return Symmetry(every.bits[labels], every.actions[labels])


def _draw_labels(stage: Stage, key: Array, games: int) -> Array:
    shape = (games, stage.game.players)
    if not stage.relabel:
        return jnp.zeros(shape, jnp.int32)
    return jax.random.randint(key, shape, 0, len(stage.game.symmetries))


def forget_blind_tail(rows: Rows, next_learns: Array) -> Rows:
    """The learner's last decision has no estimate if a partner moves next: what follows is not yet known.

    Its own value still serves the decision before it, so it stays as a row that waits.
    """

    def back(blind: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        decides, ends = now
        blind = blind & ~ends
        return blind & ~decides, blind & decides

    decides, ends = rows.learns.any(2), rows.ends.any(2)
    _, lost = jax.lax.scan(back, ~next_learns.any(1), (decides, ends), reverse=True)
    return rows._replace(learns=rows.learns & ~lost[..., None], waits=rows.waits | (lost[..., None] & rows.learns))
