"""Proxies from nothing: recorded games, clones, learners near them; on after a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coplay
from coplay.nets.file import critic_file
from coplay.train import proxies
from coplay.train.proxies import Proxies, make_proxies
from coplay.train.settings import TrainError

SMALL = Proxies(
    who=("iggi",),  # recording of several is tested on its own
    games=32,
    held_out=20,  # as many at once as in learning and judging: compiled once
    kl=(0.3, 0.2),
    judged=20,
    clone={"embed": 16, "hidden": 16, "cells": 1, "actor": 16, "critic": 16, "epochs": 2, "batch": 8},
    learn={"games": 8, "turns": 8, "minibatches": 2, "total_turns": 256, "bundle": 2},
)
GAME = "hanabi-very-small"


@pytest.mark.slow
def test_proxies_are_made_judged_and_made_on_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []

    def killed(folder: Path, made: list[proxies.Proxy]) -> None:
        tell(folder, made)
        raise KeyboardInterrupt

    tell = proxies._tell
    monkeypatch.setattr(proxies, "_tell", killed)
    with pytest.raises(KeyboardInterrupt):
        make_proxies(GAME, tmp_path, SMALL, progress=False, say=said.append)
    monkeypatch.setattr(proxies, "_tell", tell)
    games = (tmp_path / "games.safetensors").stat().st_mtime_ns
    made = make_proxies(GAME, tmp_path, SMALL, progress=False, say=said.append)
    assert (tmp_path / "games.safetensors").stat().st_mtime_ns == games
    assert [one.kl for one in made] == [0.3, 0.2]
    assert json.loads((tmp_path / "proxies.json").read_text())[1]["mean"] == made[1].mean
    assert made[0].cross_entropy > 0
    assert all(0 <= one.zeros <= 1 for one in made)
    file = tmp_path / "proxy-1.safetensors"
    assert critic_file(file).is_file()
    again = coplay.play(GAME, f"run:{file}", games=20, seed=SMALL.seed)
    assert float(again.scores.mean()) == made[1].mean


def test_a_folder_holds_one_set(tmp_path: Path):
    (tmp_path / "settings.json").write_text("{}\n")
    with pytest.raises(TrainError, match="begun with other settings"):
        make_proxies(GAME, tmp_path, SMALL)


@pytest.mark.parametrize("wrong", [{"kl": ()}, {"kl": (0.5, 2.0)}, {"games": 0}])
def test_settings_that_cannot_be_are_refused(wrong: dict):
    with pytest.raises(TrainError):
        Proxies(**wrong)
