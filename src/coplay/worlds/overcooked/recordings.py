"""Trials of people who cooked together: reading them, and checking them by cooking them again.

A file (.npz) holds one trial: `grid` or a layout's name as the file's name, `old_dynamics`, the state before every
action (`pos`, `ori`, `held`, `held_soup`, `obj`, `onions`, `tomatoes`, `tick`, coded as in `game.snapshot`), `action`
[steps, players], and `reward_engine`, the points of each step; the last step's are not recorded.
"""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.data import DataError
from coplay.data.formats import Format
from coplay.data.joining import RECORDING
from coplay.game import GameError
from coplay.rollouts.episode import Episodes, joint_actions
from coplay.worlds.overcooked import Overcooked, State
from coplay.worlds.overcooked.kitchen.layouts import library

STATE = ("pos", "ori", "held", "held_soup", "obj", "onions", "tomatoes", "tick")
SOUP = 3


class Trial(NamedTuple):
    """One trial, exactly as our engine plays it."""

    name: str
    game: Overcooked  # its horizon is the length of the trial
    start: State
    actions: np.ndarray  # int32 [steps, players]
    rewards: np.ndarray  # float32 [steps]: of the team
    shaped: np.ndarray  # int32 [steps, players]
    states: State  # before each action: leaves [steps]
    seconds: np.ndarray | None  # float32 [steps]: since the trial began, where it was recorded

    @property
    def score(self) -> int:
        return int(self.rewards.sum())

    def observations(self, game: Overcooked | None = None) -> jax.Array:
        """[steps, players, ...]: what each seat saw before each action, in the encoding of `game` or the trial's own.

        `game` is the trial's game with another encoding or horizon: `dataclasses.replace(trial.game, encoding=...)`.
        """
        return _observer(game or self.game)(self.states)


def load_trials(path: str | Path) -> list[Trial]:
    """The trial in a file, or all trials in a folder, each checked step by step against our engine."""
    path = Path(path)
    if path.is_dir():
        files = sorted(path.rglob("*.npz"))
        if not files:
            raise DataError(f"{path}: there are no .npz files in this folder; give the folder of the trials.")
        return [load_trial(file) for file in files]
    return [load_trial(path)]


def load_trial(path: str | Path) -> Trial:
    """One trial, checked: the same start and actions must give the recorded states and points."""
    path = Path(path)
    data = _read(path)
    game = _game(path, data)
    actions = np.asarray(data["action"], np.int32)
    try:
        start = game.place(**_placing({name: data[name][0] for name in STATE}))
    except GameError as error:
        raise DataError(f"{path}, step 0: {error}") from error
    states, rewards, shaped, illegal = jax.device_get(_runner(game)(start, actions))
    if illegal.any():
        step, seat = np.argwhere(illegal)[0].tolist()
        raise DataError(f"{path}, step {step}: action {actions[step, seat]} of seat {seat}; actions are 0 to 5.")
    _compare(path, game, data, states, rewards)
    seconds = np.asarray(data["time_elapsed"], np.float32) if "time_elapsed" in data else None
    return Trial(path.stem, game, start, actions, rewards, shaped, states, seconds)


def _read(path: Path) -> dict[str, np.ndarray]:
    if not path.is_file():
        raise DataError(f"{path}: there is no such file or folder.")
    try:
        with np.load(path) as source:
            data = {name: source[name] for name in source.files}
    except (ValueError, OSError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: this is not an .npz file of arrays ({error}).") from error
    for name in (*STATE, "action", "old_dynamics"):
        if name not in data:
            raise DataError(f"{path}: field {name!r} is missing; a trial has {', '.join(STATE)}, action, old_dynamics.")
    steps = len(data["action"])
    for name in (*STATE, "reward_engine"):
        if name in data and len(data[name]) != steps:
            raise DataError(f"{path}: {name} has {len(data[name])} entries, but there are {steps} actions.")
    if steps == 0 or data["action"].ndim != 2:
        raise DataError(f"{path}: action has shape {data['action'].shape}; it should be [steps, players].")
    return data


def _game(path: Path, data: Mapping[str, np.ndarray]) -> Overcooked:
    """The game that was played: by the grid if the file has one, else by the file's name."""
    layout = _layout(path, data)
    dynamics = "old" if bool(data["old_dynamics"]) else "new"
    steps, players = data["action"].shape
    try:
        return Overcooked(layout=layout, dynamics=dynamics, horizon=steps, chefs=players)
    except GameError as error:
        raise DataError(f"{path}: {error}") from error


def _layout(path: Path, data: Mapping[str, np.ndarray]) -> str:
    """A known kitchen with the recorded terrain, so that it brings its orders; else the grid as it is."""
    if "grid" not in data:
        return path.stem
    rows = tuple(str(row) for row in data["grid"])
    terrain = tuple("".join(" " if letter.isdigit() else letter for letter in row) for row in rows)
    known = [layout.name for layout in library().values() if layout.rows == terrain]
    if path.stem in known:
        return path.stem
    return known[0] if known else "\n".join(rows)


def _placing(row: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The arguments of `game.place` for one recorded state."""
    objects: dict[tuple[int, int], Any] = {}
    for y, x in np.argwhere(row["obj"] > 0).tolist():
        code = int(row["obj"][y, x])
        soup = (int(row["onions"][y, x]), int(row["tomatoes"][y, x]), int(row["tick"][y, x]))
        objects[x, y] = (code, *soup) if code == SOUP else code
    return {
        "positions": [tuple(cell) for cell in row["pos"].tolist()],
        "facings": row["ori"].tolist(),
        "held": row["held"].tolist(),
        "held_soups": [tuple(soup) for soup in row["held_soup"].tolist()],
        "objects": objects,
    }


def _compare(path: Path, game: Overcooked, data: Mapping[str, np.ndarray], states: State, rewards: np.ndarray) -> None:
    steps = len(rewards)
    for step in range(steps):
        ours = game.snapshot(jax.tree.map(lambda leaf, at=step: leaf[at], states))
        for name in STATE:
            if ours[name].shape != data[name][step].shape or (ours[name] != data[name][step]).any():
                raise DataError(
                    f"{path}, step {step}: {name} is {data[name][step].tolist()} in the file, but playing the actions "
                    f"before it in {game.kitchen.name} ({game.dynamics} dynamics) gives {ours[name].tolist()}."
                )
    if "reward_engine" not in data:
        return
    wrong = np.flatnonzero(rewards[:-1] != data["reward_engine"][:-1])  # the last step's points are not recorded
    if wrong.size:
        step = int(wrong[0])
        raise DataError(
            f"{path}, step {step}: reward_engine is {int(data['reward_engine'][step])} in the file, but serving in "
            f"{game.kitchen.name} gives {int(rewards[step])}."
        )


@functools.cache
def _runner(game: Overcooked) -> Any:
    """Compiled once per game: the states before each action, rewards, shaped rewards, refused actions."""

    def move(state: State, actions: jax.Array) -> tuple[State, Any]:
        step = game.step(state, actions)
        return step.state, (state, step.reward, step.events.shaped, step.events.illegal)

    return jax.jit(lambda start, actions: jax.lax.scan(move, start, jnp.asarray(actions))[1])


@functools.cache
def _observer(game: Overcooked) -> Any:
    def one(state: State) -> jax.Array:
        return jnp.stack([game.encode(game.view(state, seat)) for seat in range(game.players)])

    return jax.jit(jax.vmap(one))


def to_episodes(trial: Trial) -> Episodes:
    """A trial as an episode."""
    return Episodes(
        game=trial.game,
        names=("person",) * trial.game.players,
        starts=jax.tree.map(lambda leaf: np.asarray(leaf)[None], jax.device_get(trial.start)),
        actions=trial.actions.astype(np.int16)[None],
        lengths=np.asarray([len(trial.actions)], np.int32),
        scores=np.asarray([trial.score], np.float32),
    )


def as_games_of(game: Overcooked, episodes: Episodes) -> Episodes | None:
    """Recorded games as games of this one, cut where its clock would end them; None if they are of another kitchen.

    What is seen and counted may differ, and how long they are: a trial of people goes on for 1,200 steps, and whoever
    reads how many are left has to see them run out as in any other game.
    """
    played = episodes.game
    if not isinstance(played, Overcooked) or _kind(played) != _kind(game):
        return None
    lengths, moves = np.asarray(episodes.lengths), joint_actions(episodes)
    blocks = -(-int(lengths.max(initial=1)) // game.horizon)
    room = ((0, 0), (0, max(0, blocks * game.horizon - moves.shape[1])), (0, 0))
    moves = np.pad(moves, room, constant_values=-1)[:, : blocks * game.horizon]
    moves = np.where(np.arange(moves.shape[1])[:, None] < lengths[:, None, None], moves, -1)  # -1 changes nothing
    moves = moves.reshape(len(moves), blocks, game.horizon, game.players)
    states, points = jax.device_get(_cutter(played)(episodes.starts, moves))
    left = lengths[:, None] - np.arange(blocks) * game.horizon
    rows, block = np.nonzero(left > 0)
    return Episodes(
        game=game,
        names=episodes.names,
        starts=jax.tree.map(lambda leaf: leaf[rows, block], states),
        actions=moves[rows, block].astype(np.int16),
        lengths=np.minimum(left[rows, block], game.horizon).astype(np.int32),
        scores=points[rows, block],
        extra={**{name: np.asarray(column)[rows] for name, column in episodes.extra.items()}, RECORDING: rows},
    )


def _kind(game: Overcooked) -> tuple[Any, ...]:
    """What has to be the same for a recording to be a game of it."""
    return game.kitchen.rows, game.kitchen.orders, game.dynamics, game.players


@functools.cache
def _cutter(game: Overcooked) -> Any:
    """(starts, actions [games, blocks, steps, players]) -> [games, blocks]: the states at the beginning of each block,
    as if the clock and the score began there, and the points of the block."""

    def block(state: State, actions: jax.Array) -> tuple[State, Any]:
        after = jax.lax.scan(lambda now, joint: (game.step(now, joint).state, None), state, actions)[0]
        start = state._replace(time=jnp.zeros_like(state.time), score=jnp.zeros_like(state.score))
        return after, (start, (after.score - state.score).astype(jnp.float32))

    return jax.jit(jax.vmap(lambda start, actions: jax.lax.scan(block, start, jnp.asarray(actions))[1]))


def _is_trial(path: Path) -> bool:
    return any(path.rglob("*.npz")) if path.is_dir() else path.suffix == ".npz"


TRIALS = Format(
    "overcooked",
    "Overcooked trials",
    fits=_is_trial,
    read=lambda path, check: [to_episodes(trial) for trial in load_trials(path)],  # loading a trial checks it
)
