"""Recorded trials of people replay exactly, and a file that does not is refused with its step and field."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.data import DataError
from coplay.rollouts.replay import states_of
from coplay.worlds.overcooked import Overcooked
from coplay.worlds.overcooked.recordings import STATE, as_games_of, load_trial, load_trials, to_episodes
from tests.worlds.overcooked.kitchens import EAST, INTERACT, NORTH, SOUTH, STAY, WEST, compiled

PUBLISHED = {  # points of the whole trial, and its steps
    "cramped_room": (340, 1143),
    "asymmetric_advantages": (660, 1199),
    "counter_circuit": (280, 1204),
    "counter_circuit_tomato": (47, 397),
    "you_shall_not_pass": (196, 396),
    "inverse_marshmallow_experiment": (215, 396),
    "debug_cramped_room": (20, 301),
    "debug_counter_circuit_tomato": (0, 306),
}
FETCH = [WEST, INTERACT, EAST, NORTH, INTERACT, WEST]  # an onion from the west wall into the pot of the cramped room
LITTLE = [[action, STAY] for action in [NORTH, *FETCH, *FETCH, SOUTH]]


def recorded(actions: list[list[int]], game: Overcooked | None = None) -> dict[str, np.ndarray]:
    """A trial as a file holds it, played here."""
    game = game or Overcooked(horizon=len(actions))
    state, shots, rewards = game.reset(jax.random.key(0)), [], []
    for joint in actions:
        shots.append(game.snapshot(state))
        step = compiled(game)(state, jnp.asarray(joint, jnp.int32))
        state = step.state
        rewards.append(int(step.reward))
    fields = {name: np.stack([shot[name] for shot in shots]) for name in STATE}
    return fields | {
        "action": np.asarray(actions, np.int8),
        "reward_engine": np.asarray(rewards, np.int16),
        "old_dynamics": np.asarray(game.dynamics == "old"),
        "grid": np.asarray(["XXPXX", "O  2O", "X1  X", "XDXSX"]),
    }


def saved(folder: Path, fields: dict[str, np.ndarray], name: str = "cramped_room.npz") -> Path:
    np.savez(folder / name, **fields)  # pyright: ignore[reportArgumentType]
    return folder / name


@pytest.fixture(scope="module")
def little() -> dict[str, np.ndarray]:
    return recorded(LITTLE)


def test_a_trial_comes_back_ready_for_cloning(little, tmp_path):
    (trial,) = load_trials(saved(tmp_path, little))
    assert (trial.name, trial.game.kitchen.name, trial.game.dynamics) == ("cramped_room", "cramped_room", "old")
    assert trial.actions.tolist() == LITTLE
    assert trial.shaped.sum() == 6  # two onions in the pot
    assert trial.score == little["reward_engine"].sum()
    seen = trial.observations()
    assert seen.shape == (len(LITTLE), 2, *trial.game.observation_shape)
    assert np.asarray(seen)[0, 0, ..., 0].sum() == 1
    features = trial.observations(dataclasses.replace(trial.game, encoding="bc_features"))
    assert features.shape == (len(LITTLE), 2, 62)


def test_a_folder_holds_many_trials_and_names_need_not_be_layouts(little, tmp_path):
    saved(tmp_path, little, "worker_7.npz")
    saved(tmp_path, {name: value for name, value in little.items() if name != "grid"})
    assert [trial.game.kitchen.name for trial in load_trials(tmp_path)] == ["cramped_room", "cramped_room"]


@pytest.mark.parametrize(
    ("field", "change", "words"),
    [
        ("ori", lambda ori: np.where(np.arange(14)[:, None] == 5, 3, ori), r"step 5: ori is \[3, 3\] in the file"),
        ("reward_engine", lambda reward: reward + (np.arange(14) == 3), "step 3: reward_engine is 1 in the file"),
        ("pos", lambda pos: pos * 0, r"step 0: positions\[0\]=\(0, 0\) is counter"),
        ("action", lambda action: action + 9, "step 0: action 9 of seat 0"),
        ("action", lambda action: action[:3], "pos has 14 entries, but there are 3 actions"),
        ("action", lambda action: action[:, 0], "should be .steps, players"),
        ("grid", lambda grid: np.asarray(["XX", "XX"]), "start cells missing"),
        ("ori", None, "field 'ori' is missing"),
    ],
)
def test_what_does_not_fit_is_named(field, change, words, little, tmp_path):
    fields = {name: value for name, value in little.items() if name != field or change is not None}
    if change is not None:
        fields[field] = change(fields[field])
    with pytest.raises(DataError, match=words):
        load_trial(saved(tmp_path, fields))


def test_a_recording_is_cut_where_the_clock_of_another_game_would_end_it(little, tmp_path):
    trial = load_trial(saved(tmp_path, little))
    game = Overcooked(horizon=5, encoding="bc_features")
    cut = as_games_of(game, to_episodes(trial))
    assert cut is not None
    assert (cut.game, cut.lengths.tolist(), cut.extra["recording"].tolist()) == (game, [5, 5, 4], [0, 0, 0])
    for number, begin in enumerate((0, 5, 10)):
        walked = states_of(cut, number)  # it obeys the rules and replays to its score
        assert [int(state.time) for state in walked] == list(range(len(walked)))
        for offset, state in enumerate(walked[:-1]):
            whole = jax.tree.map(lambda leaf, at=begin + offset: leaf[at], trial.states)
            same = jax.tree.map(lambda a, b: bool((np.asarray(a) == b).all()), state, whole)
            assert all(same.chefs + same.pots + same.lying)
    assert as_games_of(Overcooked("forced_coordination"), to_episodes(trial)) is None
    assert as_games_of(Overcooked(dynamics="new"), to_episodes(trial)) is None


def test_wrong_paths_are_named(tmp_path):
    with pytest.raises(DataError, match="no such file or folder"):
        load_trials(tmp_path / "nothing.npz")
    with pytest.raises(DataError, match=r"no \.npz files"):
        load_trials(tmp_path)
    (tmp_path / "text.npz").write_text("no trial")
    with pytest.raises(DataError, match=r"not an \.npz file"):
        load_trials(tmp_path)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_trials_replay_without_a_divergence(name, shared):
    path = shared / f"data/overcooked/human/{name}.npz"
    if not path.is_file():
        pytest.skip("needs the human trials (../shared/data/overcooked/human)")
    trial = load_trial(path)
    assert (trial.score, len(trial.actions)) == PUBLISHED[name]
    assert trial.game.dynamics == ("old" if len(trial.actions) > 1000 else "new")
    events = np.load(path)["shaped_engine"]
    if not trial.game.kitchen.places["T"]:
        assert (trial.shaped[:-1] == events[:-1]).all()
