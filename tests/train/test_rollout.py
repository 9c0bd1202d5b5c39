"""Rollouts: memories that cross the boundaries of segments, games that begin anew, learners side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from coplay.train.rollout import Finished, Stage, Tables
from coplay.train.rows import Rows, round_up
from tests.train.toy import Toy, collected, design, opened, random_network, replayed, stack, stage_of

GAMES = 6


class Segment(NamedTuple):
    """One rollout."""

    before: Tables
    after: Tables
    rows: Rows
    last_value: Any
    done: Finished


def segments(stage: Stage, networks: Any, turns: int, count: int = 2, games: int = GAMES) -> list[Segment]:
    tables = opened(stage, networks, games, jax.random.key(3))
    found = []
    for _ in range(count):
        after, rows, last_value, _, done = collected(stage, networks, tables, turns)
        found.append(Segment(tables, after, rows, last_value, done))
        tables = after
    return found


@pytest.mark.parametrize(
    ("cell", "hears", "players"),
    [("gru", "own", 3), ("lstm", "every", 2)],  # a network without memory: each learner plays its own games only
)
def test_an_update_sees_exactly_what_the_rollout_saw(cell: Any, hears: Any, players: int):
    """Memories at the start of a segment are those the rollout had, not zeros, and a new game empties them."""
    game = Toy(players=players)
    turns = round_up(7, players)
    network = random_network(design(game, cell=cell, hears=hears), seed=1)
    stage = stage_of(game)
    for number, segment in enumerate(segments(stage, stack(network), turns)):
        rows = segment.rows
        logits, value = replayed(stage, network, rows, segment.before.carry)
        log_prob = np.take_along_axis(np.asarray(jax.nn.log_softmax(logits)), np.asarray(rows.action)[..., None], -1)
        np.testing.assert_allclose(value, rows.value, atol=1e-5)
        np.testing.assert_allclose(log_prob[..., 0], rows.log_prob, atol=1e-5)
        assert rows.ends.any(), "games must end inside a segment"
        if number == 1:
            zeros = jax.tree.map(lambda leaf: leaf * 0, segment.before.carry)
            assert np.abs(replayed(stage, network, rows, zeros)[1] - rows.value).max() > 1e-2
            whole = rows._replace(fresh=rows.fresh & False)
            assert np.abs(replayed(stage, network, whole, segment.before.carry)[1] - rows.value).max() > 1e-2


def test_a_critic_may_see_every_seat_its_own_view_first():
    """MAPPO; the toy shows the seat after the others' numbers and the last of four actions."""
    game = Toy(players=3)
    size = game.observation_shape[0]
    network = random_network(design(game, critic_inputs=3 * size), seed=1)
    stage = stage_of(game)
    (segment,) = segments(stage, stack(network), 9, count=1)
    rows = segment.rows
    views = np.asarray(rows.everything).reshape(*rows.everything.shape[:-1], 3, size)
    np.testing.assert_array_equal(views[..., 0, :], rows.observation)
    seats = views[..., 3 + 4]
    np.testing.assert_array_equal(seats, (seats[..., :1] + np.arange(3)) % 3)
    _, value = replayed(stage, network, rows, segment.before.carry)
    np.testing.assert_allclose(value, rows.value, atol=1e-5)
    others_hidden = rows._replace(everything=rows.everything * 0)
    assert np.abs(replayed(stage, network, others_hidden, segment.before.carry)[1] - rows.value).max() > 1e-2


@pytest.fixture(scope="module")
def pair() -> tuple[Any, list[Segment]]:
    """Two learners with different networks, three segments."""
    game = Toy()
    kind = design(game)
    networks = stack(random_network(kind, 1), random_network(kind, 2))
    return networks, segments(stage_of(game, learners=2), networks, 8, count=3)


def test_each_learner_plays_its_own_games_only(pair: Any):
    networks, played = pair
    one = stage_of(Toy())
    for number in range(2):
        network = jax.tree.map(lambda leaf, number=number: leaf[number], networks)
        mine = slice(number * GAMES, (number + 1) * GAMES)
        for segment in played:
            rows = jax.tree.map(lambda leaf, mine=mine: leaf[:, mine], segment.rows)
            carry = jax.tree.map(lambda leaf, mine=mine: leaf[mine], segment.before.carry)
            np.testing.assert_allclose(replayed(one, network, rows, carry)[1], rows.value, atol=1e-5)
    first, second = (np.asarray(played[0].rows.observation)[:, part] for part in (slice(0, GAMES), slice(GAMES, None)))
    assert (first != second).any(), "the learners were dealt the same games"


def test_games_are_counted_once_and_scored_at_their_end(pair: Any):
    _, played = pair
    for segment in played:
        rows, done = segment.rows, segment.done
        ends = np.asarray(rows.ends)[..., 0].reshape(-1, 2, GAMES)
        np.testing.assert_array_equal(done.games, ends.sum((0, 2)))
    reward = np.concatenate([np.asarray(segment.rows.reward)[..., 0] for segment in played])
    ends = np.concatenate([np.asarray(segment.rows.ends)[..., 0] for segment in played])
    scores = 0.0
    for game in range(2 * GAMES):
        points = 0.0
        for turn in range(len(ends)):
            points += reward[turn, game]
            if ends[turn, game]:
                scores, points = scores + points, 0.0
    assert scores == pytest.approx(float(sum(segment.done.score.sum() for segment in played)))


def test_only_legal_actions_are_played_and_only_by_the_seat_to_move(pair: Any):
    for segment in pair[1]:
        rows = segment.rows
        legal = np.take_along_axis(np.asarray(rows.legal), np.asarray(rows.action)[..., None], -1)[..., 0]
        assert legal[np.asarray(rows.learns)].all()
        assert not (np.asarray(rows.learns) & np.asarray(rows.waits)).any()


def test_a_clock_is_no_end_and_its_last_position_is_shown_once():
    game = Toy(simultaneous=True, truncates=True, longest=3)
    networks = stack(random_network(design(game, cell="gru"), 1))
    (segment,) = segments(stage_of(game, record=("shaped",)), networks, 9, count=1)
    rows = segment.rows
    assert not rows.ends.any()
    assert rows.extra["shaped"].shape == rows.reward.shape
    waits = np.asarray(rows.waits)[..., 0]
    # Three turns of play, one look at the last position, then a new game.
    np.testing.assert_array_equal(waits, np.broadcast_to((np.arange(9) % 4 == 3)[:, None], waits.shape))
    assert not np.asarray(rows.learns)[waits].any()
    assert not np.asarray(rows.reward)[waits].any()
    np.testing.assert_array_equal(
        np.asarray(rows.fresh)[..., 0], np.broadcast_to((np.arange(9) % 4 == 0)[:, None], waits.shape)
    )
    assert float(segment.done.games[0]) == 2 * GAMES
