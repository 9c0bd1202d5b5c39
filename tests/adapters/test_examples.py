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


def test_the_careful_players_play_a_game_of_pyhanabi_to_its_end(capsys):
    state = runpy.run_path(str(ROOT / "examples/pyhanabi_game.py"))["run"]({"players": 3, "seed": 1})
    assert state.is_terminal()
    assert state.life_tokens() == 3  # they play only what they know
    assert state.score() == sum(state.fireworks()) > 5
    told = capsys.readouterr().out
    assert told.count(" by player ") == sum(item.player() >= 0 for item in state.move_history())
    assert f"score {state.score()}" in told


@pytest.mark.slow
def test_the_pytorch_learner_reaches_its_score_and_plays_as_an_agent_of_a_file(tmp_path):
    """A sixteenth of its run, after which it comes to 68 points a game with two players of the pool."""
    pytest.importorskip("torch", reason="PyTorch is too heavy for the developers' environment: pip install torch")
    import coplay

    example = runpy.run_path(str(ROOT / "examples/gymnasium_ppo.py"))
    kitchen, partners, weights = example["GAME"], list(example["PARTNERS"]), tmp_path / "cook.pt"
    assert example["train"](kitchen, partners, 128_000, str(weights)) > 40
    agent = f"file:{ROOT}/examples/gymnasium_ppo.py:Learned?weights={weights}"
    played = coplay.play(kitchen, [agent, partners[0]], games=4, progress=False)
    assert not played.forfeits
    assert played.scores.mean() > 20
