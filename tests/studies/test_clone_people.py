"""Every recorded game is judged by a clone that learned from none of its fold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import coplay
from coplay.nets.file import save_policy
from coplay.nets.policy import observation_scale, reader
from coplay.rollouts.episode_file import save
from studies.clone_people import folded, looked_through, table
from tests.train.toy import design, random_network

GAME: Any = coplay.make("hanabi-small")


def test_folds_and_symmetries_judge_every_game_once(tmp_path: Path):
    read: Any = reader(GAME)
    kind = design(read, cell="lstm", hears="every", scale=observation_scale(read))
    start = tmp_path / "start.safetensors"
    save_policy(start, random_network(kind), read, {}, "float32")
    games = coplay.play(GAME, ["iggi", "iggi"], games=12, seed=0, progress=False)
    file = str(tmp_path / "games.safetensors")
    save(games, file)
    decisions = int(games.lengths.sum())

    lines = folded(file, tmp_path / "out", 2, 1e-2, {"epochs": 2, "batch": 4, "start": f"run:{start}"})
    assert [line.epoch for line in lines] == [1, 2]
    assert {line.decisions for line in lines} == {decisions}
    assert lines[1].loss < lines[0].loss
    assert "<" in table(lines)
    once, twice = (looked_through(file, tmp_path / "out", 2, 1e-2, count) for count in (1, 2))
    assert f"{lines[1].loss:.3f} nats" in once
    assert once.partition(": ")[2] != twice.partition(": ")[2]
