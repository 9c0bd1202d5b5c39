"""The JaxMARL-style class repeats recorded play of JaxMARL's own, restarts included."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.adapters.jaxmarl_overcooked import NAMES, Overcooked, overcooked_layouts
from coplay.game import GameError

RECORDED = Path(__file__).parents[1] / "golden/jaxmarl/overcooked.npz"
HORIZON = 110


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED) as data:
        return {name: data[name] for name in data.files}


def replay(env, key, actions):
    """All steps in one compiled loop, with the keys of the recording."""
    key, first = jax.random.split(key)
    seen, state = env.reset(first)

    def one(carry, joint):
        key, state = carry
        key, turn, _, _ = jax.random.split(key, 4)
        seen, state, rewards, dones, infos = env.step(turn, state, dict(zip(env.agents, joint, strict=True)))
        shaped = infos["shaped_reward"]
        rows = (seen, rewards["agent_1"], jnp.stack([shaped[agent] for agent in env.agents]), dones["__all__"])
        return (key, state), rows

    _, (later, rewards, shaped, dones) = jax.lax.scan(one, (key, state), jnp.asarray(actions))
    observations = [np.concatenate([seen[agent][None], later[agent]]) for agent in env.agents]
    return np.stack(observations, axis=1), np.asarray(rewards), np.asarray(shaped), np.asarray(dones)


@pytest.mark.parametrize("name", ["cramped_room", "forced_coord"])
def test_recorded_play_is_jaxmarls(name, recorded):
    env = Overcooked(overcooked_layouts[name], max_steps=HORIZON)
    theirs = {field: recorded[f"{name}/{field}"] for field in ("observations", "actions", "rewards", "shaped", "dones")}
    seen, rewards, shaped, dones = replay(env, jax.random.key(list(NAMES).index(name)), theirs["actions"])
    assert np.array_equal(seen, theirs["observations"])
    assert np.array_equal(rewards, theirs["rewards"])
    assert rewards.sum() > 0
    assert np.array_equal(dones, theirs["dones"])
    assert np.flatnonzero(dones).tolist() == [HORIZON - 1]
    # Where they differ, agent 1 took a dish in the step in which agent 0 changed the pots.
    unlike = np.argwhere(shaped != theirs["shaped"])
    assert all(seat == 1 and (theirs["actions"][step] == 5).all() for step, seat in unlike)


@pytest.mark.parametrize("name", NAMES)
def test_starts_are_jaxmarls(name, recorded):
    """Every layout begins where JaxMARL's does."""
    seen = recorded[f"{name}/observations"][0, 0]  # [y, x, layer]: own cell, then the other's
    cells = [tuple(int(i) for i in np.argwhere(seen[..., layer])[0][::-1]) for layer in (0, 1)]
    assert Overcooked(name).game.kitchen.starts == tuple(cells)


def test_a_batch_restarts_the_kitchens_that_end_and_only_those():
    env = Overcooked(max_steps=3)
    keys = jax.random.split(jax.random.key(0), 4)
    _, states = jax.vmap(env.reset)(keys)
    states = states._replace(time=jnp.array([0, 2, 1, 2]))
    actions = {agent: jnp.full(4, 4) for agent in env.agents}
    seen, after, rewards, dones, infos = jax.vmap(env.step)(keys, states, actions)
    assert dones["__all__"].tolist() == dones["agent_0"].tolist() == [False, True, False, True]
    assert after.time.tolist() == [1, 0, 2, 0]
    assert seen["agent_0"].shape == (4, 4, 5, 26)
    assert rewards["agent_0"].tolist() == [0.0] * 4
    assert infos["shaped_reward"]["agent_1"].shape == (4,)
    given = env.reset(keys[0])[1]._replace(score=jnp.int32(7))
    _, chosen, *_ = env.step(keys[0], given._replace(time=jnp.int32(2)), dict.fromkeys(env.agents, 4), given)
    assert int(chosen.score) == 7


def test_spaces_and_layouts_have_what_the_scripts_read():
    env = Overcooked()
    assert (env.name, env.num_agents, env.agents) == ("Overcooked", 2, ["agent_0", "agent_1"])
    assert env.action_space().n == env.num_actions == 6
    assert env.observation_space("agent_0").shape == (4, 5, 26)
    space = env.observation_space()
    assert space.contains(space.sample(jax.random.key(0)))
    assert env.get_avail_actions(None)["agent_0"].tolist() == [1] * 6  # pyright: ignore[reportArgumentType]
    cells = {
        "height": 4,
        "width": 5,
        "wall_idx": [0, 1, 2, 3, 4, 5, 9, 10, 14, 15, 16, 17, 18, 19],
        "agent_idx": [6, 8],
        "goal_idx": [18],
        "plate_pile_idx": [16],
        "onion_pile_idx": [5, 9],
        "pot_idx": [2],
    }
    assert Overcooked(cells).layout == overcooked_layouts["cramped_room"]
    with pytest.raises(GameError, match="pot_idx missing"):
        Overcooked({name: value for name, value in cells.items() if name != "pot_idx"})
    with pytest.raises(GameError, match=r"game\.place"):
        Overcooked(random_reset=True)
