"""The ablation of the clone's weight: it runs from the training to the page, and the page says what holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coplay
from coplay.measure.crossplay import CrossPlay
from coplay.measure.predict import Prediction
from coplay.measure.prediction import action_prediction
from coplay.nets.file import save_policy
from coplay.nets.policy import observation_scale, reader
from coplay.rollouts.episode_file import save
from studies.kl.__main__ import page, train
from studies.kl.page import PRINTED, WEIGHTS, patterns, together
from studies.kl.played import LogLine, Played
from tests.train.toy import design, random_network

GAME = "hanabi-very-small"
TINY = ["games=16", "turns=16", "minibatches=2", "critic_first=0"]


@pytest.mark.slow
def test_learners_are_trained_judged_and_told_about(tmp_path: Path):
    read: Any = reader(coplay.make(GAME))
    clone = tmp_path / "clone-of-iggi.safetensors"
    kind = design(read, cell="lstm", hears="every", scale=observation_scale(read))
    save_policy(clone, random_network(kind), read, {}, "float32")
    held_out = tmp_path / "games.safetensors"
    save(coplay.play(GAME, ["iggi", "iggi"], games=4, progress=False), held_out)
    runs, out = tmp_path / "runs", tmp_path / "docs" / "kl.md"
    train(runs, f"run:{clone}", GAME, 1024, [*TINY, "kl=0,0.08,0.7"])
    page(runs, GAME, str(held_out), 4, 1, out)
    text = out.read_text()
    assert [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")] == [
        *("| weight", "| clone", "| 0", "| 0.08", "| 0.7"),
        *("| weight", "| clone", "| 0", "| 0.08", "| 0.7"),
    ]
    assert {file.name for file in (tmp_path / "docs/images").iterdir()} == {
        *("kl-matrix.svg", "kl-score.svg", "kl-kl.svg")
    }


def played(own: list[float], with_clone: list[float], clone: float = 19.5) -> Played:
    """Learners with these scores with copies and with the clone."""
    count = len(own) + 1
    means = np.full((count, count), 20.0)
    means[0, 0], means[0, 1:], means[1:, 0] = clone, with_clone, with_clone
    means[np.arange(1, count), np.arange(1, count)] = own
    means[1, 2:] = means[2:, 1] = np.linspace(15, 8, count - 2)
    scores = means[..., None] + np.array([-0.5, 0.5] * 50)
    names = ("clone", *(f"{kl:g}" for kl in WEIGHTS))
    said = Prediction(action_prediction(np.log([0.5]), [4], 2, [True]), 0.0)
    log = (LogLine(1e6, own, [0.1] * len(own)),)
    return Played(WEIGHTS, CrossPlay.of(names, scores), (said,) * count, log, 25, "coplay train")


PAPER = [21.0, 21.5, 23.2, 23.42, 23.3, 23.0, 22.5, 20.9]
WITH_CLONE = [12.0, 15.0, 20.5, 21.0, 21.1, 21.2, 21.0, 20.6]


def test_patterns_are_told_from_the_figures():
    as_printed = patterns(played(PAPER, WITH_CLONE))
    assert [line.partition(":")[2].split(" (")[0].strip() for line in as_printed] == ["holds"] * 6 + ["does not hold"]
    assert "best between the ends: does not hold" in " ".join(patterns(played(PAPER[::-1][:1] * 8, WITH_CLONE)))
    rising = patterns(played(sorted(PAPER), WITH_CLONE))
    assert "worst at both ends: does not hold" in " ".join(rising)
    assert "more with the clone than the clone does: does not hold" in " ".join(patterns(played(PAPER, [12.0] * 8)))


def test_who_sits_first_does_not_count():
    found = played(PAPER, WITH_CLONE)
    found.pairs.scores[0, 1] += 2
    assert together(found)[0, 1] == together(found)[1, 0] == pytest.approx(13.0)


def test_the_weights_are_the_papers():
    assert set(PRINTED) == set(WEIGHTS)
