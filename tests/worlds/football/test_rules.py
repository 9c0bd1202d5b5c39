"""What happens in a step. Seats 0 and 2 are the first side's, 1 and 3 the second's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.worlds.football.actions import PASS, RUN, SHOOT, STAY, TACKLE, action_of_sign, sign_of_action
from coplay.worlds.football.pitch import FREE, GOAL, HANDS_OFF, LENGTH, METRE, STUMBLE, WIDTH
from tests.worlds.football.matches import SMALL, placed, small, start_of, step_of

FAR = [-10 * METRE, 10 * METRE, -12 * METRE, 12 * METRE]


def after(state, *actions: int, spec: str = SMALL):
    return step_of(spec)(state, jnp.asarray(actions, jnp.int32))


def apart(**changes):
    """Nobody near anybody, the ball free in the middle."""
    return placed(start_of(), x=FAR, y=[0, 0, 900, -900], vx=[0] * 4, vy=[0] * 4, ball_claim=-1, **changes)


def with_ball(seat: int = 0, **changes):
    return apart(ball_owner=seat, ball_last=seat % 2, **changes)


def test_signs_are_given_at_the_line_up_and_nobody_moves():
    start = small().reset(jax.random.key(0))
    lined_up = after(start, action_of_sign(3), STAY, action_of_sign(9), PASS).state
    assert lined_up.signs.tolist() == [3, 0, 9, 0]
    assert (lined_up.bodies.x == start.bodies.x).all()
    assert [int(sign_of_action(jnp.int32(action_of_sign(sign)))) for sign in range(10)] == list(range(10))


def test_both_sides_run_forward_with_the_same_action():
    state = after(apart(), RUN, RUN, RUN, RUN).state
    assert (np.sign(state.bodies.x - jnp.asarray(FAR)) == np.array([1, -1, 1, -1])).all()


def test_momentum_carries_on():
    state = apart()
    for _ in range(10):
        state = after(state, RUN, STAY, STAY, STAY).state
    speed = int(state.bodies.vx[0])
    assert speed > 80
    rolls = after(state, STAY, STAY, STAY, STAY).state
    assert 0 < int(rolls.bodies.vx[0]) < speed
    assert int(rolls.bodies.x[0]) > int(state.bodies.x[0])


def test_a_slower_seat_runs_slower():
    spec = f"{SMALL}&speeds=100,100,50,100"
    state = placed(start_of(spec), x=FAR, y=[0, 0, 900, -900], ball_claim=-1)
    begun = state.bodies.x
    for _ in range(10):
        state = after(state, RUN, STAY, RUN, STAY, spec=spec).state
    ran = state.bodies.x - begun
    assert 0.4 < int(ran[2]) / int(ran[0]) < 0.6


def test_who_is_near_a_free_ball_takes_it():
    state = after(apart(ball_x=FAR[1] + 100, ball_y=0), *[STAY] * 4).state
    assert int(state.ball.owner) == 1
    assert int(state.ball.last) == 1


def test_a_kick_sends_the_ball_the_players_way_and_it_lets_go():
    for seat, sign in ((0, 1), (1, -1)):
        kick = [SHOOT if one == seat else STAY for one in range(4)]
        step = after(with_ball(seat), *kick)
        ball = step.state.ball
        assert int(ball.owner) == -1
        assert sign * int(ball.vx) > 300
        assert abs(int(ball.vy)) < 60, "it strays by the noise at most"
        assert int(step.state.cool[seat]) == HANDS_OFF


def test_without_noise_a_kick_is_straight():
    spec = f"{SMALL}&noise=0"
    state = placed(start_of(spec), x=FAR, y=[0, 0, 900, -900], vx=[0] * 4, vy=[0] * 4, ball_claim=-1, ball_owner=0)
    assert int(after(state, PASS, STAY, STAY, STAY, spec=spec).state.ball.vy) == 0


@pytest.mark.parametrize(
    ("action", "state"),
    [(PASS, "apart"), (SHOOT, "apart"), (TACKLE, "with_ball"), (RUN, "stunned"), (TACKLE, "stunned")],
)
def test_what_cannot_be_done_is_illegal_and_changes_nothing(action, state):
    made = {"apart": apart, "with_ball": with_ball, "stunned": lambda: apart(stun=[3, 0, 0, 0])}[state]()
    step = after(made, action, STAY, STAY, STAY)
    assert step.events.illegal.tolist() == [True, False, False, False]
    jax.tree.map(np.testing.assert_array_equal, step.state, made)


def test_some_tackles_win_the_ball_and_others_end_in_a_stumble():
    won, lost = 0, 0
    for luck in range(40):
        state = with_ball(0, luck=luck)._replace(luck=jnp.uint32(luck))
        state = placed(state, x=[0, 200, *FAR[2:]])
        step = after(state, STAY, TACKLE, STAY, STAY)
        if int(step.state.ball.owner) == 1:
            won += 1
            assert int(step.state.stun[0]) > 0
            assert bool(step.events.deeds.tackled[1])
        else:
            lost += 1
            assert int(step.state.stun[1]) == STUMBLE
    assert 4 <= won <= 20
    assert won + lost == 40


def test_mates_cannot_tackle_but_crowding_jostles_the_ball_loose():
    owners = set()
    for luck in range(40):
        state = placed(with_ball(0)._replace(luck=jnp.uint32(luck)), x=[0, FAR[1], 50, FAR[3]], y=[0, 0, 0, -900])
        owners.add(int(after(state, STAY, STAY, TACKLE, STAY).state.ball.owner))
    assert owners == {0, -1}


@pytest.mark.parametrize(("side", "x"), [(0, LENGTH - 10), (1, -LENGTH + 10)])
def test_a_goal_counts_and_the_other_side_kicks_off(side, x):
    step = after(apart(ball_x=x, ball_y=GOAL // 2, ball_vx=300 if side == 0 else -300, ball_owner=-1), *[STAY] * 4)
    assert float(step.reward) == (1 if side == 0 else -1)
    assert step.state.goals.tolist() == [1 - side, side]
    ball = step.state.ball
    assert (int(ball.x), int(ball.y), int(ball.claim)) == (0, 0, 1 - side)
    assert abs(int(step.state.bodies.x[1 - side])) < METRE, "somebody stands at the ball"


def test_a_ball_that_passes_the_post_is_no_goal():
    """The line is crossed outside, though the ball would be behind the goal at the end of the step."""
    state = apart(ball_x=LENGTH - 10, ball_y=GOAL + 60, ball_vx=300, ball_vy=-100, ball_owner=-1, ball_last=0)
    step = after(state, *[STAY] * 4)
    assert float(step.reward) == 0
    ball = step.state.ball
    assert (int(ball.x), int(ball.y), int(ball.claim), int(ball.free)) == (LENGTH - 3 * METRE, 0, 1, FREE)


def test_a_defender_gives_away_a_corner():
    state = apart(ball_x=LENGTH - 10, ball_y=5 * METRE, ball_vx=300, ball_owner=-1, ball_last=1)
    ball = after(state, *[STAY] * 4).state.ball
    assert (int(ball.x), int(ball.y), int(ball.claim)) == (LENGTH, WIDTH, 0)


def test_a_throw_in_belongs_to_the_other_side_for_a_while():
    state = apart(ball_x=0, ball_y=WIDTH - 10, ball_vy=300, ball_owner=-1, ball_last=0)
    state = after(state, *[STAY] * 4).state
    assert (int(state.ball.y), int(state.ball.claim), int(state.ball.vy)) == (WIDTH, 1, 0)
    waits = placed(state, x=[0, *FAR[1:]], y=[WIDTH, 0, 900, -900])
    assert int(after(waits, *[STAY] * 4).state.ball.owner) == -1, "the side that put it out must not take it"
    opened = placed(waits, ball_free=1)
    assert int(after(opened, *[STAY] * 4).state.ball.owner) == 0, "but it may when nobody came"


def test_the_other_side_kicks_off_after_half_time():
    state = placed(apart(), time=12)
    later = after(state, *[STAY] * 4).state
    assert int(later.ball.claim) == 1 - int(state.opener)
    assert int(later.time) == 13


def test_shaped_reward_is_the_way_of_the_ball_in_everybodys_eyes():
    state = apart(ball_x=0, ball_y=0, ball_vx=160, ball_owner=-1)
    step = after(state, *[STAY] * 4)
    shaped = np.asarray(step.events.shaped)
    assert shaped[0] == pytest.approx(150 / (2 * LENGTH))
    assert (shaped == shaped[0] * np.array([1, -1, 1, -1])).all()
