"""A view as bytes, for networks: 255 is 1.

What changes its sign in a mirror has two entries, one for each hand, so that a mirror only changes entries' places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_batching import custom_vmap
from jax.experimental.layout import Layout, with_layout_constraint
from jax.lax import div

from coplay.worlds.football import pitch
from coplay.worlds.football.actions import SCALE, WAY_X, WAY_Y
from coplay.worlds.football.view import OURS, THEIRS

if TYPE_CHECKING:
    from coplay.worlds.football.view import View

Array = jax.Array
FULL = 255
LEFT, RIGHT = "to smaller y", "to larger y"
RUNNING = 104  # the highest speed of a player, in 1/256 metre a step
_PLACE = ("x", f"y {RIGHT}", f"y {LEFT}")
_SPEED = ("speed forward", "speed backward", f"speed {RIGHT}", f"speed {LEFT}")
_FACING = ("faces forward", "faces backward", f"faces {RIGHT}", f"faces {LEFT}")
_BODY = (*_PLACE, *_SPEED, *_FACING, "has the ball", "gave the viewer's sign")
_OTHER = ("in sight", *_BODY)
_AWAY = ("ahead of the viewer", "behind the viewer", f"{RIGHT} of the viewer", f"{LEFT} of the viewer")
_BALL = ("in sight", *_PLACE, *_AWAY, *_SPEED)
_MATCH = (
    "time",
    "half-time is over",
    "lead",
    "deficit",
    "the ball is ours to take",
    "theirs to take",
    "cannot act",
    "cannot take the ball",
)


@cache
def names(players: int) -> tuple[str, ...]:
    """What every entry is."""
    found = [f"viewer: {what}" for what in _BODY[:-1]] + [f"ball: {what}" for what in _BALL]
    found += [f"match: {what}" for what in _MATCH]
    for number in range(1, players):
        who = f"mate {number // 2}" if number % 2 == 0 else f"opponent {(number + 1) // 2}"
        found += [f"{who}: {what}" for what in (*_OTHER, *_AWAY)]
    return tuple(found)


def size(players: int) -> int:
    return len(names(players))


def describe(players: int, entry: int) -> str:
    """An entry in words."""
    from coplay.game import GameError

    if not 0 <= entry < size(players):
        raise GameError(f"entry {entry}: entries are 0 to {size(players) - 1}.")
    return names(players)[entry]


@cache
def mirror_table(players: int) -> np.ndarray:
    """int [entries]: which entry of the original an entry of the mirror image shows."""
    known = names(players)
    swapped = [name.replace(RIGHT, "?").replace(LEFT, RIGHT).replace("?", LEFT) for name in known]
    return np.array([known.index(name) for name in swapped])


# An entry is a number of the view, from nothing to full: max(0, number * by) >> SHIFT, at most FULL. With that
# shift the results are those of a division, for every number that an entry shows below FULL (a test proves it).
SHIFT = 16
# What the numbers of a view are called, in the order of `_numbers`.
_PLAYERS = ("x", "y", "vx", "vy", "facing x", "facing y", "has", "same", "seen", "away x", "away y")  # [players] each
_BALL_NUMBERS = ("seen", "x", "y", "away x", "away y", "vx", "vy")
_MATCH_NUMBERS = ("time", "second half", "lead", "ours", "theirs", "stun", "cool")
_FAR = 10 * pitch.METRE  # what is near counts


def _numbers(view: View) -> list[Array]:
    """int32 [players] or [1] each: every number that entries show, once; nothing of what is out of sight."""
    game, seen = view.game, view.seen
    away_x, away_y = view.x - view.x[0], view.y - view.y[0]
    players = [
        view.x + pitch.LENGTH, view.y, view.vx, view.vy, jnp.asarray(WAY_X)[view.way], jnp.asarray(WAY_Y)[view.way],
        view.owner == np.arange(game.players), (view.signs == view.signs[0]) & (view.signs > 0), seen, away_x, away_y,
    ]  # fmt: skip
    ball = [
        view.ball_seen, view.ball_x + pitch.LENGTH, view.ball_y, view.ball_x - view.x[0], view.ball_y - view.y[0],
        view.ball_vx, view.ball_vy,
    ]  # fmt: skip
    match = [
        div(view.time * FULL, game.max_steps), view.time > game.half, jnp.clip(view.goals[0] - view.goals[1], -5, 5),
        view.claim == OURS, view.claim == THEIRS, view.stun, view.cool,
    ]  # fmt: skip
    return [
        *(jnp.where(seen, column, 0).astype(jnp.int32) for column in players),
        *(jnp.where(view.ball_seen, entry, 0).astype(jnp.int32)[None] for entry in ball),
        *(jnp.asarray(entry, jnp.int32)[None] for entry in match),
    ]


def times(full: int) -> int:
    """What a number is multiplied by, of which so much is full."""
    return -(-(FULL << SHIFT) // full)


@cache
def _table(players: int) -> np.ndarray:
    """int32 [2, entries]: of every entry which number of `_numbers` it shows, and what it is multiplied by."""

    def at(what: str, full: int, sign: int = 1) -> tuple[str, int]:
        return what, sign * times(full)

    def hands(what: str, full: int) -> list[tuple[str, int]]:
        return [at(what, full), at(what, full, -1)]

    def place() -> list[tuple[str, int]]:
        return [at("x", 2 * pitch.LENGTH), *hands("y", pitch.WIDTH)]

    def away() -> list[tuple[str, int]]:
        return [*hands("away x", _FAR), *hands("away y", _FAR)]

    body = [
        *place(), *hands("vx", RUNNING), *hands("vy", RUNNING),
        *hands("facing x", SCALE), *hands("facing y", SCALE), at("has", 1),
    ]  # fmt: skip
    other = [at("seen", 1), *body, at("same", 1), *away()]
    ball = [at("seen", 1), *place(), *away(), *hands("vx", pitch.SHOT_SPEED), *hands("vy", pitch.SHOT_SPEED)]
    match = [
        at("time", FULL), at("second half", 1), *hands("lead", 5), at("ours", 1), at("theirs", 1),
        ("stun", FULL // pitch.STUMBLE << SHIFT), ("cool", FULL // pitch.STUMBLE << SHIFT),
    ]  # fmt: skip
    first_of_ball = len(_PLAYERS) * players
    first_of_match = first_of_ball + len(_BALL_NUMBERS)
    rows = [(_PLAYERS.index(what) * players, by) for what, by in body]
    rows += [(first_of_ball + _BALL_NUMBERS.index(what), by) for what, by in ball]
    rows += [(first_of_match + _MATCH_NUMBERS.index(what), by) for what, by in match]
    for number in range(1, players):
        rows += [(_PLAYERS.index(what) * players + number, by) for what, by in other]
    return np.array(rows, np.int32).T


def encode(view: View) -> Array:
    """uint8 [entries]

    The numbers of the view are laid out once; then every entry is a table's arithmetic, the same for all of them.
    """
    return _encoder(view.game.players, 0)(_numbers(view))


@cache
def _encoder(players: int, axes: int) -> Callable[[list[Array]], Array]:
    """From numbers [..., players or 1] to bytes [..., entries], with so many `axes` of views before their own.

    A function of whole batches, because where the batch lies in memory is what matters to a GPU: `vmap` would choose.
    """

    @custom_vmap
    def write(numbers: list[Array]) -> Array:
        return jax.lax.platform_dependent(numbers, cuda=partial(by_column, players), default=partial(by_row, players))

    @write.def_vmap
    def of_batch(size: int, batched: list[Any], numbers: list[Array]) -> tuple[Array, bool]:
        def spread(leaf: Array, has_batch: bool) -> Array:
            return leaf if has_batch else jnp.broadcast_to(leaf, (size, *leaf.shape))

        return _encoder(players, axes + 1)(jax.tree.map(spread, numbers, batched[0])), True

    return write


def by_row(players: int, numbers: list[Array]) -> Array:
    """What `encode` writes, view by view: each entry looks its number up in the view's row."""
    where, by = _table(players)
    raw = jax.lax.optimization_barrier(jnp.concatenate(numbers, axis=-1))  # or each entry would begin with the view
    return _bytes(raw[..., where], by)


def by_column(players: int, numbers: list[Array]) -> Array:
    """The same bytes, entry by entry: an entry is one number of all views, which lie side by side.

    So neighbouring threads of a GPU do the same with neighbouring numbers. The compiler on its own reads a row here
    and there for a column of bytes, which takes 6 ms for 131,072 matches. It is two kernels, one that lays the numbers
    out in 16 bits and one that turns them, through shared memory, into rows of bytes.
    """
    where, by = _table(players)
    columns = jnp.concatenate([number.T for number in numbers]).astype(jnp.int16)
    columns = jax.lax.optimization_barrier(_in_order(columns))
    written = _bytes(columns[where].astype(jnp.int32), by.reshape(-1, *[1] * (columns.ndim - 1)))
    return _in_order(_in_order(written).T)


def _bytes(numbers: Array, by: np.ndarray) -> Array:
    return jnp.minimum(jnp.maximum(numbers * by, 0) >> SHIFT, FULL).astype(jnp.uint8)


def _in_order(array: Array) -> Array:
    """The array, the last axis contiguous in memory."""
    return with_layout_constraint(array, Layout(tuple(range(array.ndim))))
