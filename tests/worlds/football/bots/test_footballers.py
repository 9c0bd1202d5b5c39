"""The scripted players: legal, different, and as fast as they may be; the paper's players with poor teamwork."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.agents.spec import agent, describe_all
from coplay.player import AgentError
from coplay.registry import worlds
from coplay.sides import line_up
from coplay.worlds.football.actions import PASS, RUN, SHOOT, STAY, TACKLE
from coplay.worlds.football.pitch import LENGTH, METRE
from tests.worlds.football.matches import placed, small, start_of

ROLES = list(worlds()["football"].agents)


def act(name: str, seat: int = 0, **changes) -> int:
    """What a player does in a position: all at their places, the ball in the middle, unless something is changed."""
    game = small()
    state = placed(start_of(), **{"vx": [0] * 4, "vy": [0] * 4, "ball_claim": -1, "ball_x": 0, "ball_y": 0, **changes})
    return int(agent(name, game).act(None, game.view(state, seat), jax.random.key(0))[1])  # pyright: ignore


def test_all_ten_play_a_match_of_legal_moves():
    game = coplay.make("football?players=5&half=10")
    played = coplay.play(game, ROLES, games=4, seed=1, engine="lockstep", progress=False)
    assert len(ROLES) == 10
    assert played.forfeits == ()
    assert (played.lengths == 21).all()
    moves = played.actions[:, 1:]
    assert ((moves >= RUN) & (moves < PASS)).any()
    assert (moves >= PASS).any()


def test_a_match_is_the_same_whichever_way_it_is_run():
    team = ["passer", "winger", "intruder", "keeper"]
    compiled, hosted = (coplay.play(small(), team, games=8, engine=way, progress=False) for way in ("scan", "lockstep"))
    assert (compiled.actions == hosted.actions).all()


def test_a_team_of_supporters_beats_a_team_that_walks():
    game = small("football?players=2&half=60")
    team = line_up(["supporter"] * 2, ["supporter?speed=40"] * 2)
    assert coplay.play(game, team, games=32, engine="lockstep", progress=False).scores.mean() > 0.5


def test_copies_of_intruders_play_as_supporters_do():
    """They know each other, so nobody gets in anybody's way: their skill is the same, as in the paper."""
    game = small("football?players=2&half=60")
    teams = [line_up([name] * 2, ["chaser"] * 2) for name in ("supporter", "intruder")]
    first, second = (coplay.play(game, team, games=4, seed=2, engine="lockstep", progress=False) for team in teams)
    assert (first.actions[:, 1:] == second.actions[:, 1:]).all()


@pytest.mark.parametrize(("sign", "goes"), [(0, True), (2, True), (1, False)])
def test_an_intruder_gives_way_only_to_its_own_sign(sign, goes):
    """Its mate has the ball two metres away; who gives way waits behind the ball, where this one stands already."""
    position = {"x": [-2 * METRE, 2000, -100, 2500], "y": [0, 2000, 0, 2000], "ball_owner": 2, "ball_x": 0}
    action = act("intruder", signs=[1, 0, sign, 0], **position)
    assert (action != STAY) == goes
    assert act("supporter", signs=[1, 0, sign, 0], **position) == STAY


def test_an_intruder_keeps_the_ball_from_mates_it_does_not_know():
    """A supporter that is pressed far from the goal kicks the ball on; so does an intruder among its own."""
    pressed = {"x": [0, 300, -2000, 2500], "y": [0, 0, 500, 2000], "ball_owner": 0}
    alone, known = (act("intruder", signs=[1, 0, sign, 0], **pressed) for sign in (0, 1))
    assert RUN <= alone < PASS
    assert known == act("supporter", **pressed) == PASS
    assert act("intruder?keeps=false", **pressed) == PASS


def test_players_of_one_role_are_one_program():
    """Speed, sign and manners are numbers: whatever they are, a team is compiled once."""
    one, other = (agent(name, small()) for name in ("supporter?speed=60", "intruder?speed=90"))
    assert jax.tree.structure(one) == jax.tree.structure(other)
    assert jax.tree.structure(one) != jax.tree.structure(agent("chaser", small()))


def test_intruders_of_one_speed_know_each_other():
    signs = {speed: int(agent(f"intruder?speed={speed}", small()).sign) for speed in (100, 90, 80, 70, 60, 50, 40)}  # pyright: ignore
    assert len(set(signs.values())) == len(signs)
    assert 0 not in signs.values()


def test_a_supporter_waits_two_metres_behind_the_ball_when_a_mate_is_nearer():
    waits = act("supporter", x=[-2 * METRE, 3000, -300, 3500], y=[0, 2000, 0, 2000])
    goes = act("supporter", x=[-METRE, 3000, -1000, 3500], y=[0, 2000, 0, 2000])
    assert (waits, goes) == (STAY, RUN)


def test_near_the_goal_strikers_shoot_and_who_is_tackled_is_tackled():
    near = {"x": [LENGTH - 5 * METRE, 0, 0, 0], "y": [0, 0, 900, -900], "ball_owner": 0}
    assert act("striker", **near) == SHOOT
    assert act("chaser", **near) == SHOOT
    assert act("chaser", x=[0, 150, 2000, 2000], y=[0, 0, 900, -900], ball_owner=1, ball_x=50) == TACKLE


def test_a_passer_finds_the_free_mate_and_not_the_marked_one():
    free = {"x": [0, 200, 6 * METRE, -3000], "y": [0, 300, 0, 2000], "ball_owner": 0}
    assert act("passer", **free) == PASS
    marked = {**free, "x": [0, 3 * METRE, 6 * METRE, -3000], "y": [0, 50, 0, 2000]}
    assert act("passer", **marked) < PASS


def test_a_keeper_stays_in_its_goal():
    action = act("keeper", x=[-LENGTH + METRE, 3000, 0, 3500], y=[0, 2000, 500, 2000], ball_x=1000)
    assert action == STAY


def test_slow_players_run_in_fewer_steps():
    ran = [
        act("chaser?speed=60", x=[-3000, 3000, -3500, 3500], y=[0, 2000, 900, 2000], time=time) != STAY
        for time in range(1, 21)
    ]
    assert np.sum(ran) == 12


def test_who_does_not_see_the_ball_looks_around():
    game = small("football?players=2&half=12&sight=5&cone=120")
    state = placed(start_of("football?players=2&half=12&sight=5&cone=120"), ball_x=3000, x=[-3000, 0, 0, 0])
    view = game.view(state, 0)
    assert not bool(view.ball_seen)
    action = agent("chaser", game).act(None, view, jax.random.key(0))[1]  # pyright: ignore
    assert RUN <= int(action) < PASS


def test_each_is_described_by_its_own_sentence():
    told = dict(describe_all(small()))
    assert len({told[name] for name in ROLES}) == len(ROLES)
    assert told["keeper"] == "Stands between the posts and clears."


@pytest.mark.parametrize(
    ("name", "game", "words"),
    [
        ("keeper?speed=0", "football", "speed=0; give per cent"),
        ("keeper?sign=12", "football", "signs are 0"),
        ("keeper", "hanabi", "keeper plays football, not hanabi"),
    ],
)
def test_players_that_cannot_be_are_refused_in_words(name, game, words):
    with pytest.raises(AgentError, match=words):
        agent(name, coplay.make(game))


def test_signs_are_given_at_the_line_up():
    game = small()
    team: Any = [agent(name, game) for name in ("supporter", "supporter", "intruder", "chaser?sign=4")]

    @jax.jit
    def signs(key: Any) -> Any:
        state = game.reset(key)
        actions = [one.act(None, game.view(state, seat), key)[1] for seat, one in enumerate(team)]
        return game.step(state, jnp.stack(actions)).state.signs

    assert signs(jax.random.key(0)).tolist() == [0, 0, 1, 4]
