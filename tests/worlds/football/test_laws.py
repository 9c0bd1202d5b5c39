"""The laws of all games, what stays on the pitch, mirrors, and seeds."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.game import GameError
from coplay.games import spec_of
from coplay.testing import check_game
from coplay.worlds.football.pitch import GOAL, LENGTH, MARGIN, WIDTH
from tests.worlds.football.matches import SMALL, random_matches, small, start_of, step_of


def test_football_with_narrow_views_keeps_the_laws_of_games():
    """Among them: a view shows nothing that is out of range or behind, and a mirrored match is the mirror image."""
    check_game("football?players=2&half=8&sight=6&cone=120", games=4)


def test_the_ball_and_the_players_stay_where_they_belong():
    _, states, _, _ = random_matches()
    bodies, ball = states.bodies, states.ball
    assert abs(bodies.x).max() <= LENGTH + MARGIN
    assert abs(bodies.y).max() <= WIDTH + MARGIN
    assert abs(ball.x).max() <= LENGTH
    assert abs(ball.y).max() <= WIDTH
    free = ball.owner < 0
    assert free.any()
    assert not free.all()


def test_goals_are_what_rewards_say():
    _, states, _, rewards = random_matches()
    assert (states.goals[..., 0] - states.goals[..., 1] == np.cumsum(rewards, 0)).all()


def test_a_mirrored_match_is_the_mirror_image_to_the_last_bit():
    game = small()
    starts, states, actions, _ = random_matches()
    mirror = game.symmetries
    back = jnp.argsort(mirror[1].actions)

    def play(start, actions):
        return jax.lax.scan(lambda state, joint: (game.step(state, back[joint]).state,) * 2, start, actions)[1]

    flip = jax.vmap(lambda state: mirror.state(state, 1))
    mirrored = jax.jit(jax.vmap(play, (0, 1), 1))(flip(starts), actions)
    expected = jax.vmap(flip)(states)
    # The sign of a shot is the same in a mirror, so signs need no turning.
    jax.tree.map(np.testing.assert_array_equal, mirrored, expected)


def test_seeds_reproduce_matches_and_others_differ():
    one, again, other = (start_of(SMALL, seed) for seed in (3, 3, 4))
    jax.tree.map(np.testing.assert_array_equal, one, again)
    assert (one.bodies.x != other.bodies.x).any()


def test_either_side_opens_about_as_often():
    openers = jax.vmap(small().reset)(jax.random.split(jax.random.key(2), 400)).opener
    assert 150 < int(openers.sum()) < 250


def test_a_match_is_a_line_up_and_two_halves():
    game, state, done = small(), start_of(), False
    assert game.max_steps == 25
    assert int(state.time) == 1
    for _ in range(24):
        assert bool(game.turn(state).all())
        state, _, done, _ = step_of()(state, jnp.zeros(4, jnp.int32))
    assert bool(done)
    assert not bool(game.turn(state).any())


def test_players_are_counted_to_a_side():
    game = coplay.make("football?players=3&speeds=100,90,80,70,60,50")
    assert (game.players, game.sides) == (6, 2)
    assert coplay.make(spec_of(game)) == game
    assert GOAL < WIDTH


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("football?players=6", "per_side=6: players to a side, a whole number from 2 to 5"),
        ("football?half=0", "half=0"),
        ("football?cone=20", "cone=20"),
        ("football?sight=1", "at least 2 metres"),
        ("football?speeds=100,90", "speeds has 2 numbers; give one for all, or one for each of 10"),
        ("football?speeds=0", "whole numbers from 10 to 100"),
        ("football?noise=90", "from 0 to 45"),
    ],
)
def test_impossible_settings_are_refused_in_words(spec, words):
    with pytest.raises(GameError, match=words):
        coplay.make(spec)
