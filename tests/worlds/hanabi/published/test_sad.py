"""Published recurrent Q-networks: number for number what PyTorch's own layers make of the same files.

`tests/golden/pytorch/record.py` states the networks with PyTorch and wrote the files and the answers.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.agents.spec import agent
from coplay.player import AgentError
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.published.obl import load_obl
from coplay.worlds.hanabi.published.sad import load_sad

FILES = Path(__file__).parents[3] / "golden" / "pytorch"
ANSWERS = np.load(FILES / "answers.npz")
GAME = Hanabi()


@pytest.mark.parametrize(
    ("name", "inputs", "load"),
    [
        ("sad_2p.pthw", 838, load_sad),
        ("iql_2p.pthw", 783, load_sad),
        ("M9.pthw", 838, load_sad),
        ("obl.pthw", 658, load_obl),
    ],
)
def test_every_turn_of_a_game(name: str, inputs: int, load: Any):
    policy = load(str(FILES / name), GAME)
    with jax.default_matmul_precision("highest"):
        found = jax.lax.scan(lambda *turn: policy.advantages(*turn), policy.start(), ANSWERS[f"bits_{inputs}"])[1]
    assert found.shape == (30, 21)
    np.testing.assert_allclose(found, ANSWERS[name], atol=1e-5)


def test_what_a_network_reads_shows_in_its_size():
    seen = {name: load_sad(str(FILES / f"{name}.pthw"), GAME) for name in ("sad_2p", "iql_2p")}
    beliefs = Hanabi(encoding="jaxmarl")

    @jax.jit
    def after(state: Any, action: Any) -> tuple[Any, ...]:
        state = GAME.step(state, jnp.full(2, action)).state
        view = GAME.view(state, 0)
        read = (seen[name].observation(view) for name in ("sad_2p", "iql_2p"))
        return state, *read, beliefs.encode(view), GAME.encode(view)

    state = jax.jit(GAME.reset)(jax.random.key(3))
    for action in (15, 5, 0, 17):
        state, *shown = after(state, action)
        whole, less, believed, told = map(np.asarray, shown)
        assert whole.shape == (838,)
        assert not whole[:125].any()  # one's own cards
        np.testing.assert_array_equal(whole[125:783], believed)
        np.testing.assert_array_equal(whole[783:], told[253:308])  # the last action, heard twice
        assert whole[783:].any()
        np.testing.assert_array_equal(less, whole[:783])


def test_it_plays():
    for name in ("sad", "obl"):
        file = FILES / ("M9.pthw" if name == "sad" else "obl.pthw")
        games = coplay.play("hanabi", [f"{name}:{file}", "iggi"], games=2)
        assert not games.forfeits


def test_whether_a_network_skips_its_memory_is_known_by_its_published_name(tmp_path: Path):
    for name, skips in (
        ("M0", False),
        ("M2", False),
        ("M3", True),
        ("M5", True),
        ("M6", False),
        ("M9", True),
        ("M12", True),
    ):
        shutil.copy(FILES / "M9.pthw", tmp_path / f"{name}.pthw")
        assert load_sad(str(tmp_path / f"{name}.pthw"), GAME).skip == skips
    spec = f"sad:{tmp_path / 'M0.pthw'}?skip=true"
    assert agent(spec, GAME).skip  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("file", "game", "words"),
    [
        (
            "sad_2p.pthw",
            Hanabi(players=3),
            "reads 838 entries, but with 3 players and 5 cards each such networks read 956",
        ),
        ("sad_2p.pthw", Hanabi(variant="rainbow-5"), "does not know variant=rainbow-5"),
        ("sad_2p.pthw", Hanabi(info_tokens=4), "info_tokens is 8"),
        ("obl.pthw", GAME, "it has no layers net.0 and fc_a but"),
        ("actor.pt", GAME, "it has no layers net.0 and fc_a but"),
    ],
)
def test_what_it_cannot_play_is_told(file: str, game: Hanabi, words: str):
    with pytest.raises(AgentError, match=words):
        load_sad(str(FILES / file), game)


def test_a_network_of_another_kind_is_no_obl():
    with pytest.raises(AgentError, match="priv_net_dense_0,kernel should have shape"):
        load_obl(str(FILES / "sad_2p.pthw"), GAME)
