"""Published OBL networks: number for number what JaxMARL's own module makes of the same weights.

`tests/golden/jaxmarl/obl.npz` was made by `OBLAgentR2D2` of JaxMARL 0.2.0 on the weights and observations that
are drawn here.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import coplay
from coplay.nets.file import write_safetensors
from coplay.player import AgentError
from coplay.worlds.hanabi.published.obl import ACTIONS, INPUTS, load_obl, shapes

GOLDEN = Path(__file__).parents[3] / "golden" / "jaxmarl" / "obl.npz"
GAMES, TURNS = 10, 100


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(f"params,{name}".encode()))
    return (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("obl") / "OBL1.safetensors"
    write_safetensors(path, {f"params,{name}": drawn(name, shape) for name, shape in shapes(512).items()}, {})
    return path


def test_a_thousand_observations(file: Path):
    observations = (np.random.default_rng(0).random((TURNS, GAMES, INPUTS)) < 0.2).astype(np.float32)
    policy = load_obl(str(file), coplay.make("hanabi"))

    def game(memory: Any, seen: Any) -> Any:
        with jax.default_matmul_precision("highest"):
            return jax.lax.scan(lambda *turn: policy.advantages(*turn), memory, seen)[1]

    found = jax.jit(jax.vmap(game, (None, 1), 1))(policy.start(), observations)
    assert found.shape == (TURNS, GAMES, ACTIONS)
    np.testing.assert_allclose(found, np.load(GOLDEN)["advantages"], atol=1e-5)


def test_it_plays(file: Path):
    games = coplay.play("hanabi", [f"obl:{file}", "iggi"], games=3)
    assert not games.forfeits


def test_what_is_no_such_file_or_game_is_told(file: Path, tmp_path: Path):
    with pytest.raises(AgentError, match="plays with 2 players, not 3"):
        load_obl(str(file), coplay.make("hanabi", players=3))
    other = tmp_path / "other.safetensors"
    write_safetensors(other, {"params,fc_a,bias": np.zeros(20, np.float32)}, {})
    with pytest.raises(AgentError, match="should have shape"):
        load_obl(str(other), coplay.make("hanabi"))
