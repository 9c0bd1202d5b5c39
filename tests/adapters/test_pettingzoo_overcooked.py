"""Kitchens pass PettingZoo's own tests, with three chefs and with the encodings networks read."""

import numpy as np
import pytest

from coplay.adapters.pettingzoo import parallel_env

pettingzoo_test = pytest.importorskip("pettingzoo.test")
# What PettingZoo's test says of every environment with action masks, its own included.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


@pytest.mark.parametrize(
    "settings", [{"encoding": "bc_features"}, {"layout": "large_room", "chefs": 3, "dynamics": "new"}], ids=str
)
def test_a_kitchen_passes_pettingzoos_test(settings):
    pettingzoo_test.parallel_api_test(parallel_env("overcooked", horizon=25, **settings), num_cycles=30)


def test_rewards_are_the_teams_and_the_episode_ends_at_the_horizon():
    env = parallel_env("overcooked", horizon=12)
    seen, _ = env.reset(seed=0)
    chance = np.random.default_rng(0)
    steps = 0
    while env.agents:
        seen, rewards, *_ = env.step({agent: int(chance.integers(6)) for agent in env.agents})
        assert len(set(rewards.values())) == 1
        steps += 1
    assert steps == 12
    assert all(view["observation"].dtype == np.uint8 for view in seen.values())
