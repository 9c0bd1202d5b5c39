"""The examples of the adapters' page and of the examples folder run as they stand."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/adapters.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_page_runs(number):
    exec(compile(BLOCKS[number], f"docs/adapters.md example {number}", "exec"), {})


def test_the_random_loop_plays_whole_games():
    scores = runpy.run_path(str(ROOT / "examples/hle_random_loop.py"))["run"](num_episodes=2)
    assert len(scores) == 2
    assert all(0 <= score <= 25 for score in scores)
