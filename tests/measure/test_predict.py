"""Teacher forcing: expectations at recorded decisions, of networks and of players who never doubt."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli import app
from coplay.measure import MeasureError
from coplay.measure.foresee import foresee_episodes
from coplay.measure.predict import fitted_smoothing, predict, predict_all
from coplay.measure.prediction import action_prediction
from coplay.nets.network import Design, Network
from coplay.nets.policy import NetPolicy, observation_scale, reader
from coplay.rollouts.episode import Episodes
from coplay.train import clone
from coplay.worlds.hanabi.recordings import to_episodes
from coplay.worlds.hanabi.recordings.challenge import challenge_games
from tests.measure.study.posted import Posted


def network(game, hears: str) -> NetPolicy:
    game = reader(game)
    sizes = {"embed": 16, "cell": "gru", "hidden": 16, "actor": 16, "critic": 8}
    scale = observation_scale(game)
    design = Design(game.observation_shape, game.num_actions, scale, hears=hears, **sizes)  # pyright: ignore
    return NetPolicy(eqx.filter_jit(Network)(jax.random.key(3), design), game)


@pytest.fixture(scope="module")
def played() -> Episodes:
    """Games of the smallest deck, by a network that remembers its own turns."""
    game = coplay.make("hanabi-very-small")
    return coplay.play(game, network(game, "own"), games=4, seed=1, engine="lockstep")


def test_a_network_is_judged_as_in_training(played: Episodes):
    """Step by step at the table and whole sequences at once give the same loss."""
    policy = network(played.game, "every")
    lessons = clone.lessons(policy.game, policy.network.design, played)
    stacked = jax.tree.map(lambda leaf: leaf[None], policy.network)
    groups = clone.in_groups(np.arange(4), 4)
    sums = clone.of_one(clone.examine(policy.game, stacked, lessons, groups, jnp.float32), 0)
    found = foresee_episodes(played, policy)
    counts = found.decides
    assert counts.sum() == played.lengths.sum() == sums.decisions
    assert -found.log_prob[counts].mean() == pytest.approx(sums.per_decision, rel=1e-4)
    assert found.hit[counts].mean() == pytest.approx(sums.accuracy)


class Leftmost(coplay.Agent):
    """Takes the first legal action, or every third time the last; counts its own turns to do so."""

    name = "leftmost"

    def reset(self, seat: int, players: int) -> None:
        self.turns = 0

    def act(self, view) -> int:
        self.turns += 1
        legal = np.flatnonzero(view.legal)
        return int(legal[-1 if self.turns % 3 == 0 else 0])


@pytest.mark.parametrize(("hears", "all_of_them"), [("own", True), ("every", False)])
def test_whoever_played_foresees_every_move(played: Episodes, hears: str, all_of_them: bool):
    """With a memory that hears at the wrong times the same weights would have played differently."""
    found = foresee_episodes(played, network(played.game, hears))
    assert found.hit[found.decides].all() == all_of_them
    assert found.decides.sum() == played.lengths.sum()
    assert (found.legal[found.decides] > 0).all()


def test_a_plain_agent_is_asked_as_at_the_table():
    episodes = coplay.play(coplay.make("hanabi-very-small"), Leftmost(), games=2, seed=1)
    found = foresee_episodes(episodes, Leftmost())
    assert found.hit[found.decides].all()
    assert found.decides.sum() == episodes.lengths.sum()


def test_only_the_marked_seat_counts():
    marked = challenge_games("fireflower", 2, "val")[:2]
    marked.extra["human_seat"] = np.array([0, 1])
    found = predict(to_episodes(marked), "random")
    assert found.result.cross_entropy.n == -(-marked.lengths[0] // 2) + marked.lengths[1] // 2
    assert found.smoothing == 0.05  # it never doubts


def test_seats_that_act_together_are_asked_together():
    game = coplay.make("overcooked", layout="cramped_room", horizon=12)
    episodes = coplay.play(game, ["stay", "random"], games=2, seed=0, engine="lockstep")
    found = foresee_episodes(episodes, coplay.agent("stay", game))
    assert found.decides.all()
    assert found.hit[:, :, 0].all()
    assert not found.hit[:, :, 1].all()


def test_the_fitted_share_of_doubt_is_the_best_one():
    logs, legal = np.log([1.0, 1.0, 1e-30, 1.0, 1e-30]), np.array([20, 10, 12, 18, 20])
    best = fitted_smoothing(logs, legal)

    def cost(share: float) -> float:
        return action_prediction(logs, legal, players=2, smoothing=share).cross_entropy.value

    assert 0.3 < best < 0.6
    assert cost(best) < min(cost(best + 0.01), cost(best - 0.01))


def test_the_command_prints_and_keeps_a_table(tmp_path):
    file = tmp_path / "table.csv"
    words = ["predict", "random", "--data", "fireflower", "--players", "2", "--games", "2", "--out", str(file)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "(uniform)" in done.stdout
    assert file.read_text().startswith("agent,decisions,cross_entropy")
    assert len(file.read_text().splitlines()) == 2
    assert "any legal action" in file.with_suffix(".svg").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--data", "nowhere.safetensors"], "no such file"),
        (["--data", "hgroup", "--players", "5"], "players: 2, 3"),
        (["--data", "hgroup", "--smoothing", "much"], "write a share"),
    ],
)
def test_mistakes_are_told(words: list[str], said: str):
    done = CliRunner().invoke(app, ["predict", "random", *words])
    assert said in str(done.exception)


FIRST = """
class First:
    def act(self, view):
        return int(view.legal.argmax())
"""


def test_what_is_foreseen_elsewhere_is_the_same(played: Episodes, tmp_path: Path):
    (tmp_path / "first.py").write_text(FIRST)
    agents = {"one": f"file:{tmp_path / 'first.py'}:First", "other": f"file:{tmp_path / 'first.py'}:First"}
    place = Posted()
    here, there = (predict_all(played, agents, out=tmp_path / name, on=on) for name, on in (("1", 1), ("2", place)))
    assert place.done == 2
    assert here.rows() == there.rows()
    for file in ("games.csv", "foreseen/001.safetensors"):
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()
    with pytest.raises(MeasureError, match="an object cannot be sent"):
        predict_all(played, [Leftmost()], on=place)
