"""One seat is yours: Gymnasium's own checker passes, rewards are the score, and both engines play the same games."""

from __future__ import annotations

import numpy as np
import pytest

from coplay.game import GameError
from coplay.player import Agent, AgentError

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from coplay.adapters.gymnasium import make, make_vec  # noqa: E402

TURNS, KITCHEN = "hanabi-very-small", "overcooked?layout=cramped_room&horizon=7"


class Careless(Agent):
    """Plays its first card, whatever it is: a plain agent."""

    def act(self, view):
        return int(np.flatnonzero(view.legal)[-1])


class Stubborn(Agent):
    def act(self, view):
        return 99


def test_gymnasiums_checker_passes():
    check_env(make(TURNS, ["random", "simplebot"]), skip_render_check=True)
    check_env(make(KITCHEN, "stay"), skip_render_check=True)


def play_out(env, chance, seed=None):
    """Random legal actions to the end: the rewards, how it ended, and the last info."""
    _, info = env.reset(seed=seed)
    rewards, over = [], False
    terminated = truncated = False
    while not over:
        _, reward, terminated, truncated, info = env.step(chance.choice(np.flatnonzero(info["action_mask"])))
        rewards.append(reward)
        over = terminated or truncated
    return rewards, (terminated, truncated), info


def test_rewards_are_the_score_from_every_seat_and_with_plain_partners():
    chance = np.random.default_rng(0)
    env = make(f"{TURNS}?players=3&life_tokens=3", [("simplebot", Careless()), "random"])
    seats, partners, totals = set(), set(), []
    for seed in range(12):
        rewards, ended, info = play_out(env, chance, seed)
        assert sum(rewards) == info["score"]
        assert ended == (True, False)
        assert not info["illegal"]
        totals.append(info["score"])
        seats.add(info["seat"])
        partners.add(info["partner"])
    assert seats == {0, 1, 2}
    assert partners == {"simplebot + Careless", "random"}
    assert max(totals) > 0
    assert play_out(make(TURNS, "simplebot", seat=1), chance)[2]["seat"] == 1


def test_the_clock_cuts_a_kitchen_off():
    rewards, ended, _ = play_out(make(KITCHEN, "stay", shaping=1.0), np.random.default_rng(0))
    assert (len(rewards), ended) == (7, (False, True))


def test_an_illegal_action_ends_the_episode_and_the_partners_own_is_told():
    env = make(TURNS, "simplebot", seat=0, illegal_reward=-2.0)
    _, info = env.reset(seed=0)
    refused = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert (env.action_masks() == info["action_mask"]).all()
    _, reward, terminated, truncated, info = env.step(refused)
    assert (reward, terminated, truncated, info["illegal"]) == (-2.0, True, False, True)
    with pytest.raises(GameError, match="call reset"):
        env.step(0)
    with pytest.raises(AgentError, match="partner Stubborn chose action 99 in seat 0"):
        make(TURNS, Stubborn(), seat=1).reset(seed=0)


def test_it_renders():
    words = make(TURNS, "simplebot", render_mode="ansi")
    words.reset(seed=0)
    assert "score" in words.render().lower()
    pixels = make(KITCHEN, "stay", render_mode="rgb_array")
    pixels.reset(seed=0)
    assert pixels.render().shape[2] == 3


@pytest.mark.parametrize(("game", "partners"), [(f"{TURNS}?players=3", [("simplebot", "random")]), (KITCHEN, "random")])
def test_many_at_once_are_the_same_games_as_one_by_one(game, partners):
    """Observations, masks, rewards, ends and fresh starts, with some illegal actions among the legal ones."""
    shaping = 0.5 if game == KITCHEN else 0.0
    singles, many = (
        [make(game, partners, shaping=shaping) for _ in range(3)],
        make_vec(game, partners, 3, shaping=shaping),
    )
    seen, info = many.reset(seed=5)
    theirs = [env.reset(seed=5 + place) for place, env in enumerate(singles)]
    chance, ended = np.random.default_rng(1), 0
    for _ in range(25):
        assert np.array_equal(seen, np.stack([one for one, _ in theirs]))
        assert np.array_equal(info["action_mask"], np.stack([told["action_mask"] for _, told in theirs]))
        assert info["seat"].tolist() == [told["seat"] for _, told in theirs]
        legal = [chance.choice(np.flatnonzero(mask)) for mask in many.action_masks()]
        actions = np.where(chance.random(3) < 0.05, chance.integers(many.game.num_actions, size=3), legal)
        seen, rewards, terminated, truncated, info = many.step(actions)
        theirs = []
        for place, (env, action) in enumerate(zip(singles, actions, strict=True)):
            last, reward, *ends, told = env.step(action)
            assert (reward, *ends) == (rewards[place], terminated[place], truncated[place])
            if any(ends):
                ended += 1
                assert np.array_equal(info["final_obs"][place], last)
                assert info["final_info"]["score"][place] == told["score"]
                last, told = env.reset()
            theirs.append((last, told))
    assert ended >= 3


def test_partners_share_the_environments_and_plain_ones_are_sent_elsewhere():
    assert make_vec(TURNS, ["simplebot", "random"], 5).partners == ["simplebot"] * 2 + ["random"] * 3
    with pytest.raises(GameError, match=r"Careless is a plain agent.*SyncVectorEnv"):
        make_vec(TURNS, Careless(), 2)
    with pytest.raises(GameError, match="fewer than the 2 partners"):
        make_vec(TURNS, ["simplebot", "random"], 1)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"seat": 2}, "has seats 0 to 1"),
        ({"shaping": 1.0}, "has no shaped reward"),
        ({"render_mode": "film"}, "choose one of ansi, rgb_array, human"),
        ({"partners": []}, "partners is empty"),
        ({"partners": [("random", "random")]}, "has 1 other seats"),
    ],
)
def test_mistakes_are_told(settings, says):
    with pytest.raises(GameError, match=says):
        make(TURNS, **{"partners": "random", **settings})
