"""What a player sees: its own side attacks to the right, and nothing out of range or behind is told."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.football.actions import TACKLE
from coplay.worlds.football.encode import describe, size
from coplay.worlds.football.pitch import METRE
from tests.worlds.football.matches import placed, small, start_of

NARROW = "football?players=2&half=12&sight=5&cone=120"


def scene(spec: str = "football?players=2&half=12", **changes):
    """Seat 0 in the middle facing forward; 1 ahead of it, 2 behind it, 3 far ahead."""
    places = {"x": [0, 4 * METRE, -3 * METRE, 9 * METRE], "y": [0, METRE, 0, 0], "vx": [0] * 4, "vy": [0] * 4}
    return placed(start_of(spec), **{**places, "way": [0, 8, 0, 8], "ball_x": 2 * METRE, "ball_y": 0, **changes})


def look(state, seat: int, spec: str = "football?players=2&half=12"):
    return small(spec).view(state, seat)


def test_a_view_begins_with_its_seat_and_attacks_to_the_right():
    view = look(scene(), 1)
    assert (view.x[0], view.y[0]) == (-4 * METRE, -METRE)
    assert view.x.tolist() == [-4 * METRE, 3 * METRE, -9 * METRE, 0]
    assert int(view.way[0]) == 0
    assert (int(view.ball_x), int(view.owner)) == (-2 * METRE, -1)


def test_what_is_far_or_behind_is_out_of_sight():
    view = look(scene(NARROW), 0, NARROW)
    assert view.seen.tolist() == [True, True, False, False]
    hidden = ~np.asarray(view.seen)
    for column in (view.x, view.y, view.vx, view.vy, view.way):
        assert (np.asarray(column)[hidden] == 0).all()
    assert bool(view.ball_seen)
    assert not bool(look(scene(NARROW, ball_x=-2 * METRE), 0, NARROW).ball_seen)


def test_whoever_turns_round_sees_what_was_behind():
    view = look(scene(NARROW, way=[8, 8, 0, 8]), 0, NARROW)
    assert view.seen.tolist() == [True, False, True, False]


def test_who_has_the_ball_is_told_only_of_players_in_sight():
    spec = "football?players=2&half=12&sight=3"
    hidden = look(scene(spec, ball_x=700, ball_owner=1), 0, spec)
    assert bool(hidden.ball_seen)
    assert not bool(hidden.seen[1])
    assert int(hidden.owner) == -1
    assert int(look(scene(spec, ball_owner=0), 0, spec).owner) == 0


def test_only_who_has_the_ball_may_kick_and_only_others_may_tackle():
    has, others = look(scene(ball_owner=0), 0), look(scene(ball_owner=0), 1)
    assert has.legal.tolist() == [True] * TACKLE + [False]
    assert others.legal.tolist() == [True] * 9 + [False] * 32 + [True]
    assert look(scene(stun=[2, 0, 0, 0]), 0).legal.tolist() == [True] + [False] * 41


def test_every_entry_of_the_encoding_has_a_name_of_its_own():
    assert len({describe(10, entry) for entry in range(size(10))}) == size(10)
    encoded = dict(zip((describe(4, i) for i in range(size(4))), look(scene(), 0).vector.tolist(), strict=True))
    assert encoded["ball: ahead of the viewer"] == 255 // 5
    assert encoded["ball: behind the viewer"] == 0
    assert encoded["mate 1: behind the viewer"] == 76
    assert encoded["opponent 1: to larger y of the viewer"] == 25


def test_a_view_reads_as_text():
    text = look(scene(ball_owner=0, goals=[2, 1]), 0).text()
    assert "You are seat 0, number 1 of blue" in text
    assert "Goals: yours 2, theirs 1." in text
    assert "You have the ball, at (2.0, 0.0)." in text
    assert "Mate 1: at (-3.0, 0.0), facing E, 0.0 m/s." in text
    assert "pass and" in text
    assert "tackle" not in text
    assert "out of sight" in look(scene(NARROW), 0, NARROW).text()
    assert "At the line-up nobody moves" in look(small().reset(jax.random.key(0)), 0).text()


def test_a_traced_seat_sees_what_a_number_sees():
    state = scene(NARROW)
    views = jax.jit(jax.vmap(small(NARROW).view, (None, 0)))(state, jnp.arange(4))
    for seat in range(4):
        fixed = look(state, seat, NARROW)
        jax.tree.map(lambda every, one, at=seat: np.testing.assert_array_equal(every[at], one), views, fixed)
