"""JaxAHT's teammates: number for number what Flax's own layers make of the same networks.

`tests/golden/jaxmarl/record_jaxaht.py` states them with Flax, saved them with the Orbax that JaxAHT uses, and wrote
down the answers of the last network of every run.
"""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest

import coplay
from coplay.agents.spec import agent
from coplay.games import make
from coplay.player import AgentError
from coplay.worlds.overcooked.bots.jaxaht import load_jaxaht

RUNS = Path(__file__).parents[3] / "golden" / "jaxmarl" / "jaxaht"
GAME = make("overcooked?layout=cramped_room&horizon=30")


def run(name: str) -> str:
    return str(RUNS / name / "saved_train_run")


@pytest.mark.parametrize(("name", "at"), [("ippo", "1"), ("brdiv", "0:-1"), ("rnn", "-1")])
def test_every_step_of_a_game(name: str, at: str):
    answers = np.load(RUNS / "answers.npz")
    network = load_jaxaht(run(name), GAME, at=at).network
    with jax.default_matmul_precision("highest"):
        seen = answers["seen"].astype(np.float32)
        found = jax.lax.scan(lambda *step: network(*step), network.start(), seen)[1]
    assert found.shape == (20, 6)
    np.testing.assert_allclose(found, answers[name], atol=1e-5)


def test_they_play():
    team = [f"jaxaht:{run('ippo')}?at=0", f"jaxaht:{run('rnn')}?at=1&greedy=true"]
    episodes = coplay.play(GAME, team, games=4)
    assert not episodes.forfeits
    assert len(np.unique(np.asarray(episodes.actions)[..., 0])) > 2  # it draws its actions


KITCHEN = "overcooked?layout=cramped_room"


@pytest.mark.parametrize(
    ("name", "options", "game", "words"),
    [
        ("ippo", "", KITCHEN, r"it holds 2 networks; say which one, \?at=0\."),
        ("ippo", "?at=0:1", KITCHEN, r"at=0:1: it holds 2 networks"),
        ("brdiv", "?at=0:2", KITCHEN, r"at=0:2: it holds 1 x 2 networks; say which one, \?at=0:0\."),
        ("brdiv", "?key=checkpoints", KITCHEN, r"key=checkpoints: say which networks, .* it has final_params_conf\."),
        ("ippo", "?at=0", "overcooked?layout=coordination_ring", "another size than coordination_ring with its 5 x 5"),
        ("ippo", "?at=0", f"{KITCHEN}&chefs=1", "play with 2 chefs"),
        ("ippo", "?at=0", f"{KITCHEN}&dynamics=new", 'dynamics="old", as JaxMARL'),
        ("ippo", "?at=0", "hanabi", r"play overcooked, not hanabi\. Those for Hanabi are read by jaxmarl:FOLDER"),
    ],
)
def test_what_it_cannot_play_is_told(name: str, options: str, game: str, words: str):
    with pytest.raises(AgentError, match=words):
        agent(f"jaxaht:{run(name)}{options}", make(game))
