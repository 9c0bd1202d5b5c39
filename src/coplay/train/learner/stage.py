"""Where learning happens: the game, who sits at the tables, and the games in progress."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game, State, Step
from coplay.nets.network import Design, Network
from coplay.train.learner.partners import Partners, with_fellows
from coplay.train.learner.rows import Layout, layout_of
from coplay.train.learner.seating import Seats, seat_partners

Array = jax.Array


class Outlook(NamedTuple):
    """What becomes of decisions where that is not read off the games themselves; [games, rows]."""

    reward: Array  # float32: paid until the seat decides again
    ends: Array  # bool: the game ends before that
    next_value: Array  # float32: what the seat then expects


class Deciding(NamedTuple):
    """Games in which one seat at a time is to move, and what the learner knows of the turn."""

    states: Any
    seat: Array  # int32 [games]: to move
    carry: Any  # memories [games, players, ...] after this turn's views; () without any


class Foresight(eqx.Module):
    """Judges decisions by something else than the games they were made in."""

    def start(self, stage: Stage, games: int) -> Any:
        """What it remembers of games, [games, ...]; nothing."""
        return ()

    def outlook(
        self, stage: Stage, networks: Network, memory: Any, turn: Deciding, actions: Array, key: Array
    ) -> tuple[Any, Outlook]:
        """Before a turn is played in which `actions` int32 [games, players] is chosen. With the memory after it."""
        raise NotImplementedError


class Recorder(NamedTuple):
    """Something that terms ask to be recorded of every turn."""

    name: str
    read: Callable[[Game, State, Array, Step], Array]  # of one game: [players, ...] of the state, the moves, the step


class Stage(eqx.Module):
    """What does not change while a run goes on: the game, the partners, how the learner looks at it."""

    game: Game = eqx.field(static=True)  # as the network reads it
    partners: Partners
    learners: int = eqx.field(static=True, default=1)
    relabel: bool = eqx.field(static=True, default=False)  # each seat sees its own symmetry of the game
    dtype: Any = eqx.field(static=True, default=jnp.float32)
    record: tuple[Recorder, ...] = eqx.field(static=True, default=())
    foresight: Foresight | None = None  # None: rows have what their own game pays
    # With a foresight: share of the moves that are replaced by random ones in the game, not in what is learned from.
    wander: float = eqx.field(static=True, default=0.0)
    minibatches: int = eqx.field(static=True, default=1)  # a learner's rows are to be cut into so many equal parts

    looks_beyond: bool = eqx.field(static=True, default=True)  # where a clock cuts episodes off; else that is an end

    @property
    def cut_off(self) -> bool:
        """Are episodes cut off by a clock, and what the last position is worth counts?"""
        return self.game.truncates and self.looks_beyond

    def layout(self, design: Design) -> Layout:
        """Which decisions of networks of this design have rows."""
        cells = self.partners.cells
        if cells is not None and cells[0] * cells[1] % (self.learners * self.game.players * self.minibatches):
            cells = None  # no minibatch could be a number of whole groups
        return layout_of(self.game, design, self.partners.alone, cells, self.partners.opposed)

    def seated(self, networks: Network, cast: Network | None = None) -> Partners:
        """The partners, fellows among them as they are now."""
        return with_fellows(self.partners, self.game, networks, cast, self.dtype)


class Tables(NamedTuple):
    """The games in progress, [games, ...]."""

    states: Any
    carry: Any  # the learner's memories [groups, memories, ...]
    fresh: Array  # bool [groups, memories]: the game began after this memory's last row
    labels: Array  # int32 [games, players]: the symmetry each seat looks through
    seats: Seats
    turn: Array  # int32: turns played so far
    key: Array
    foresight: Any = ()  # what the foresight remembers of the games


@cache
def event(name: str) -> Recorder:
    """A field of the game's events. The same object every time, so that equal runs share one program."""
    return Recorder(name, partial(_event, name))


def _event(name: str, game: Game, state: State, actions: Array, step: Step) -> Array:
    del game, state, actions
    return getattr(step.events, name)


def open_tables(stage: Stage, networks: Network, games: int, key: Array, cast: Network | None = None) -> Tables:
    """`games` games per learner at their start; `networks` are stacked [learners, ...]."""
    game, layout = stage.game, stage.layout(networks.design)
    count = games * stage.learners
    shape = (count // layout.games_per_group, layout.memories)
    key, deal, label, seat = jax.random.split(key, 4)
    start = jax.tree.map(lambda leaf: leaf[0], eqx.filter_vmap(lambda network: network.start())(networks))
    states = jax.vmap(game.reset)(jax.random.split(deal, count))
    return Tables(
        states=states,
        carry=jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (*shape, *leaf.shape)), start),
        fresh=jnp.ones(shape, bool),
        labels=draw_labels(stage, label, count),
        seats=seat_partners(game, stage.seated(networks, cast), layout, states, seat),
        turn=jnp.int32(0),
        key=key,
        foresight=stage.foresight.start(stage, count) if stage.foresight is not None else (),
    )


def draw_labels(stage: Stage, key: Array, games: int) -> Array:
    """Through which symmetry every seat looks: int32 [games, players]."""
    shape = (games, stage.game.players)
    if not stage.relabel:
        return jnp.zeros(shape, jnp.int32)
    return jax.random.randint(key, shape, 0, len(stage.game.symmetries))
