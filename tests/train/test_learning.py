"""Learning happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coplay.train import train


@pytest.mark.slow
def test_self_play_learns_the_smallest_hanabi(tmp_path: Path):
    """At a length that takes minutes the same command comes near the perfect 5."""
    small: dict[str, Any] = {"games": 64, "turns": 16, "embed": 32, "actor": 32, "critic": 32, "minibatches": 2}
    length = {"total_turns": 160 * 64 * 16, "mercy": 160 * 64 * 16, "bundle": 40, "learning_rate": 3e-3}
    run = train("ippo", "hanabi-very-small", tmp_path / "run", progress=False, epochs=2, **small, **length)
    scores = [line["score"][0] for line in run.metrics]
    assert scores[0] < 1
    assert scores[-1] > 1.5
