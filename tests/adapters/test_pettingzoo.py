"""Our games pass PettingZoo's own tests."""

import copy
import importlib
import pickle
import sys
from typing import cast

import numpy as np
import pytest

import coplay
from coplay.adapters.pettingzoo import TurnByTurn, aec_env, parallel_env

pettingzoo_test = pytest.importorskip("pettingzoo.test")

# What PettingZoo's test says of every environment with action masks, its own included.
DICT_OBSERVATIONS = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)


def quietly(test):
    for message in DICT_OBSERVATIONS:
        test = pytest.mark.filterwarnings(message)(test)
    return test


def below(env) -> TurnByTurn:
    """The environment without its wrappers."""
    return cast(TurnByTurn, env.unwrapped)


def play_to_the_end(env, seed):
    """Random legal moves; the sum of rewards of every agent."""
    chance = np.random.default_rng(seed)
    env.reset(seed=seed)
    totals = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(seen["action_mask"]))))
    return totals


@quietly
@pytest.mark.parametrize("name", ["hanabi", "hanabi-very-small"])
def test_turn_games_pass_pettingzoos_test(name):
    pettingzoo_test.api_test(aec_env(name), num_cycles=60)


@quietly
def test_simultaneous_games_pass_pettingzoos_tests():
    pettingzoo_test.parallel_api_test(parallel_env("overcooked", horizon=30), num_cycles=40)
    pettingzoo_test.api_test(aec_env("overcooked", horizon=30), num_cycles=40)


@quietly
def test_a_seed_repeats_a_game():
    pettingzoo_test.seed_test(lambda: aec_env("hanabi-very-small"), num_cycles=30)
    pettingzoo_test.parallel_seed_test(lambda: parallel_env("overcooked", horizon=20), num_cycles=10)


def test_rewards_sum_to_the_score_for_every_agent():
    env = aec_env("hanabi-very-small", life_tokens=3)
    for seed in range(5):
        totals = play_to_the_end(env, seed)
        score = below(env).game.score(below(env)._state)
        assert set(totals.values()) == {float(score)}


def test_only_the_seat_to_move_has_a_mask():
    env = aec_env("hanabi-very-small")
    env.reset(seed=0)
    assert env.agent_selection == "player_0"
    assert below(env).observe("player_0")["action_mask"].any()
    assert not below(env).observe("player_1")["action_mask"].any()


def test_an_illegal_move_ends_the_wrapped_game_and_is_an_error_below():
    env = aec_env("hanabi-very-small")
    env.reset(seed=0)
    env.step(0)  # a discard with all tokens held
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards["player_0"] == -1

    table = below(env)
    table.reset(seed=0)
    with pytest.raises(ValueError, match="action 0 of player_0 is illegal"):
        table.step(0)


def test_observations_are_the_agents_own():
    env = parallel_env("overcooked", horizon=5)
    seen, _ = env.reset(seed=0)
    seen["player_0"]["observation"][:] = 7
    again, *_ = env.step({"player_0": 4, "player_1": 4})
    assert again["player_0"]["observation"].max() != 7 or again["player_0"]["observation"].min() != 7


def test_parallel_needs_a_simultaneous_game_and_all_actions():
    with pytest.raises(ValueError, match=r"one after another; use aec_env\('hanabi-very-small'\)"):
        parallel_env("hanabi-very-small")
    env = parallel_env("overcooked", horizon=1)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="one action for each of player_0, player_1, but got player_0"):
        env.step({"player_0": 0})
    *_, terminated, truncated, _ = env.step({"player_0": 4, "player_1": 4})
    assert not any(terminated.values())  # the clock cut it off
    assert all(truncated.values())
    with pytest.raises(ValueError, match="over; call reset"):
        env.step({"player_0": 4, "player_1": 4})


def test_an_environment_can_be_copied_and_pickled():
    env = aec_env("hanabi-very-small")
    env.reset(seed=3)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        theirs, ours = below(twin).observe("player_1"), below(env).observe("player_1")
        assert np.array_equal(theirs["observation"], ours["observation"])


def test_it_renders_as_text():
    env = aec_env("hanabi-very-small", render_mode="ansi")
    env.reset(seed=0)
    assert isinstance(env.render(), str)
    with pytest.raises(ValueError, match="render_mode='film': choose one of ansi, rgb_array, human"):
        aec_env("hanabi-very-small", render_mode="film")


def test_it_renders_as_pixels():
    env = parallel_env("overcooked", horizon=5, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert (first.dtype, first.ndim, first.shape[2]) == (np.uint8, 3, 3)
    env.step({"player_0": 0, "player_1": 1})
    second = env.render()
    assert isinstance(second, np.ndarray)
    assert (second != first).any()


def test_a_made_game_takes_no_settings():
    game = coplay.make("hanabi-very-small")
    assert below(aec_env(game)).game is game
    with pytest.raises(ValueError, match="settings players belong"):
        aec_env(game, players=3)


def test_without_pettingzoo_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "coplay.adapters.pettingzoo")
    with pytest.raises(ImportError, match=r"pip install 'coplay\[pettingzoo\]'"):
        importlib.import_module("coplay.adapters.pettingzoo")
