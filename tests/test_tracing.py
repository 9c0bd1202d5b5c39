"""What is wrong with a game of one's own is told before anything is played, with the line and what to write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import coplay
from coplay.games import can_be_made_again, spec_of

PLAIN = '''
import jax.numpy as jnp


class Plain:
    """A class that says nothing of equality; scores are fractions, the view is a bare array."""

    players, num_actions, max_steps = 2, 3, 4

    def __init__(self, bonus=0.5):
        self.bonus = bonus

    def reset(self, key):
        return {"time": jnp.int32(0), "points": jnp.float32(0)}

    def step(self, state, actions):
        pay = jnp.where(actions[state["time"] % 2] == 1, self.bonus, 0.25)
        time = state["time"] + 1
        return {"time": time, "points": state["points"] + pay}, pay, time >= 4

    def view(self, state, seat):
        return jnp.array([state["time"], seat])

    def legal(self, view):
        return jnp.full(3, (view[0] % 2 == view[1]) & (view[0] < 4))

    def turn(self, state):
        return (jnp.arange(2) == state["time"] % 2) & (state["time"] < 4)

    def score(self, state):
        return state["points"]


class Branching(Plain):
    def step(self, state, actions):
        if actions[0] == 1:
            return state, 1, True
        return state, 0, True


class Short(Plain):
    def legal(self, view):
        return jnp.full(2, True)


class Counting(Plain):
    def turn(self, state):
        return jnp.arange(2)


class Widening(Plain):
    def reset(self, key):
        return {"time": jnp.int32(0), "points": jnp.int32(0)}


class Mistaken(Plain):
    def score(self, state):
        return state["score"]


class Forever(Plain):
    def step(self, state, actions):
        return {**state, "time": state["time"] + 1}, 0, False

    def turn(self, state):
        return jnp.arange(2) == state["time"] % 2

    def legal(self, view):
        return jnp.full(3, view[0] % 2 == view[1])


class One:
    def act(self, view):
        return 1
'''


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plain") / "plain.py"
    file.write_text(PLAIN, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Branching", r"step decides in Python at line 36 .* write jnp.where"),
        ("Short", r"legal has shape \[2\], not \[3\]"),
        ("Counting", "turn gives int32, not bool"),
        ("Widening", r"int32\[\] of the state\['points'\] to float32\[\]"),
        ("Mistaken", "score failed at line 58: KeyError: 'score'"),
    ],
)
def test_a_mistake_is_told_when_the_game_is_made(place: Path, name: str, words: str):
    with pytest.raises(coplay.GameError, match=words):
        coplay.make(f"file:{place}:{name}")
    with pytest.raises(AssertionError, match=words):
        coplay.check_game(f"file:{place}:{name}")


@pytest.mark.parametrize("engine", ["scan", "lockstep"])
def test_a_game_that_does_not_end_is_cut_off(place: Path, engine: str):
    with pytest.raises(coplay.GameError, match="goes on after max_steps=4 steps"):
        coplay.play(f"file:{place}:Forever", "random", games=2, engine=engine)  # pyright: ignore[reportArgumentType]


def test_a_plain_class_with_fractions_keeps_the_laws_and_has_a_spec(place: Path):
    game = coplay.make(f"file:{place}:Plain", bonus=0.7)
    coplay.check_game(game, games=4)
    assert spec_of(game) == f"file:{place}:Plain?bonus=0.7"
    assert coplay.make(spec_of(game)) == game != coplay.make(f"file:{place}:Plain")
    assert can_be_made_again(game)


def test_a_plain_class_is_played_by_several_processes(place: Path):
    words = ["--games", "2", "--jobs", "2", "--out", "judged", "--partners", "random", "--game"]
    spec = f"file:{place.name}:Plain"
    command = [sys.executable, "-m", "coplay", "evaluate", f"file:{place.name}:One", *words, spec]
    done = subprocess.run(command, cwd=place.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "(its own copies)    2.00" in done.stdout
