"""The JaxMARL-style class behaves as JaxMARL's own did in recorded games, and restarts finished games in a batch."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.adapters import jaxmarl

GOLDEN = Path(__file__).parents[1] / "golden/jaxmarl"


@pytest.fixture(scope="module")
def env():
    return jaxmarl.make("hanabi")


@pytest.mark.parametrize("players", [2, 4])
def test_a_recorded_game_is_jaxmarls(players):
    recorded = np.load(GOLDEN / f"game_{players}p.npz")
    env = jaxmarl.HanabiEnv(num_agents=players)
    knowledge = env.obs_size - players * env.game.hand_size * 35
    seen, state = env.reset_from_deck_of_pairs(recorded["deck"].astype(int))
    key = jax.random.key(0)

    def check(turn):
        ours = np.stack([np.asarray(seen[agent]) for agent in env.agents])
        theirs = recorded["observations"][turn]
        assert np.array_equal(ours[:, :knowledge], theirs[:, :knowledge])
        np.testing.assert_allclose(ours[:, knowledge:], theirs[:, knowledge:], atol=1e-6)

    check(0)
    for turn, joint in enumerate(recorded["actions"]):
        legal = env.get_legal_moves(state)
        assert np.array_equal(np.stack([np.asarray(legal[agent]) for agent in env.agents]), recorded["legal"][turn])
        actions = dict(zip(env.agents, joint, strict=True))
        seen, state, rewards, dones, infos = env.step_env(key, state, actions)
        check(turn + 1)
        assert set(rewards) == set(dones) == {*env.agents, "__all__"}
        assert {float(reward) for reward in rewards.values()} == {recorded["rewards"][turn]}
        assert {bool(done) for done in dones.values()} == {bool(recorded["dones"][turn])}
        assert not infos["illegal"].any()


def test_spaces_have_what_the_scripts_read(env):
    assert env.name == "Hanabi"
    assert env.agents == ["agent_0", "agent_1"]
    assert env.num_agents == 2
    assert env.action_space("agent_0").n == env.num_moves == env.num_actions == 21
    assert env.observation_space("agent_1").shape == 658
    sample = env.action_space("agent_0").sample(jax.random.key(0))
    assert env.action_space("agent_0").contains(sample)
    assert env.observation_space("agent_0").contains(env.observation_space("agent_0").sample(jax.random.key(0)))


def test_the_no_op_is_legal_exactly_off_turn(env):
    _, state = env.reset(jax.random.key(0))
    legal = env.get_avail_actions(state)
    assert legal["agent_0"][-1] == 0
    assert legal["agent_0"].sum() > 0
    assert np.flatnonzero(legal["agent_1"]).tolist() == [20]


def test_an_illegal_action_changes_nothing_and_is_marked(env):
    _, state = env.reset(jax.random.key(0))
    no_op = {"agent_0": jnp.int32(20), "agent_1": jnp.int32(20)}
    _, after, rewards, dones, infos = env.step(jax.random.key(1), state, no_op)
    assert infos["illegal"].tolist() == [True, False]
    assert (float(rewards["__all__"]), bool(dones["__all__"])) == (0.0, False)
    assert jax.tree.all(jax.tree.map(lambda new, old: jnp.array_equal(new, old), after, state))


def test_finished_games_of_a_batch_begin_anew_and_only_those(env):
    """More games end at once than are shuffled at a time, so the loop of the batched restart runs more than once."""
    batch = 40
    keys = jax.random.split(jax.random.key(2), batch)
    _, states = jax.vmap(env.reset)(keys)
    ends = np.arange(batch) % 3 != 0
    states = states._replace(lives=jnp.where(ends, 1, 3).astype(jnp.int32))
    # A stack of all cards but the fives of red: every play of another card loses a life.
    states = states._replace(played=jnp.full(batch, (1 << 25) - 1 - (1 << 4), jnp.uint32))
    actions = {"agent_0": jnp.full((batch, 1), 5), "agent_1": jnp.full((batch, 1), 20)}
    seen, after, _, dones, _ = jax.vmap(env.step)(keys, states, actions)
    done = np.asarray(dones["__all__"])
    assert done.sum() > batch // 16
    assert (done <= ends).all()
    fresh_seen, fresh = jax.vmap(env.reset)(keys)
    for row in range(batch):
        expected = fresh.deck if done[row] else states.deck
        assert np.array_equal(after.deck[row], expected[row])
        assert int(after.lives[row]) == (3 if done[row] else int(after.lives[row]))
        assert np.array_equal(seen["agent_1"][row], fresh_seen["agent_1"][row]) == done[row]


def test_one_game_begins_anew_like_a_row_of_a_batch(env):
    key = jax.random.key(5)
    _, state = env.reset(jax.random.key(6))
    state = state._replace(lives=jnp.int32(1), played=jnp.uint32((1 << 25) - 1 - (1 << 4)))
    card = int(env.game.deck_of(state)[0] @ np.array([5, 1]))
    assert card != 4, "choose another key: this game's first card is the one that fits"
    seen, after, rewards, dones, _ = env.step(key, state, {"agent_0": 5, "agent_1": 20})
    fresh_seen, fresh = env.reset(key)
    assert bool(dones["__all__"])
    assert float(rewards["agent_1"]) == -24
    assert jax.tree.all(jax.tree.map(jnp.array_equal, after, fresh))
    assert np.array_equal(seen["agent_0"], fresh_seen["agent_0"])


def test_settings_have_jaxmarls_names():
    env = jaxmarl.HanabiEnv(3, 2, 3, 2, 4, 1, [3, 2, 1])
    game = env.game
    assert (game.players, game.colors, game.ranks, game.hand_size, game.info_tokens, game.life_tokens) == (
        3,
        2,
        3,
        2,
        4,
        1,
    )
    assert game.copies == (3, 2, 1)
    with pytest.raises(ValueError, match="players=6"):
        jaxmarl.make(num_agents=6)
    with pytest.raises(ValueError, match="unknown environment 'smax'"):
        jaxmarl.make("smax")
