"""ZSC-Eval's policies: number for number what PyTorch's own layers make of the same file (tests/golden/pytorch)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.games import make
from coplay.player import AgentError
from coplay.worlds.overcooked.bots.zsc_eval import load_zsc_eval
from coplay.worlds.overcooked.mask import useful_actions

FILES = Path(__file__).parents[3] / "golden" / "pytorch"
FILE = str(FILES / "actor.pt")


def test_every_step_of_a_game():
    policy = load_zsc_eval(FILE, make("overcooked?layout=cramped_room"))
    answers = np.load(FILES / "answers.npz")
    with jax.default_matmul_precision("highest"):
        found = jax.lax.scan(lambda *step: policy.logits(*step), policy.start(), answers["kitchen"])[1]
    np.testing.assert_allclose(found, answers["actor.pt"], atol=1e-5)


def test_it_plays_and_does_nothing_useless():
    game: Any = make("overcooked?layout=cramped_room&horizon=30")
    episodes = coplay.play(game, [f"zsc-eval:{FILE}", "stay"], games=4)
    assert not episodes.forfeits
    step = jax.jit(jax.vmap(lambda state, actions: game.step(state, actions).state))
    useful = jax.jit(jax.vmap(lambda state: useful_actions(game.view(state, 0))))
    states = jax.tree.map(jnp.asarray, episodes.starts)
    actions = np.asarray(episodes.actions)
    for turn in range(30):
        assert np.take_along_axis(np.asarray(useful(states)), actions[:, turn, :1].astype(int), 1).all()
        states = step(states, jnp.asarray(actions[:, turn], jnp.int32))
    assert len(np.unique(actions[..., 0])) > 2  # it draws its actions


@pytest.mark.parametrize(
    ("file", "game", "words"),
    [
        ("actor.pt", "overcooked?layout=coordination_ring", "another size than coordination_ring with its 5 x 5 cells"),
        ("actor.pt", "overcooked?layout=cramped_room&chefs=1", "play with 2 chefs"),
        ("actor.pt", "hanabi", "play overcooked, not hanabi"),
        ("obl.pthw", "overcooked?layout=cramped_room", "it has no three convolutions"),
    ],
)
def test_what_it_cannot_play_is_told(file: str, game: str, words: str):
    with pytest.raises(AgentError, match=words):
        load_zsc_eval(str(FILES / file), make(game))
