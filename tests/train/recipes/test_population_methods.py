"""Agents that learn with a population, end to end on a game that compiles in a moment."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.faces import Faces, Wish
from coplay.games import make
from coplay.nets import layers
from coplay.nets.file import read_safetensors
from coplay.nets.policy import NetPolicy, reader
from coplay.train import ego, open_run, train
from coplay.train.ego import choose_partners
from coplay.train.learner.partners import stacked
from coplay.train.learner.ppo import start, update
from coplay.train.pairs import play_pairs
from coplay.train.recipe import Context, recipe_named
from coplay.train.recipes.hsp import furthest
from coplay.train.run import resolve
from coplay.train.settings import TrainError
from tests.train.toy import Toy, design, random_network

SIZES = {"embed": 8, "hidden": 8, "actor": 8, "critic": 8}
SHORT: dict[str, Any] = {**SIZES, "turns": 8, "epochs": 1, "minibatches": 2, "bundle": 2, "progress": False}


class Taste:
    """Chefs of the toy may like to say 0."""

    def counting(self, game: Any) -> Any:
        return game

    def events(self, game: Any) -> list[str]:
        return ["said 0", "said 1"]

    def count(self, game: Any, state: Any, actions: Any, step: Any) -> Any:
        return game.turn(state)[:, None] * (actions[:, None] == jnp.arange(2))

    def wishes(self, game: Any) -> list[Wish]:
        return [Wish("plain", 1, (0, 0)), Wish("says 0", 1, (5, 0)), Wish("says 1", 0.1, (0, 5))]

    def described_by(self, game: Any) -> list[int]:
        return [0, 1]


class TasteFaces(Faces):
    preferences = Taste()  # pyright: ignore[reportAssignmentType]


@dataclasses.dataclass(frozen=True)
class Tasteful(Toy):
    simultaneous: bool = True
    longest: int = 6
    faces = TasteFaces()


GAME: Any = Tasteful()


@pytest.fixture(scope="module", autouse=True)
def plain_start() -> Any:
    """Networks that start from plain random numbers: orthogonal ones take seconds to compile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "orthogonal", lambda key, i, o, gain: gain / 2 * jax.random.normal(key, (i, o)))
        yield


def made(file: Path) -> dict[str, Any]:
    return json.loads(read_safetensors(file)[1]["made"])


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: Any) -> Path:
    """Players with tastes, and their responses."""
    folder = tmp_path_factory.mktemp("pairs") / "run"
    train(
        "preferring", GAME, folder, pairs=3, games=32, total_turns=400 * 256, learning_rate=3e-3, snapshots=2, **SHORT
    )
    return folder


@pytest.mark.slow
def test_players_come_to_do_what_they_are_paid_for(pairs: Path):
    run = open_run(pairs, GAME)
    players = [dataclasses.replace(agent, greedy=False) for agent in run.agents]
    assert len(players) == 6
    played = play_pairs(GAME, stacked(players[:3]), stacked(players[3:]), episodes=200, liked=Taste())  # pyright: ignore[reportArgumentType]
    plain, likes_0, likes_1 = played.by_first.mean(1)
    assert likes_0[0] > plain[0] + 1
    assert likes_1[1] > plain[1] + 1
    assert [made(pairs / f"agent-{i}.safetensors")["role"] for i in (0, 3)] == ["preferring", "response"]
    assert made(pairs / "agent-2.safetensors")["wish"] == "says 1"
    assert made(pairs / "agent-4.safetensors")["to"] == 1


def test_a_response_is_paid_by_the_game_alone(pairs: Path):
    """It does better with its own partner than the untrained one it began as."""
    files = {name: pairs / f"{name}.safetensors" for name in ("agent-1", "agent-4", "snapshot-4-0000")}
    partner, response, before = (
        dataclasses.replace(agent, greedy=False, name="x")
        for agent in (open_run(pairs, GAME).agents[1], open_run(pairs, GAME).agents[4], _load(files["snapshot-4-0000"]))
    )
    played = play_pairs(GAME, stacked([response, before]), stacked([partner, partner]), episodes=400)
    assert played.means[0] > played.means[1] + 0.5


def _load(file: Path) -> NetPolicy:
    from coplay.nets.file import load_policy

    return load_policy(str(file), GAME)


def test_pairs_play_what_the_two_would_play_at_a_table():
    """Both seatings, all deals the same for every pair."""
    kind = design(GAME)
    players = [NetPolicy(random_network(kind, seed), GAME) for seed in range(4)]
    together = play_pairs(GAME, stacked(players[:2]), stacked(players[2:]), episodes=12)
    alone = play_pairs(GAME, stacked([players[1], players[0]]), stacked([players[3], players[2]]), episodes=12)
    np.testing.assert_array_equal(together.scores[1], alone.scores[0])
    assert together.scores.shape == (2, 2, 12)
    assert (together.scores[:, 0] != together.scores[:, 1]).any()


@pytest.fixture(scope="module")
def population(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("population") / "run"
    train("population", GAME, folder, seeds=2, games=8, total_turns=4 * 64, snapshots=4, **SHORT)
    return folder


def test_of_every_member_three_take_part(population: Path):
    chosen = choose_partners(population)
    assert len(chosen) == 6
    assert {made(file)["turns"] for file in (chosen[0], chosen[3])} == {0}
    assert made(chosen[2])["turns"] == made(chosen[5])["turns"] == 4 * 64
    assert 0 < made(chosen[1])["turns"] < 4 * 64


@pytest.mark.parametrize("recipe", ["fcp", "mep"])
def test_an_agent_learns_with_a_population_that_is_there(recipe: str, population: Path, tmp_path: Path):
    settings = {**SHORT, "games": 12, "total_turns": 4 * 96, "population": str(population)}
    run = train(recipe, GAME, tmp_path / recipe, **settings)
    assert run.agent.network.design.cell == "gru"
    assert run.metrics[-1]["deciding"][0] == pytest.approx(0.5, abs=0.1)
    assert not (tmp_path / recipe / "population").exists()


def test_a_method_makes_its_own_population_first_and_once(tmp_path: Path):
    settings = {**SHORT, "games": 12, "total_turns": 2 * 96, "population_turns": 2 * 96, "size": 6}
    train("trajedi", GAME, tmp_path / "run", **settings)
    about = json.loads((tmp_path / "run" / "population" / "run.json").read_text())
    assert about["settings"]["diversity"] == "games"
    assert about["seeds"] == 2
    before = (tmp_path / "run" / "population" / "checkpoint.safetensors").stat().st_mtime_ns
    train("trajedi", GAME, tmp_path / "run", resume=True, **{**settings, "total_turns": 4 * 96})
    assert (tmp_path / "run" / "population" / "checkpoint.safetensors").stat().st_mtime_ns == before


def test_half_of_hsps_partners_have_tastes(pairs: Path, tmp_path: Path):
    settings = {**SHORT, "games": 12, "total_turns": 96, "population_turns": 2 * 96, "size": 6}
    run = train("hsp", GAME, tmp_path / "run", preferring=str(pairs), **settings)
    assert json.loads((run.folder / "population" / "run.json").read_text())["seeds"] == 1
    assert not (run.folder / "preferring").exists()


def test_the_next_is_the_furthest_from_those_chosen():
    features = np.asarray([[0, 0], [1, 0], [5, 0], [5, 5], [-1, 1]], float)
    assert furthest(features, 3) == [3, 0, 4]


def test_an_agent_joins_its_cast_at_the_end_of_a_generation(tmp_path: Path):
    settings = {**SHORT, "games": 8, "size": 3, "own": 1, "generation": 2 * 64, "total_turns": 4 * 64, "bundle": 1}
    run = train("cole", GAME, tmp_path / "run", seeds=2, snapshots=4, **settings)
    kept = read_safetensors(run.folder / "checkpoint.safetensors")[0]
    cast, now = kept["cast.actor.weight"], kept["networks.actor.weight"]
    assert cast.shape == (2, 3, *now.shape[1:])
    halfway = [read_safetensors(run.folder / f"snapshot-{i}-0002.safetensors")[0] for i in range(2)]
    for number in range(2):
        np.testing.assert_allclose(cast[number, 0], halfway[number]["actor.weight"], atol=2e-3)  # files are float16
        np.testing.assert_array_equal(cast[number, 1], now[number])
    assert (kept["returns"] > 0).all()


@pytest.mark.slow
def test_with_the_graph_it_is_kept_what_the_cast_scores_with_each_other(tmp_path: Path):
    settings = {**SHORT, "games": 8, "size": 3, "own": 1, "generation": 2 * 64, "total_turns": 2 * 64, "bundle": 1}
    run = train("cole", GAME, tmp_path / "run", seeds=2, solver="graph", **settings)
    kept = read_safetensors(run.folder / "checkpoint.safetensors")[0]
    returns = kept["returns"].reshape(2, 4)[:, :3]
    np.testing.assert_allclose(kept["utility"][:, 0], returns * [0, 1, 1], rtol=1e-6)
    np.testing.assert_allclose(kept["utility"][:, :, 0], returns * [0, 1, 1], rtol=1e-6)
    assert not kept["utility"][:, 1:, 1:].any()


# Every method, its smallest settings in a turn game of three.
THREE: dict[str, dict[str, Any]] = {
    "population": {"diversity": "games"},
    "preferring": {"pairs": 2},
    "e3t": {},
    "cole": {"size": 3, "own": 1},
    "fcp": {"size": 3},
    "mep": {"size": 3},
    "trajedi": {"size": 3},
}


@pytest.mark.parametrize("recipe", list(THREE))
def test_hanabi_with_three_players_can_be_learned_so(recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An update of the whole learner fits together; nothing is compiled."""
    game = reader(make("hanabi-very-small", players=3))
    policies = [NetPolicy(random_network(design(game), seed), game, greedy=False) for seed in range(3)]
    monkeypatch.setattr(ego, "load_policy", lambda file, game, **given: policies[int(file)])
    module = recipe_named(recipe)
    if hasattr(module, "own_population"):
        monkeypatch.setattr(
            module, "own_population", lambda *about, **given: [Path(str(number)) for number in range(3)]
        )
    given = {**SIZES, "games": 12, "turns": 6, "epochs": 1, "minibatches": 1, **THREE[recipe]}
    plan = module.plan(Context(game, 2, 0, tmp_path, jnp.float32), resolve(module, recipe, game, given))
    after, metrics = eqx.filter_eval_shape(_updated, plan.setup, plan.networks, plan.cast)
    assert metrics["score"].shape == (plan.setup.stage.learners,)
    assert jax.tree.structure(after.networks) == jax.tree.structure(plan.networks)


def _updated(setup: Any, networks: Any, cast: Any) -> Any:
    return update(setup, start(setup, networks, jax.random.key(0), cast))


def test_e3t_plays_with_itself_and_slips(tmp_path: Path):
    run = train("e3t", GAME, tmp_path / "run", seeds=2, games=8, total_turns=2 * 64, slips=1.0, **SHORT)
    assert run.metrics[-1]["deciding"] == pytest.approx([0.5, 0.5], abs=0.1)


@pytest.mark.parametrize(
    ("recipe", "settings", "words"),
    [
        ("preferring", {}, "does not say what its players may prefer"),
        ("population", {"diversity": "entropy"}, "needs several members"),
        ("population", {"diversity": "colour"}, "should be one of none, entropy, games"),
        ("fcp", {"size": 4}, "multiple of 3"),
        ("hsp", {"size": 9}, "multiple of 6"),
        ("e3t", {"slips": 2}, "between 0 and 1"),
        ("cole", {"size": 0}, "size=0"),
        ("cole", {"solver": "luck"}, "should be one of rank, graph"),
        ("fcp", {"population": "nowhere"}, "no snapshots"),
    ],
)
def test_what_is_missing_is_said(recipe: str, settings: dict[str, Any], words: str, tmp_path: Path):
    game: Any = Toy()
    with pytest.raises(TrainError, match=words):
        train(recipe, game, tmp_path / "out", progress=False, **settings)
