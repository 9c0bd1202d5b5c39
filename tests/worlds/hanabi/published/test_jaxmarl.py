"""Actors of JaxMARL and AH2AC2: number for number what Flax's own layers make of the same files.

`tests/golden/jaxmarl/record_actors.py` states the networks with Flax and wrote the files and the answers.
"""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import coplay
from coplay.agents.spec import agent
from coplay.nets.file import read_safetensors
from coplay.player import AgentError
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.published.jaxmarl import load_jaxmarl

FILES = Path(__file__).parents[3] / "golden" / "jaxmarl" / "actors"
GAME = Hanabi()


@pytest.mark.parametrize("name", ["ippo_ff", "ippo_rnn", "bc", "hdr_ippo"])
def test_every_turn_of_a_game(name: str):
    answers = np.load(FILES / "actors.npz")
    network = load_jaxmarl(str(FILES / f"{name}.safetensors"), GAME).network
    with jax.default_matmul_precision("highest"):
        found = jax.lax.scan(lambda *turn: network(*turn), network.start(), answers["seen"])[1]
    assert found.shape == (30, 21)
    np.testing.assert_allclose(found, answers[name], atol=1e-5)


@pytest.mark.parametrize("name", ["ippo_ff", "ippo_rnn"])
def test_pickled_parameters_are_the_same_network(name: str, tmp_path: Path):
    """As JaxMARL's scripts write them: nested, with whatever else a run keeps around them."""
    nested: dict[str, Any] = {}
    for path, one in read_safetensors(FILES / f"{name}.safetensors")[0].items():
        *layers, last = path.split(",")
        place = nested
        for layer in layers:
            place = place.setdefault(layer, {})
        place[last] = jnp.asarray(one)
    (tmp_path / "run.pkl").write_bytes(pickle.dumps({"config": {"LR": 3e-4}, "agent_params": nested}))
    mine, known = (load_jaxmarl(str(file), GAME) for file in (tmp_path / "run.pkl", FILES / f"{name}.safetensors"))
    assert eqx.tree_equal(mine.network, known.network)


def test_a_run_of_jaxaht_holds_many_networks(tmp_path: Path):
    """A folder as Orbax writes it without a database: one array with all seeds in a folder of its own."""
    layers = read_safetensors(FILES / "ippo_ff.safetensors")[0]
    for path, one in layers.items():
        both = np.stack([np.zeros_like(one), one])
        folder = tmp_path / f"final_params.{path.replace(',', '.')}"
        folder.mkdir()
        about = {"shape": both.shape, "chunks": both.shape, "dtype": both.dtype.str, "order": "C"}
        (folder / ".zarray").write_text(json.dumps(about | dict.fromkeys(("filters", "compressor", "fill_value"))))
        (folder / ".".join("0" * both.ndim)).write_bytes(both.tobytes())
    mine: Any = agent(f"jaxmarl:{tmp_path}?at=1", GAME)
    known = load_jaxmarl(str(FILES / "ippo_ff.safetensors"), GAME)
    assert eqx.tree_equal(mine.network, known.network)
    other: Any = agent(f"jaxmarl:{tmp_path}?at=0&activation=tanh", GAME)
    assert other.network.activation == "tanh"
    assert not other.network.weights["Dense_0,kernel"].any()
    with pytest.raises(AgentError, match=r"it holds 2 networks; say which one, \?at=0"):
        load_jaxmarl(str(tmp_path), GAME)


def test_they_play():
    team = [f"jaxmarl:{FILES / 'hdr_ippo.safetensors'}", f"jaxmarl:{FILES / 'ippo_rnn.safetensors'}?greedy=false"]
    assert not coplay.play("hanabi", team, games=3).forfeits


def test_the_activation_stands_beside_the_weights_or_is_said(tmp_path: Path):
    alone = tmp_path / "bc.safetensors"
    shutil.copy(FILES / "bc.safetensors", alone)
    with pytest.raises(
        AgentError, match=r"stands in bc\.yaml, which should lie beside it; or say it, .activation=gelu"
    ):
        load_jaxmarl(str(alone), GAME)
    said: Any = agent(f"jaxmarl:{alone}?activation=gelu", GAME)
    assert said.network.activation == "gelu"
    alone.with_suffix(".yaml").write_text('act_fn: "relu"\n')
    assert load_jaxmarl(str(alone), GAME).network.activation == "relu"  # pyright: ignore


@pytest.mark.parametrize(
    ("file", "game", "words"),
    [
        ("ippo_ff", Hanabi(players=3), "with 3 players it reads 956 entries"),
        ("ippo_ff", Hanabi(variant="black-5"), "does not know variant=black-5"),
        ("ippo_ff", Hanabi(hand_size=4), "hand_size is 5"),
    ],
)
def test_a_game_it_does_not_know_is_told(file: str, game: Hanabi, words: str):
    with pytest.raises(AgentError, match=words):
        load_jaxmarl(str(FILES / f"{file}.safetensors"), game)


def test_what_is_no_such_actor_is_told(tmp_path: Path):
    weights = load_file(FILES / "ippo_rnn.safetensors")
    for gone, words in (
        ("params,Dense_0,kernel", "it has no layer Dense_0 but"),
        ("params,ScannedRNN_0,GRUCell_1,hn,bias", "gru,hn,bias should have shape"),
        ("params,Dense_2,bias", "Dense_2,bias should have shape"),
    ):
        file = tmp_path / "actor.safetensors"
        save_file({name: one for name, one in weights.items() if name != gone}, file)
        with pytest.raises(AgentError, match=words):
            load_jaxmarl(str(file), GAME)
