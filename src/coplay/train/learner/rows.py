"""What a rollout leaves behind: the learner's decisions, what every turn paid, and how the two belong together.

A row is one decision of one seat. Which decisions have rows, and in which order, is the rollout's `Layout`:

    mover   the learner may sit anywhere, its memory hears own turns: the seat to move has a row
    seats   the learner may sit anywhere, all seats move or listen at every turn: every seat has a row
    lead    the learner has one seat at each table and moves or listens at every turn: that seat has a row
    side    of two sides the learner may sit anywhere in its own, all seats move at once: its side's seats have rows
    slots   the learner has one seat at each table and hears own turns: where it is to move, that seat has a row

Where the turn goes round the table (`cyclic`), turn t with `mover` belongs to memory t modulo players of its game; with
`slots` the games are dealt out so that at turn t those of slot t modulo players are the learner's to move. Either way
every players-th row is one memory's, and a reshape makes sequences of them: no gather is needed. Where the turn takes
another way there are no `slots`, and a learner that remembers has to hear every turn.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp

from coplay.game import Game
from coplay.nets.network import Design
from coplay.sides import sides_of
from coplay.train.settings import TrainError

Array = jax.Array


class Rows(NamedTuple):
    """Decisions [turns, groups, rows, ...]; a group is a game, with `slots` as many games as there are players."""

    observation: Array  # uint8 [..., *observation shape]
    everything: Array  # uint8 [..., critic inputs]: all views, for a critic that sees them; else size 0
    legal: Array  # bool [..., actions]
    seat: Array  # int32: who decides
    action: Array  # int32: what was played, in the labels the network saw
    log_prob: Array  # float32: of that action when it was chosen
    value: Array  # float32
    learns: Array  # bool: the learner decided here
    weight: Array  # float32: what the decision weighs in means; 1 unless partners weigh differently
    fresh: Array  # bool: a game began since this memory's last row
    extra: dict[str, Array]  # columns that terms attach


class Flow(NamedTuple):
    """What every turn of every game paid, [turns, games, streams]; seats that move at once have a stream each."""

    reward: Array  # float32
    ends: Array  # bool: the game ended here by its rules, so nothing comes after
    waits: Array  # bool: the game is over and not yet begun anew; what is seen is its last position
    events: dict[str, Array]  # [turns, games, ...]: what terms asked to be recorded


@dataclasses.dataclass(frozen=True)
class Layout:
    """Which decisions have rows, and how rows and games belong together."""

    kind: Literal["mover", "seats", "lead", "side", "slots"]
    players: int
    simultaneous: bool = False
    cells: int = 1  # with `slots`: into so many equal parts the games are cut by partners, before they are by slots

    @property
    def turn_by_turn(self) -> bool:
        """Is every players-th row one memory's?"""
        return self.kind in ("mover", "slots")

    @property
    def memories(self) -> int:
        """Of the learner, per group."""
        return {"lead": 1, "side": self.players // 2}.get(self.kind, self.players)

    @property
    def games_per_group(self) -> int:
        return self.players if self.kind == "slots" else 1

    def on_turn(self, column: Any, turn: Array | int, later: int = 0) -> Any:
        """[games, ...] -> [groups, ...]: with `slots` the games in which the learner moves at `turn` + `later`."""
        if self.kind != "slots":
            return column
        slot = (turn + later) % self.players
        return jax.tree.map(lambda leaf: _pick(self._by_slot(leaf, 0), slot, 1), column)

    def put_on_turn(self, column: Any, part: Any, turn: Array | int, later: int = 0) -> Any:
        """The inverse: `column` with `part` [groups, ...] in the games that `on_turn` gives."""
        if self.kind != "slots":
            return part
        slot = (turn + later) % self.players

        def put(whole: Array, new: Array) -> Array:
            cut = self._by_slot(whole, 0)
            piece = new.reshape(cut.shape[0], 1, cut.shape[2], *cut.shape[3:]).astype(whole.dtype)
            return jax.lax.dynamic_update_slice_in_dim(cut, piece, slot, 1).reshape(whole.shape)

        return jax.tree.map(put, column, part)

    def to_memories(self, column: Array) -> Array:
        """[games] -> [groups, memories]: what is true of a game is true of every memory in it."""
        if self.kind == "slots":
            return jnp.swapaxes(self._by_slot(column, 0), 1, 2).reshape(-1, self.players)
        return jnp.broadcast_to(column[:, None], (column.shape[0], self.memories))

    def to_flow(self, column: Array, chosen: Array) -> Array:
        """Of rows [turns, groups, rows] those that are `chosen`, as [turns, games, streams]; 0 where there is none."""
        column = jnp.where(chosen, column, 0)
        if self.kind == "slots":
            turns, groups = column.shape[:2]
            cut = column.reshape(turns, self.cells, 1, groups // self.cells)
            mine = jnp.arange(turns)[:, None] % self.players == jnp.arange(self.players)
            spread = jnp.where(mine[:, None, :, None], cut, 0)
            return spread.reshape(turns, groups * self.players, 1)
        return column if self.simultaneous or column.shape[2] == 1 else column.sum(2, keepdims=True)

    def to_rows(self, column: Array, like: Array) -> Array:
        """[turns, games, streams] -> what each row of the shape of `like` has of it."""
        if self.kind != "slots":
            return jnp.broadcast_to(column, like.shape)
        turns = column.shape[0]
        cut = self._by_slot(column[..., 0], 1)
        slot = (jnp.arange(turns) % self.players).reshape(turns, 1, 1, 1)
        return jnp.take_along_axis(cut, slot, axis=2).reshape(like.shape)

    def to_sequences(self, column: Array) -> Array:
        """[turns, groups, rows, ...] -> [decisions, streams..., ...]: one stream per memory."""
        if not self.turn_by_turn:
            return column
        turns, groups = column.shape[:2]
        return column.reshape(turns // self.players, self.players, groups, *column.shape[3:])

    def from_sequences(self, column: Array) -> Array:
        """The inverse of `to_sequences`."""
        if not self.turn_by_turn:
            return column
        rounds, players, groups = column.shape[:3]
        return column.reshape(rounds * players, groups, 1, *column.shape[3:])

    def to_streams(self, carry: Any) -> Any:
        """Memories [groups, memories, ...] in the order of the streams of `to_sequences`, and back."""
        if not self.turn_by_turn:
            return carry
        return jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), carry)

    def _by_slot(self, column: Array, axis: int) -> Array:
        """Cuts the axis of games into [cells, slots, games of a cell and slot]."""
        each = column.shape[axis] // (self.cells * self.players)
        return column.reshape(*column.shape[:axis], self.cells, self.players, each, *column.shape[axis + 1 :])


def _pick(cut: Array, slot: Array | int, axis: int) -> Array:
    """One slot of [cells, slots, each, ...] as [groups, ...]."""
    found = jax.lax.dynamic_index_in_dim(cut, slot, axis, keepdims=False)
    return found.reshape(found.shape[0] * found.shape[1], *found.shape[2:])


def layout_of(game: Game, design: Design, alone: bool, cells: tuple[int, int] | None, opposed: bool = False) -> Layout:
    """How rollouts are laid out for a network of this design.

    `alone`: the learner has one seat at each table; `opposed`: it has none of the other side's; `cells`: into how many
    equal parts partners cut the games, and the games of each; None where they are not equal.
    """
    if sides_of(game) == 2 and not game.simultaneous:
        raise TrainError(
            f"{game.name} has two sides that take turns: what the next seat expects is then what its opponents fear, "
            "which this learner cannot tell. Games of two sides are learned where all seats move at once."
        )
    listens = game.simultaneous or design.hears == "every"
    if alone and listens:
        return Layout("lead", game.players, game.simultaneous)
    if opposed:
        return Layout("side", game.players, game.simultaneous)
    if design.cell != "none" and not listens and not goes_round(game):
        raise TrainError(
            f"hears=own: nothing says that the turn goes round the table in {game.name}, so nobody knows whose turn is "
            "next. Let the memory hear every turn (hears=every), or write `cyclic = True` into the game if it does."
        )
    # A game that the clock cuts off shows its last position for one turn only, whoever would be to move.
    known = alone and not game.truncates and goes_round(game)
    if known and cells is not None and cells[1] % game.players == 0:
        return Layout("slots", game.players, cells=cells[0])
    return Layout("seats" if listens else "mover", game.players, game.simultaneous)


def goes_round(game: Game) -> bool:
    """Does the turn go round the table, seat after seat? Only if the game says so; `check_game` holds it to that."""
    return getattr(game, "cyclic", False)


def round_up(turns: int, players: int) -> int:
    """Whole rounds, so that the seat-to-move rows fall into one sequence per seat."""
    return -(-turns // players) * players
