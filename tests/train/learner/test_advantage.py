"""Advantages, recomputed by hand one number at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.train.learner.advantage import advantages, of_rollout
from coplay.train.learner.rollout import Rollout
from coplay.train.learner.rows import Flow, Layout, Rows

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


def as_rollout(turns: Turns, seats: int, place: np.ndarray, next_place: np.ndarray) -> Rollout:
    """The turns of a turn game with a row for every seat; `place` [TURNS, GAMES] is the seat to move."""
    mine, next_mine = (np.arange(seats) == where[..., None] for where in (place, next_place))
    noise = np.random.default_rng(9).normal(size=mine.shape)
    shape = (TURNS, GAMES, seats)
    # A game that waits shows its last position to all; that of the first seat counts.
    told = np.where(turns.waits[..., None], np.arange(seats) == 0, mine)
    rows = rows_of(shape, np.where(told, turns.value[..., None], noise), turns.decides[..., None] & mine)
    flow = Flow(*(jnp.asarray(column)[..., None] for column in (turns.reward, turns.ends, turns.waits)), events={})
    last = np.where(next_mine, turns.last[:, None], 50.0)
    return Rollout(rows, flow, (), jnp.asarray(last), jnp.asarray(next_mine))


def rows_of(shape: tuple[int, ...], value: np.ndarray, learns: np.ndarray) -> Rows:
    empty, zeros = jnp.zeros((*shape, 0)), jnp.zeros(shape)
    weight = jnp.asarray(learns, jnp.float32)
    return Rows(
        observation=empty,
        everything=empty,
        legal=empty,
        seat=zeros.astype(jnp.int32),
        action=zeros.astype(jnp.int32),
        log_prob=zeros,
        value=jnp.asarray(value),
        learns=jnp.asarray(learns),
        weight=weight,
        fresh=zeros.astype(bool),
        extra={},
    )


def test_both_layouts_of_a_turn_game_say_the_same():
    turns = random_turns(3)
    rng = np.random.default_rng(4)
    place, next_place = rng.integers(0, 3, (TURNS, GAMES)), rng.integers(0, 3, GAMES)
    expected = by_hand(turns)
    single = as_rollout(turns, 1, np.zeros_like(place), np.zeros_like(next_place))
    one, one_target = of_rollout(Layout("mover", 3), single, DISCOUNT, TRACE)
    np.testing.assert_allclose(one[..., 0], expected, atol=1e-4)
    every = as_rollout(turns, 3, place, next_place)
    found, target = of_rollout(Layout("seats", 3), every, DISCOUNT, TRACE)
    mine = np.asarray(every.rows.learns)
    np.testing.assert_allclose(np.asarray(found)[mine], expected[turns.decides], atol=1e-4)
    assert not np.asarray(found)[~mine].any()
    np.testing.assert_allclose(np.asarray(target)[mine], np.asarray(one_target)[turns.decides][:, 0], atol=1e-4)


def test_a_learner_with_one_seat_sees_its_own_turns_only_and_counts_all():
    """At turn t it decides in the games of slot t modulo players; every turn of every game pays."""
    players, cells = 3, 1
    turns = random_turns(6)
    slot = np.repeat(np.arange(players), GAMES // players)  # games lie slot by slot
    mine = np.arange(TURNS)[:, None] % players == slot
    turns = turns._replace(decides=mine, waits=turns.waits & False)
    turns = turns._replace(last=np.where(slot == 0, turns.last, 0))
    layout = Layout("slots", players, cells=cells)
    shape = (TURNS, GAMES // players, 1)
    value, decides = (layout.to_rows(jnp.asarray(column)[..., None], jnp.zeros(shape)) for column in turns[1:3])
    flow = Flow(*(jnp.asarray(column)[..., None] for column in (turns.reward, turns.ends, turns.waits)), events={})
    last = turns.last[slot == 0][:, None]
    rollout = Rollout(
        rows_of(shape, np.asarray(value), np.asarray(decides)), flow, (), jnp.asarray(last), jnp.ones(last.shape, bool)
    )
    found, _ = of_rollout(layout, rollout, DISCOUNT, TRACE)
    expected = layout.to_rows(jnp.asarray(by_hand(turns))[..., None], jnp.zeros(shape))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.abs(expected).min() > 0


def test_seats_that_move_at_once_have_streams_of_their_own():
    rng = np.random.default_rng(6)
    shape, base = (TURNS, GAMES, 2), random_turns(5)
    learns = (rng.random(shape) < 0.6) & ~base.waits[..., None]
    rows = rows_of(shape, rng.normal(size=shape), learns)
    waits, ends = (np.broadcast_to(column[..., None], shape) for column in (base.waits, base.ends))
    reward, last = rng.normal(size=shape), rng.normal(size=(GAMES, 2))  # shaped: each seat earns its own
    flow = Flow(*(jnp.asarray(column) for column in (reward, ends, waits)), events={})
    rollout = Rollout(rows, flow, (), jnp.asarray(last), jnp.ones((GAMES, 2), bool))
    found, _ = of_rollout(Layout("seats", 2, simultaneous=True), rollout, DISCOUNT, TRACE)
    for seat in range(2):
        columns = (reward, rows.value, learns, waits, ends)
        turns = Turns(*[np.asarray(column)[..., seat] for column in columns], last=last[:, seat])
        np.testing.assert_allclose(found[..., seat], by_hand(turns), atol=1e-4)
