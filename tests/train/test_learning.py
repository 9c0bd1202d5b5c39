"""Learning happens."""

from __future__ import annotations

from pathlib import Path

from coplay.train import train


def test_self_play_learns_the_smallest_hanabi(tmp_path: Path):
    sizes = {"games": 64, "turns": 16, "embed": 64, "actor": 64, "critic": 64, "minibatches": 2, "epochs": 2}
    run = train(
        *("ippo", "hanabi-very-small", tmp_path / "run"),
        progress=False,
        bundle=50,
        learning_rate=3e-3,
        entropy=0.03,
        total_turns=300 * 64 * 16,
        **sizes,
    )
    scores = [line["score"][0] for line in run.metrics]
    print(scores)
    assert scores[0] < 1
    assert scores[-1] > 3
