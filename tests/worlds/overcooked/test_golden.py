"""Recorded episodes of the reference engines replay exactly: states, rewards, events, encodings, masks."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.worlds.overcooked.kitchens import STATE, compiled, make, placed

RECORDINGS = (
    "cramped_room__oai_old",
    "forced_coordination__oai_new",
    "coordination_ring__zsc_old",
)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recorded_episode_replays(golden: Path, name: str) -> None:
    data = dict(np.load(golden / "overcooked" / f"{name}.npz"))
    layout, tag = name.split("__")
    engine, dynamics = tag.split("_")
    oai = engine == "oai"
    game = make(
        layout=layout,
        dynamics=dynamics,
        events="overcooked_ai" if oai else "zsc_eval",
        encoding="lossless" if oai else "lossless_2019",
    )
    assert list(game.event_names) == data["event_names"].tolist()

    def observe(state):
        views = [game.view(state, seat) for seat in range(2)]
        return jnp.stack([game.encode(v) for v in views]), jnp.stack([game.useful_actions(v) for v in views])

    def advance(state, actions):
        after = game.step(state, actions)
        return after.state, (state, observe(state), after.reward, after.done, after.events)

    def replay(actions):
        last, steps = jax.lax.scan(advance, game.reset(jax.random.key(0)), actions)
        return last, observe(last), steps

    last, (last_seen, _), (states, (seen, useful), reward, done, events) = jax.jit(jax.vmap(replay))(
        jnp.asarray(data["action"], jnp.int32)
    )
    assert (np.asarray(reward) == data["reward_by_agent"].sum(-1)).all()
    assert (np.asarray(events.shaped) == data["shaped_by_agent"]).all()
    assert (np.asarray(events.flags) == data["events"]).all()
    assert (np.asarray(done) == (np.arange(400) == 399)).all()
    seen = np.concatenate([np.asarray(seen), np.asarray(last_seen)[:, None]], axis=1)
    assert (seen[:, data["obs_t"]] == data["obs"]).all()
    if not oai:
        assert (np.asarray(useful) == data["available_actions"][:, :-1]).all()

    host = jax.tree.map(np.asarray, states)
    for episode in range(len(data["action"])):
        for t in range(0, 400, 3):
            now = game.snapshot(jax.tree.map(lambda leaf, e=episode, t=t: leaf[e, t], host))
            assert all((now[field] == data[field][episode, t]).all() for field in STATE), (episode, t)
        end = game.snapshot(jax.tree.map(lambda leaf, e=episode: np.asarray(leaf)[e], last))
        assert all((end[field] == data[field][episode, 400]).all() for field in STATE)


@pytest.mark.parametrize(
    "name",
    [
        "counter_circuit",
        "counter_circuit_tomato",
        "you_shall_not_pass",
        "inverse_marshmallow_experiment",
    ],
)
def test_a_recorded_human_trial_replays(shared: Path, name: str) -> None:
    data = dict(np.load(shared / "data" / "overcooked" / "human" / f"{name}.npz"))
    steps = len(data["action"])
    game = make(layout=name, dynamics="old" if data["old_dynamics"] else "new", horizon=steps + 1)

    def advance(state, actions):
        after = game.step(state, actions)
        return after.state, (state, after.reward, after.events)

    start = placed(game, {field: data[field][0] for field in STATE})
    _, (states, reward, events) = jax.jit(lambda s, a: jax.lax.scan(advance, s, a))(
        start, jnp.asarray(data["action"], jnp.int32)
    )
    assert (np.asarray(reward)[:-1] == data["reward_engine"][:-1]).all()
    assert (np.asarray(events.shaped)[:-1] == data["shaped_engine"][:-1]).all()
    assert (np.asarray(events.flags)[:-1] == data["events_engine"][:-1]).all()
    host = jax.tree.map(np.asarray, states)
    for t in range(0, steps, 5):
        now = game.snapshot(jax.tree.map(lambda leaf, t=t: leaf[t], host))
        assert all((now[field] == data[field][t]).all() for field in STATE), t


def test_each_function_is_compiled_once() -> None:
    game = make()
    state = game.reset(jax.random.key(0))
    advance = compiled(game)
    for action in range(6):
        state = advance(state, jnp.asarray([action, 5 - action], jnp.int32)).state
    assert advance._cache_size() == 1
