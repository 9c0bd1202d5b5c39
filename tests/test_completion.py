"""A game of one's own needs nine things; the rest is filled in, and the whole keeps every law."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.completion import Completed, complete, own_game
from coplay.faces import faces_of
from coplay.testing import check_game

OWN = Path(__file__).parent / "own"
LEVERS, WORDS = (f"file:{OWN}/{name}" for name in ("levers.py:Levers", "words.py:Words"))


@pytest.mark.parametrize("spec", [LEVERS, f"{LEVERS}?players=3", WORDS])
def test_a_game_of_nine_things_keeps_every_law(spec: str):
    check_game(coplay.make(spec), games=4)


def test_what_is_left_out_has_a_usual_answer():
    game = coplay.make(LEVERS)
    assert isinstance(game, Completed)
    facts = (game.name, game.version, game.simultaneous, game.truncates, game.max_score, len(game.symmetries))
    assert facts == ("levers", 1, True, False, None, 1)
    assert game.observation_shape == (4,)  # last of two, over, round
    assert faces_of(game).drawing is None


def test_a_complete_game_stays_as_it_is():
    game = coplay.make("hanabi")
    assert complete(game) is game
    assert own_game(game) is game
    assert own_game(coplay.make(LEVERS)) == coplay.make(LEVERS).own


def test_illegal_actions_are_marked_and_change_nothing():
    game = coplay.make(LEVERS)
    state = game.reset(jax.random.key(0))
    step = game.step(state, jnp.asarray([0, 9]))
    np.testing.assert_array_equal(step.events.illegal, [False, True])
    assert int(step.state.round) == 0
    assert float(step.reward) == 0


@dataclasses.dataclass
class Changing:
    """Has an equality but no hash."""

    players: int = 2
    num_actions = max_steps = 1
    reset = step = view = legal = turn = score = None


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (object(), "it has no players, num_actions"),
        (Changing(), "cannot be hashed.*frozen=True"),
        (Changing, "Changing is a class; make a game of it first"),
    ],
)
def test_what_is_no_game_is_told_what_it_lacks(thing: Any, words: str):
    with pytest.raises(coplay.GameError, match=words):
        complete(thing)


class Praising(type(coplay.make(LEVERS).own)):
    """Tells a shaped reward, and nothing of illegal actions."""

    def step(self, state: Any, actions: Any) -> Any:
        return (*super().step(state, actions), {"shaped": jnp.ones(self.players)})


def test_what_a_game_tells_of_a_step_is_kept_beside_what_is_filled_in():
    game = coplay.make(Praising())
    state = game.reset(jax.random.key(0))
    events = game.step(state, jnp.asarray([0, 1])).events
    np.testing.assert_array_equal(events.shaped, [1, 1])
    np.testing.assert_array_equal(events.illegal, [False, False])
    np.testing.assert_array_equal(game.step(state, jnp.asarray([0, 9])).events.shaped, [0, 0])
    check_game(game, games=4)
