"""Advantages, recomputed by hand one number at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.train.advantage import advantages, of_rows
from coplay.train.rows import Rows

DISCOUNT, TRACE = 0.9, 0.7
TURNS, GAMES = 12, 6


class Turns(NamedTuple):
    """Random turns, [TURNS, GAMES]."""

    reward: np.ndarray
    value: np.ndarray
    decides: np.ndarray
    waits: np.ndarray
    ends: np.ndarray
    last: np.ndarray  # [GAMES]


def random_turns(seed: int) -> Turns:
    rng = np.random.default_rng(seed)
    shape = (TURNS, GAMES)
    waits = rng.random(shape) < 0.15
    return Turns(
        reward=rng.normal(size=shape),
        value=rng.normal(size=shape),
        decides=(rng.random(shape) < 0.6) & ~waits,
        waits=waits,
        ends=(rng.random(shape) < 0.2) & ~waits,
        last=rng.normal(size=GAMES),
    )


def by_hand(turns: Turns) -> np.ndarray:
    """Straight from the definition: a decision's advantage is the sum of the later surprises of the learner.

    A surprise is what is paid up to the learner's next look at the game, plus what it then thinks the game is worth,
    minus what it thought before.
    """
    found = np.zeros((TURNS, GAMES))
    for game in range(GAMES):
        for first in range(TURNS):
            if not turns.decides[first, game]:
                continue
            now, weight = first, 1.0
            while now is not None:
                surprise, then, gap, factor = -turns.value[now, game], now, None, 1.0
                while True:
                    surprise += factor * turns.reward[then, game]
                    factor *= DISCOUNT
                    if turns.ends[then, game]:
                        break
                    then += 1
                    if then == TURNS:
                        surprise += factor * turns.last[game]
                        break
                    if turns.decides[then, game] or turns.waits[then, game]:
                        surprise += factor * turns.value[then, game]
                        gap = then if turns.decides[then, game] else None
                        break
                found[first, game] += weight * surprise
                weight *= factor * TRACE
                now = gap
    return found


@jax.jit
def compiled(turns: Any) -> Any:
    return advantages(*turns, discount=DISCOUNT, trace=TRACE)


@pytest.mark.parametrize("seed", range(3))
def test_advantages_are_the_discounted_surprises_of_the_learner(seed: int):
    turns = random_turns(seed)
    found, target = compiled(jax.tree.map(jnp.asarray, turns))
    np.testing.assert_allclose(found, by_hand(turns), atol=1e-4)
    where = turns.decides
    np.testing.assert_allclose(np.asarray(target)[where], (by_hand(turns) + turns.value)[where], atol=1e-4)


def short(reward: list[float], value: list[float], last: float, **flags: list[bool]) -> np.ndarray:
    """The advantages of one game of a few turns."""
    count = len(reward)
    columns = {"decides": [True] * count, "waits": [False] * count, "ends": [False] * count} | flags
    decides, waits, ends = (jnp.asarray(columns[name]) for name in ("decides", "waits", "ends"))
    found, _ = advantages(
        *(jnp.asarray(reward), jnp.asarray(value), decides, waits, ends, jnp.float32(last)),
        discount=DISCOUNT,
        trace=TRACE,
    )
    return np.asarray(found)


def test_the_discount_is_multiplied_not_added():
    assert short([1.0], [3.0], last=10.0) == pytest.approx([1 + 0.9 * 10 - 3])
    # Nothing is paid and nothing expected: a turn must earn nothing.
    assert short([0.0, 0.0], [0.0, 0.0], last=0.0) == pytest.approx([0, 0])


def test_nothing_comes_after_the_end_of_a_game():
    found = short([1.0, 5.0], [2.0, 7.0], last=100.0, ends=[True, False])
    assert found[0] == pytest.approx(1 - 2)


def test_a_partners_turn_passes_on_what_comes_after():
    found = short([1.0, 2.0], [3.0, 99.0], last=10.0, decides=[True, False])
    assert found == pytest.approx([1 + 0.9 * (2 + 0.9 * 10) - 3, 0])


def test_a_game_cut_off_by_the_clock_is_worth_its_last_position():
    found = short([1.0, 0.0, 4.0], [3.0, 6.0, 8.0], last=10.0, decides=[True, False, True], waits=[False, True, False])
    assert found[0] == pytest.approx(1 + 0.9 * 6 - 3)


def as_rows(turns: Turns, seats: int, place: np.ndarray) -> Rows:
    """The turns in the layout with a row for every seat; `place` [TURNS, GAMES] is the seat to move."""
    mine = np.arange(seats) == place[..., None]
    noise = np.random.default_rng(9).normal(size=mine.shape)
    shape = (TURNS, GAMES, seats)
    empty = np.zeros((*shape, 0))
    return Rows(
        observation=jnp.asarray(empty),
        everything=jnp.asarray(empty),
        legal=jnp.asarray(empty),
        action=jnp.zeros(shape, jnp.int32),
        log_prob=jnp.zeros(shape),
        value=jnp.asarray(np.where(mine, turns.value[..., None], noise)),
        learns=jnp.asarray(turns.decides[..., None] & mine),
        waits=jnp.asarray(turns.waits[..., None] & mine),
        fresh=jnp.zeros(shape, bool),
        reward=jnp.asarray(np.broadcast_to(turns.reward[..., None], shape)),
        ends=jnp.asarray(np.broadcast_to(turns.ends[..., None], shape)),
        extra={},
    )


def test_both_layouts_of_a_turn_game_say_the_same():
    turns = random_turns(3)
    place = np.random.default_rng(4).integers(0, 3, (TURNS, GAMES))
    expected = by_hand(turns)
    single = as_rows(turns, 1, np.zeros_like(place))
    one, one_target = of_rows(
        single, jnp.asarray(turns.last)[:, None], jnp.ones((GAMES, 1), bool), False, DISCOUNT, TRACE
    )
    np.testing.assert_allclose(one[..., 0], expected, atol=1e-4)
    next_seat = np.arange(3) == np.arange(GAMES)[:, None] % 3
    last = np.where(next_seat, turns.last[:, None], 50.0)
    every = as_rows(turns, 3, place)
    found, target = of_rows(every, jnp.asarray(last), jnp.asarray(next_seat), False, DISCOUNT, TRACE)
    mine = np.asarray(every.learns)
    np.testing.assert_allclose(np.asarray(found)[mine], expected[turns.decides], atol=1e-4)
    assert not np.asarray(found)[~mine].any()
    np.testing.assert_allclose(np.asarray(target)[mine], np.asarray(one_target)[turns.decides][:, 0], atol=1e-4)


def test_seats_that_move_at_once_have_streams_of_their_own():
    rows = as_rows(random_turns(5), 2, np.zeros((TURNS, GAMES), int))
    rng = np.random.default_rng(6)
    rows = rows._replace(
        learns=jnp.asarray(rng.random((TURNS, GAMES, 2)) < 0.6) & ~rows.waits,
        reward=jnp.asarray(rng.normal(size=(TURNS, GAMES, 2))),  # shaped: each seat earns its own
    )
    last = rng.normal(size=(GAMES, 2))
    found, _ = of_rows(rows, jnp.asarray(last), jnp.ones((GAMES, 2), bool), True, DISCOUNT, TRACE)
    for seat in range(2):
        columns = (rows.reward, rows.value, rows.learns, rows.waits, rows.ends)
        turns = Turns(*[np.asarray(column)[..., seat] for column in columns], last=last[:, seat])
        np.testing.assert_allclose(found[..., seat], by_hand(turns), atol=1e-4)
