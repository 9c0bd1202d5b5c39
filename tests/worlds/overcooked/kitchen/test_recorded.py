"""Episodes that begin where recorded games were."""

from __future__ import annotations

import json
from typing import Any

import jax
import numpy as np
import pytest

import coplay
from coplay.game import GameError
from coplay.games import make, spec_of
from coplay.rollouts.episode_file import save
from coplay.rollouts.replay import states_of
from coplay.train import train
from coplay.worlds.overcooked import rules

STEPS = 30


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("games") / "cooks.safetensors"
    save(coplay.play(make("cramped_room?horizon=30"), "greedy-cook", games=2, seed=3, progress=False), path)
    return str(path)


def words(state: rules.State) -> bytes:
    """What is where."""
    return np.stack([np.asarray(w, np.uint32) for w in (*state.chefs, *state.pots, *state.lying)]).tobytes()


def test_episodes_begin_in_states_of_the_recording_each_with_a_whole_clock(file):
    from coplay.rollouts.episode_file import load

    game = make(f"cramped_room?starts={file}")
    began = jax.device_get(jax.jit(jax.vmap(game.reset))(jax.random.split(jax.random.key(0), 400)))
    assert not began.time.any()
    assert not began.score.any()
    episodes = load(file)
    known = {words(state) for number in range(2) for state in states_of(episodes, number)[:-1]}
    found = [words(jax.tree.map(lambda leaf, at=row: leaf[at], began)) for row in range(400)]
    assert set(found) <= known
    assert len(set(found)) > 0.9 * len(known)
    assert make(spec_of(game)) == game


def test_shares_are_kept(file):
    game = make(f"cramped_room?starts={file}&recorded_starts=0.5&random_starts=0.2")
    began = jax.device_get(jax.vmap(game.reset)(jax.random.split(jax.random.key(0), 500)))
    standard = words(jax.device_get(rules.start(game)))
    same = [words(jax.tree.map(lambda leaf, at=row: leaf[at], began)) == standard for row in range(500)]
    assert 0.32 < np.mean(same) < 0.52  # half of the four fifths, and the first state of a recording


def test_learners_begin_there_and_the_run_says_with_which_file(file, tmp_path):
    small: dict[str, Any] = {"games": 4, "turns": 8, "minibatches": 2, "epochs": 1, "total_turns": 32, "embed": 8}
    run = train("ippo", "cramped_room", tmp_path / "run", progress=False, starts=file, actor=8, critic=8, **small)
    assert run.game == make("cramped_room")
    assert file in json.loads((tmp_path / "run" / "run.json").read_text())["inputs"]


def test_files_that_cannot_be_starts_are_named(file, tmp_path):
    with pytest.raises(GameError, match="no games of the kitchen 'large_room'"):
        make(f"large_room?starts={file}")
    with pytest.raises(GameError, match="there is no such file"):
        make(f"cramped_room?starts={tmp_path}/none.npz")
