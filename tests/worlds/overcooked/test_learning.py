"""What is learned from recorded trials and from published networks, by the recipes as a user calls them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.agents.contents import contents
from coplay.train import train
from coplay.train.settings import TrainError
from coplay.worlds.overcooked import Overcooked
from coplay.worlds.overcooked.bots.unstuck import choose, no_history
from tests.worlds.overcooked.bots.test_carroll import clone_weights, convolution_weights
from tests.worlds.overcooked.bots.test_carroll import saved as saved_network
from tests.worlds.overcooked.kitchens import STAY, make
from tests.worlds.overcooked.test_recordings import LITTLE, recorded, saved

TINY: dict[str, Any] = {"embed": 8, "actor": 8, "critic": 8}
SHORT: dict[str, Any] = {"games": 4, "turns": 8, "minibatches": 2, "epochs": 1, "total_turns": 64, "bundle": 1}


def test_trials_of_a_folder_are_cloned_whatever_else_lies_there(tmp_path):
    saved(tmp_path, recorded(LITTLE))
    other = recorded(LITTLE, make(layout="forced_coordination"))
    del other["grid"]
    saved(tmp_path, other, "forced_coordination.npz")
    game = "cramped_room?encoding=bc_features&horizon=7"
    run = train("bc", game, tmp_path / "bc", progress=False, data=str(tmp_path), held_out_share=0.5, epochs=2, **TINY)
    assert run.metrics[-1]["held_out_decisions"] == 7 * 2  # one half of the trial's 14 steps
    assert run.agent.network.design.inputs == (62,)
    clone = f"unstuck:run:{tmp_path}/bc/agent-0.safetensors"
    assert not coplay.play(make(horizon=6), [clone, "stay"], games=2).forfeits
    assert list(contents(clone)) == [f"{tmp_path}/bc/agent-0.safetensors"]
    with pytest.raises(TrainError, match=r"\(cramped_room\) for 2, not of overcooked \(large_room\)"):
        train("bc", "large_room", tmp_path / "none", progress=False, data=str(tmp_path / "cramped_room.npz"))


def test_published_networks_are_partners_and_starts(tmp_path):
    sp = saved_network(tmp_path, "ppo_sp__cramped_room.npz", convolution_weights(5, 4))
    proxy = saved_network(tmp_path, "bc__cramped_room.npz", clone_weights([0, 0, 0, 0, 1, 0]))
    settings = {**SHORT, "bc": f"carroll:{proxy}", "start": f"carroll:{sp}", "learning_rate": 1e-12}
    run = train("br_bc", "cramped_room", tmp_path / "br", progress=False, **settings)
    assert run.agent.network.design.inputs == (5, 4, 20)
    kept = np.asarray(run.agent.network.actor.weight)
    np.testing.assert_allclose(kept, convolution_weights(5, 4)["out_w"], atol=1e-3)


def test_who_has_not_moved_for_three_steps_tries_something_else():
    game = Overcooked()
    view = game.view(game.reset(jax.random.key(0)), 0)
    logits = jnp.asarray([0.0, 1, 2, 3, 5, 4])
    history, actions = no_history(), []
    for step in range(6):
        history, action = choose(history, view, logits, True, True, jax.random.key(step))
        actions.append(int(action))
    assert actions[:4] == [STAY] * 4
    assert actions[4:] == [5, 3]
