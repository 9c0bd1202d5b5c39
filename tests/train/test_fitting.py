"""Parameters fitted to recorded games: found again where they are known, and gone on with where a run was cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.agents.spec import agent
from coplay.rollouts.episode_file import save
from coplay.train.fitting import Fit, Fittable, fit
from coplay.train.settings import TrainError

LEVERS = f"file:{Path(__file__).parents[1]}/own/levers.py:Levers"
COIN = '''
from typing import NamedTuple
import equinox as eqx, jax, jax.numpy as jnp, numpy as np

class Numbers(NamedTuple):
    share: float
    keeps: float

class Coin(eqx.Module):
    """Pulls the first lever with a share, else the second; keeps its choice with a probability: a hidden mood."""
    parameters: Numbers
    hears = "own"
    name = "coin"

    def __init__(self, game, share=0.5, keeps=0.0):
        self.parameters = Numbers(jnp.float32(share), jnp.float32(keeps))

    def ranges(self): return {"share": (0.0, 1.0)}
    def measured(self, moves): return {"keeps": 0.0}
    def having(self, values): return eqx.tree_at(lambda one: one.parameters, self, self.parameters._replace(**values))
    def heard(self, memory, action): return action.astype(jnp.int32)
    def start(self): return jnp.int32(-1)

    def act(self, memory, view, key):
        one, two = jax.random.split(key)
        fresh = jnp.where(jax.random.bernoulli(one, self.parameters.share), 0, 1)
        keeps = (memory >= 0) & jax.random.bernoulli(two, self.parameters.keeps)
        action = jnp.where(keeps, memory, fresh).astype(jnp.int32)
        return action, action
'''


@pytest.fixture(scope="module")
def coin(tmp_path_factory) -> tuple[str, str]:
    """(the agent, its games): it pulls the first lever in four of five rounds."""
    folder = tmp_path_factory.mktemp("coin")
    (folder / "coin.py").write_text(COIN)
    spec, games = f"file:{folder}/coin.py:Coin", folder / "games.safetensors"
    save(coplay.play(coplay.make(LEVERS), f"{spec}?share=0.8", games=60, seed=2, progress=False), games)
    return spec, str(games)


def fitted(coin: tuple[str, str], out: Path, steps: int) -> Fit:
    return fit(coplay.make(LEVERS), coin[0], coin[1], out, chains=2, steps=steps, seed=1)


def test_the_parameter_that_made_the_games_is_found_again(coin, tmp_path):
    found = fitted(coin, tmp_path, 25)
    assert isinstance(agent(coin[0], coplay.make(LEVERS)), Fittable)
    assert found.best.values["share"] == pytest.approx(0.8, abs=0.1)
    assert found.best.likelihood > found.before + 20
    assert 0 < sum(line.accepted for line in found.lines) < len(found.lines)
    assert "keeps=0" in found.spec
    made: Any = agent(found.spec, coplay.make(LEVERS))
    assert made.parameters.share == pytest.approx(found.best.values["share"], rel=1e-4)


def test_a_fit_goes_on_where_it_was_cut_off(coin, tmp_path):
    whole = fitted(coin, tmp_path / "whole", 6)
    fitted(coin, tmp_path / "cut", 3)
    with (tmp_path / "cut" / "trace.csv").open("a") as trace:
        trace.write("0,3,-1")  # killed while it wrote
    assert fitted(coin, tmp_path / "cut", 6).lines == whole.lines
    with pytest.raises(TrainError, match="holds another fit"):
        fit(coplay.make(LEVERS), coin[0], coin[1], tmp_path / "cut", chains=3)


def test_who_has_no_parameters_is_told(coin, tmp_path):
    with pytest.raises(TrainError, match="random has no parameters that could be fitted"):
        fit(coplay.make(LEVERS), "random", coin[1], tmp_path)


def test_the_page_shows_every_chain(coin, tmp_path):
    from coplay.report.pages.fitting import print_fit, write_fit

    found = fitted(coin, tmp_path, 4)
    print_fit(found)
    write_fit(found)
    page = (tmp_path / "report.html").read_text()
    assert page.count("chain 2") >= 2
    assert "log-likelihood of a move" in page
