"""`coplay play --save FILE` keeps a person's game, whole or left early, and `coplay replay FILE` shows it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.rollouts.episode_file import load
from coplay.worlds.overcooked.rules import EAST, INTERACT, NORTH, STAY

OWN = Path(__file__).parents[1] / "own"


def coplay(*words: str, typed: str = "") -> str:
    found = CliRunner().invoke(app, list(words), input=typed)
    assert found.exit_code == 0, found.output + str(found.exception)
    return found.stdout


@pytest.mark.parametrize(
    ("game", "typed", "turns"),
    [
        (["hanabi-very-small", "--partner", "random"], "p1\n" * 20, None),
        (["hanabi-very-small?life_tokens=9", "--partner", "random", "--seat", "1"], "q\n", 1),
        (["overcooked", "--layout", "cramped_room", "--partner", "random"], "wd e.q", 5),
        ([f"file:{OWN}/levers.py:Levers", "--partner", "random"], "0\n1\n0\n", None),
        ([f"file:{OWN}/words.py:Words", "--partner", "random", "--seat", "1"], "q\n", 1),
        (["hanabi-very-small"], "q\n", 0),
    ],
    ids=lambda value: value[0].split(":")[-1] if isinstance(value, list) else "",
)
def test_a_saved_game_is_the_one_that_was_played(game: list[str], typed: str, turns: int | None, tmp_path: Path):
    file = tmp_path / "new" / "mine.safetensors"
    told = coplay("play", *game, "--seed", "3", "--save", str(file), typed=typed)
    assert told.endswith(f"wrote {file}\n")
    episodes = load(file)
    length = int(episodes.lengths[0])
    assert ("You left" in told) == (turns is not None)
    assert turns is None or length == turns
    assert episodes.names[1 if "--seat" in game else 0] == "human"
    shown = coplay("replay", str(file))
    assert f"move {length} of {length}" in shown
    assert f"score {episodes.scores[0]:g}" in shown


def test_what_was_typed_is_in_the_file(tmp_path: Path):
    file = tmp_path / "mine.safetensors"
    kitchen = ["overcooked", "--layout", "cramped_room", "--partner", "random"]
    coplay("play", *kitchen, "--seed", "3", "--save", str(file), typed="wd e.q")
    np.testing.assert_array_equal(load(file).actions[0, :, 0], [NORTH, EAST, INTERACT, INTERACT, STAY])


def test_a_place_that_cannot_be_written_is_found_before_the_game(tmp_path: Path):
    found = CliRunner().invoke(app, ["play", "hanabi-very-small", "--save", str(tmp_path)], input="q\n")
    assert found.exit_code != 0
    assert "this is a folder; name a file in it" in found.output
    assert "Your move" not in found.output
