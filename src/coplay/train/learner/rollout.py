"""Endless play of a batch of games by the learner and its partners, a fixed number of turns at a time.

Several learners (seeds) play side by side: the batch holds the games of the first, then of the second, and so on.
Memories are carried from one rollout into the next and emptied where a game begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game, Step, Symmetry
from coplay.nets.network import Network
from coplay.nets.policy import allowed, masked, observe
from coplay.rollouts.restart import finished, renew
from coplay.sides import sides_of, sign_of
from coplay.train.learner.partners import Partners
from coplay.train.learner.rows import Flow, Layout, Rows
from coplay.train.learner.seating import advised, begin_again, learner_seats, partner_moves
from coplay.train.learner.stage import Deciding, Recorder, Stage, Tables, draw_labels

Array = jax.Array
SHORT = 40  # turns: so many games of a short game end at once that all must be able to begin anew


class Finished(NamedTuple):
    """Games that came to their end during a rollout."""

    games: Array  # float32 [learners]
    score: Array  # float32 [learners]: sum
    games_with: Array  # float32 [cells]: among each partner; [0] where partners do not cut the games equally
    score_with: Array  # float32 [cells]: sum


class Rollout(NamedTuple):
    """What a rollout leaves behind."""

    rows: Rows
    flow: Flow
    memory: Any  # the learner's before each stretch of the rollout [stretches, groups, memories, ...]
    last_value: Array  # float32 [groups, rows]: of the turn after the last
    next_learns: Array  # bool [groups, rows]: does the learner decide there?


def collect(
    stage: Stage, networks: Network, tables: Tables, turns: int, cast: Network | None = None, stretch: int = 0
) -> tuple[Tables, Rollout, Finished]:
    """Plays so many turns, which are whole rounds, in stretches of so many (0: in one)."""
    layout = stage.layout(networks.design)
    partners = stage.seated(networks, cast)
    stretch = stretch or turns

    def one_turn(tables: Tables, _: None) -> tuple[Tables, tuple[Rows, Flow, Array, Array]]:
        return _turn(stage, layout, partners, networks, tables)

    def one_stretch(tables: Tables, _: None) -> tuple[Tables, tuple[Any, Any]]:
        after, found = jax.lax.scan(one_turn, tables, None, length=stretch)
        return after, (tables.carry, found)

    tables, (memory, found) = jax.lax.scan(one_stretch, tables, None, length=turns // stretch)
    rows, flow, over, scores = jax.tree.map(lambda leaf: leaf.reshape(turns, *leaf.shape[2:]), found)
    last = _look(stage, layout, networks, tables)

    def added(column: Array, parts: int) -> Array:
        return split_axis(column, 1, parts).astype(jnp.float32).sum((0, 2)) if parts else jnp.zeros(0)

    cells = partners.cells[0] if partners.cells else 0
    points = jnp.where(over, scores, 0)
    done = Finished(*(added(column, parts) for parts in (stage.learners, cells) for column in (over, points)))
    return tables, Rollout(_weighed(partners, rows), flow, memory, last.value, last.learns), done


def _weighed(partners: Partners, rows: Rows) -> Rows:
    """With what decisions weigh among each of the partners."""
    if partners.weights is None:
        return rows
    weights = partners.weights
    each = jnp.repeat(weights, rows.weight.shape[1] // weights.shape[0])  # every cell has an equal share of the groups
    return rows._replace(weight=rows.weight * each[:, None])


class _Look(NamedTuple):
    """What the learner makes of a turn; [groups, rows, ...]."""

    seat: Array
    carry: Any
    observation: Array
    everything: Array
    legal: Array
    logits: Array
    value: Array
    learns: Array
    symmetry: Symmetry | None


def _look(stage: Stage, layout: Layout, networks: Network, tables: Tables) -> _Look:
    game, design = stage.game, networks.design
    to_move = jax.vmap(game.turn)(tables.states)
    states, turn, labels, mine = layout.on_turn(
        (tables.states, to_move, tables.labels, learner_seats(game, tables.seats)), tables.turn
    )
    seat = _deciding(layout, turn, layout.on_turn(tables.seats.lead, tables.turn))
    views = jax.vmap(jax.vmap(game.view, (None, 0)))(states, seat)
    observation = jax.vmap(jax.vmap(lambda view: observe(game, view)))(views)
    legal = jax.vmap(jax.vmap(lambda view: allowed(game, design, view)))(views)
    everything = _everything(stage, design.critic_inputs, states, seat)
    symmetry = None
    if stage.relabel:
        symmetry = _through(game, jnp.take_along_axis(labels, seat, axis=1))
        flat = observation.reshape(*seat.shape, -1)
        observation = jnp.take_along_axis(flat, symmetry.bits, axis=2).reshape(observation.shape)
        legal = jnp.take_along_axis(legal, symmetry.actions, axis=2)
    slot = tables.turn % game.players
    carry = tables.carry
    if layout.turn_by_turn:
        carry = jax.tree.map(lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, slot, 1, 1), carry)
    after, logits, value = think(stage, networks, carry, observation, everything)
    if layout.turn_by_turn:
        after = jax.tree.map(
            lambda leaf, new: jax.lax.dynamic_update_slice_in_dim(leaf, new.astype(leaf.dtype), slot, 1),
            *(tables.carry, after),
        )
    learns = jnp.take_along_axis(mine & turn, seat, axis=1)
    return _Look(seat, after, observation, everything, legal, logits, value, learns, symmetry)


def _deciding(layout: Layout, to_move: Array, lead: Array) -> Array:
    """int32 [groups, rows]: the seats that have rows."""
    if layout.kind == "mover":
        return jnp.argmax(to_move, axis=1)[:, None].astype(jnp.int32)
    if layout.kind == "seats":
        return jnp.broadcast_to(jnp.arange(layout.players, dtype=jnp.int32), to_move.shape)
    return (
        (lead[:, None] + 2 * jnp.arange(layout.memories)) % layout.players if layout.kind == "side" else lead[:, None]
    )


def think(stage: Stage, networks: Network, *columns: Any) -> tuple[Any, Array, Array]:
    """Every learner's network on its own games: (memories, logits, values) of (memories, observations, all views)."""

    def one(network: Network, carry: Any, observation: Array, everything: Array) -> tuple[Any, Array, Array]:
        after, features = network.step(carry, observation, stage.dtype)
        return after, *network.heads(features, everything, stage.dtype)

    return for_each_learner(stage, one, networks, *columns)


def for_each_learner(stage: Stage, function: Any, networks: Any, *columns: Any) -> Any:
    """The function of each learner's network (stacked) and of its own share of columns [games, ...]."""
    apart = jax.tree.map(lambda leaf: split_axis(leaf, 0, stage.learners), columns)
    found = eqx.filter_vmap(function)(networks, *apart)
    return jax.tree.map(lambda leaf: leaf.reshape(leaf.shape[0] * leaf.shape[1], *leaf.shape[2:]), found)


def of_seat(column: Array, seat: Array) -> Array:
    """[games, seats, ...] -> [games, ...]: of each game one seat's."""
    index = seat.reshape(-1, *(1,) * (column.ndim - 1))
    return jnp.take_along_axis(column, index, axis=1)[:, 0]


def split_axis(leaf: Array, axis: int, parts: int) -> Array:
    """Cuts one axis into [parts, rest]."""
    return leaf.reshape(*leaf.shape[:axis], parts, leaf.shape[axis] // parts, *leaf.shape[axis + 1 :])


def _everything(stage: Stage, size: int, states: Any, seat: Array) -> Array:
    """All views, the row's own first, uint8 [groups, rows, size]; nothing where the critic does not see them."""
    game = stage.game
    if size == 0:
        return jnp.zeros((*seat.shape, 0), jnp.uint8)

    def of_seat(state: Any, seat: Array) -> Array:
        around = (seat + jnp.arange(game.players)) % game.players
        return jax.vmap(lambda s: observe(game, game.view(state, s)))(around).reshape(-1)

    return jax.vmap(jax.vmap(of_seat, (None, 0)))(states, seat)


def _turn(
    stage: Stage, layout: Layout, partners: Partners, networks: Network, tables: Tables
) -> tuple[Tables, tuple[Rows, Flow, Array, Array]]:
    game = stage.game
    key, draw, partner_key, deal, label, coin = jax.random.split(tables.key, 6)
    waits = finished(game, tables.states)
    look = _look(stage, layout, networks, tables)
    rows, actions = _decided(layout, tables, look, draw)
    actions = layout.put_on_turn(jnp.zeros((waits.size, game.players), jnp.int32), actions, tables.turn)
    seats, actions = partner_moves(
        *(game, partners, layout, tables.seats, tables.states, actions), turn=tables.turn, key=partner_key
    )
    if any(block.adviser is not None for block in partners.blocks):
        seats, advice = advised(game, partners, layout, seats, tables.states, tables.turn, jax.random.fold_in(draw, 2))
        rows = rows._replace(extra={"advice": layout.on_turn(advice, tables.turn)[:, None]})
    paid, foreseen = None, tables.foresight
    if stage.foresight is not None:
        foresee, stray = jax.random.split(jax.random.fold_in(draw, 1))
        mover = jnp.argmax(look.learns, axis=1)  # its row; of a game that waits any
        turn = Deciding(tables.states, of_seat(look.seat, mover), look.carry)
        foreseen, outlook = stage.foresight.outlook(stage, networks, foreseen, turn, actions, foresee)
        rows = rows._replace(extra=rows.extra | {"next_value": jnp.broadcast_to(outlook.next_value, look.seat.shape)})
        paid = (outlook.reward, outlook.ends)
        actions = _strayed(stage, of_seat(look.legal, mover), actions, stray)
    step: Step = jax.vmap(game.step)(tables.states, actions)
    over = step.done & ~waits
    flow = _flow(stage, look.seat, step, over, waits, paid)
    records = {one.name: _recorded(one, game, tables.states, actions, step) for one in stage.record}
    flow = flow._replace(events=records)
    due = waits if stage.cut_off else finished(game, step.state)
    room = due.size if game.max_steps < SHORT else None
    states, begun = renew(game, step.state, due, deal, room)
    later = tables.turn + 1
    emptied = layout.to_memories(begun)
    after = Tables(
        states=states,
        carry=jax.tree.map(lambda leaf: jnp.where(_wide(emptied, leaf), 0, leaf), look.carry),
        fresh=(tables.fresh & ~_heard(layout, tables)) | emptied,
        labels=jnp.where(begun[:, None], draw_labels(stage, label, begun.size), tables.labels),
        seats=begin_again(game, partners, layout, seats, begun, states, later, coin),
        turn=later,
        key=key,
        foresight=jax.tree.map(lambda leaf: jnp.where(_wide(begun[:, None], leaf), 0, leaf), foreseen),
    )
    scores = jax.vmap(game.score)(step.state) * sign_of(game, tables.seats.lead)
    return after, (rows, flow, over, scores)


def _decided(layout: Layout, tables: Tables, look: _Look, key: Array) -> tuple[Rows, Array]:
    """The learner draws its moves: rows, and int32 [groups, players] the moves as the game knows them."""
    logits = masked(look.logits, look.legal)
    chosen = jax.random.categorical(key, logits)
    log_prob = jnp.take_along_axis(jax.nn.log_softmax(logits), chosen[..., None], axis=-1)[..., 0]
    meant = chosen
    if look.symmetry is not None:
        meant = jnp.take_along_axis(look.symmetry.actions, chosen[..., None], axis=-1)[..., 0]
    fresh = tables.fresh
    if layout.turn_by_turn:
        fresh = jax.lax.dynamic_slice_in_dim(fresh, tables.turn % layout.players, 1, 1)
    rows = Rows(
        observation=look.observation,
        everything=look.everything,
        legal=look.legal,
        seat=look.seat,
        action=chosen,
        log_prob=log_prob,
        value=look.value,
        learns=look.learns,
        weight=look.learns.astype(jnp.float32),
        fresh=fresh,
        extra={},
    )
    return rows, _by_seat(layout, look.seat, meant).astype(jnp.int32)


def _by_seat(layout: Layout, seat: Array, meant: Array) -> Array:
    """Moves [groups, rows] as [groups, players]; where partners sit, they say what they do afterwards."""
    if layout.kind == "side":
        return jnp.where(seat[:, :, None] == jnp.arange(layout.players), meant[:, :, None], 0).sum(1)
    return jnp.broadcast_to(meant, (meant.shape[0], layout.players))


def _flow(stage: Stage, seat: Array, step: Step, over: Array, waits: Array, paid: tuple[Array, Array] | None) -> Flow:
    """What a turn paid; `paid` (reward, ends) where a foresight says so instead. seat: [games, rows]"""
    streams = seat.shape[1] if stage.game.simultaneous else 1
    ends = over & (not stage.cut_off)
    reward = step.reward[:, None]
    if sides_of(stage.game) == 2:
        reward = reward * sign_of(stage.game, seat)
    reward, ends = paid or (reward, ends[:, None])
    shape = (waits.size, streams)
    return Flow(
        reward=jnp.broadcast_to(reward, shape),
        ends=jnp.broadcast_to(ends, shape),
        waits=jnp.broadcast_to(waits[:, None], shape),
        events={},
    )


def _recorded(recorder: Recorder, game: Game, states: Any, actions: Array, step: Step) -> Array:
    return jax.vmap(lambda *turn: recorder.read(game, *turn))(states, actions, step)


def _wide(chosen: Array, leaf: Array) -> Array:
    """[groups, memories] beside memories [groups, memories, ...]."""
    return chosen.reshape(*chosen.shape, *(1,) * (leaf.ndim - 2))


def _heard(layout: Layout, tables: Tables) -> Array:
    """bool [memories]: which memories have a row in this turn."""
    if not layout.turn_by_turn:
        return jnp.ones(layout.memories, bool)
    return jnp.arange(layout.memories) == tables.turn % layout.players


def _strayed(stage: Stage, legal: Array, actions: Array, key: Array) -> Array:
    """Now and then any legal move instead, so that positions off the learner's own path are known too."""
    if not stage.wander:
        return actions
    coin, draw = jax.random.split(key)
    other = jax.random.categorical(draw, masked(jnp.zeros(legal.shape), legal))
    strays = jax.random.bernoulli(coin, stage.wander, other.shape)
    return jnp.where(strays[:, None], other[:, None], actions).astype(jnp.int32)


def _through(game: Game, labels: Array) -> Symmetry:
    """The tables of the symmetries of these numbers."""
    every = jax.vmap(lambda index: game.symmetries[index])(jnp.arange(len(game.symmetries)))
    return Symmetry(every.bits[labels], every.actions[labels])
