"""Off-belief learning end to end: it learns, and what it learns works with a stranger who learned likewise."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.faces import Faces
from coplay.games import make
from coplay.measure.crossplay import crossplay
from coplay.train import run, train
from coplay.train.settings import TrainError
from tests.own.words import Words

SMALL: dict[str, Any] = {"embed": 64, "actor": 64, "critic": 64}
OWN = Path(__file__).parents[2] / "own"


@pytest.mark.parametrize(
    ("game", "settings", "words"),
    [
        (f"file:{OWN / 'words.py'}:Words", {}, "cannot redraw"),
        (f"file:{OWN / 'levers.py'}:Levers", {}, "one seat moves at a time"),
        ("hanabi", {"cell": "gru"}, "with cell=gru obl needs hears=every"),
        ("hanabi", {"critic_sees": "all"}, "obl needs critic_sees=own"),
        ("hanabi", {"wander": 2}, "between 0 and 1"),
        ("hanabi", {"level": 0}, "level=0: must be greater than 0"),
        ("hanabi", {"below": "somewhere"}, "nothing is below level 1"),
    ],
)
def test_what_it_cannot_do_is_said(game: str, settings: dict[str, Any], words: str, tmp_path: Path):
    with pytest.raises(TrainError, match=words):
        train("obl", make(game), tmp_path / "out", progress=False, **settings)


@pytest.mark.slow
def test_a_run_of_three_players_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    game = make("hanabi-very-small", players=3)
    settings: dict[str, Any] = {**SMALL, "games": 8, "turns": 6, "minibatches": 2, "bundle": 1, "mercy": 0}
    settings |= {"wander": 0.1, "total_turns": 4 * 48}
    whole = train("obl", game, tmp_path / "whole", seeds=2, progress=False, **settings)
    keep = run.keep

    def killed(keeper: run.Keeper, report: Any) -> None:
        keep(keeper, report)
        if report.updates == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run, "CHECKPOINT_SECONDS", -1.0)
        patch.setattr(run, "keep", killed)
        with pytest.raises(KeyboardInterrupt):
            train("obl", game, tmp_path / "parts", seeds=2, progress=False, **settings)
    assert len((tmp_path / "parts" / "metrics.jsonl").read_text().splitlines()) == 2
    parts = train("obl", game, tmp_path / "parts", seeds=2, progress=False, resume=True, **settings)
    for one, other in zip(whole.agents, parts.agents, strict=True):
        for a, b in zip(jax.tree.leaves(one.network), jax.tree.leaves(other.network), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.slow
def test_levels_stand_on_each_other_and_go_on_where_they_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from coplay.train import belief_run

    game = make("hanabi-very-small", hand_size=1)
    settings: dict[str, Any] = {"embed": 8, "actor": 8, "critic": 8, "games": 8, "turns": 4, "minibatches": 2}
    settings |= {"bundle": 4, "mercy": 0, "total_turns": 128}
    settings |= {"belief_turns": 320, "belief_games": 8, "belief_hidden": 8}

    def killed(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(belief_run, "learn_belief", killed)
    with pytest.raises(KeyboardInterrupt):
        train("obl", game, tmp_path / "run", seeds=2, progress=False, level=2, **settings)
    monkeypatch.undo()
    first = (tmp_path / "run" / "level-1" / "agent-0.safetensors").stat().st_mtime_ns
    made = train("obl", game, tmp_path / "run", seeds=2, progress=False, level=2, resume=True, **settings)
    assert (tmp_path / "run" / "level-1" / "agent-0.safetensors").stat().st_mtime_ns == first
    told = [json.loads(line) for line in (tmp_path / "run" / "belief.jsonl").read_text().splitlines()]
    assert len(told) == 10
    assert all(nats > 0 for nats in told[-1]["by_facts"])
    below = str(tmp_path / "run" / "level-1")
    players = ",".join(f"run:{below}/agent-{number}.safetensors" for number in range(2))
    for name, given in (("above", below), ("of-players", players)):
        again = train("obl", game, tmp_path / name, seeds=2, progress=False, level=2, below=given, **settings)
        for one, other in zip(made.agents, again.agents, strict=True):
            np.testing.assert_array_equal(one.network.actor.weight, other.network.actor.weight)
    remembered: dict[str, Any] = settings | {"cell": "lstm", "hears": "every", "hidden": 8}
    second = train("obl", game, tmp_path / "second", seeds=2, progress=False, level=2, below=below, **remembered)
    third = train(
        "obl", game, tmp_path / "third", seeds=2, progress=False, level=3, below=f"run:{second.folder}", **settings
    )
    assert {agent.network.design.private for agent in (*second.agents, *third.agents)} == {5}  # the other's card
    with pytest.raises(TrainError, match="2 players for 1 learners"):
        train("obl", game, tmp_path / "alone", progress=False, level=2, below=below, **settings)


class Shown(NamedTuple):
    secret: jax.Array
    word: jax.Array
    turn: jax.Array
    points: jax.Array


class Redrawn:
    """What the guesser believes: any number, unless it was shown."""

    def redraw(self, game: Any, state: Shown, seat: Any, key: Any) -> Shown:
        other = jax.random.randint(key, (), 0, game.numbers)
        blind = (seat == 1) & (state.word != game.numbers)
        return state._replace(secret=jnp.where(blind, other, state.secret))


class PricedFaces(Faces):
    belief = Redrawn()  # pyright: ignore[reportAssignmentType]


@dataclasses.dataclass(frozen=True)
class Priced(Words):
    """Words that mean nothing by themselves are free; showing the number, the last action, costs a fifth of it all."""

    numbers: int = 4
    faces = PricedFaces()

    @property
    def num_actions(self) -> int:
        return self.numbers + 1

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (2 * (self.numbers + 2),)

    def encode(self, view: Any) -> Any:
        """No number is nearer to one word than to another."""
        said = [jnp.arange(-1, self.numbers + 1) == number for number in (view.secret, view.word)]
        return jnp.concatenate(said).astype(jnp.uint8)

    def step(self, state: Any, actions: Any) -> Any:
        after, reward, done = super().step(state, actions)
        fee = jnp.where((state.turn == 0) & (after.word == self.numbers), 0.2, 0)
        return Shown(*after[:3], points=state.points + reward - fee), reward - fee, done

    def view(self, state: Any, seat: Any) -> Any:
        seen = super().view(state, seat)
        shown = (state.turn == 1) & (state.word == self.numbers)
        return seen._replace(secret=jnp.where(shown, state.secret, seen.secret))

    def reset(self, key: Any) -> Any:
        return Shown(*super().reset(key)[:3], points=jnp.float32(0))

    def legal(self, view: Any) -> Any:
        guesses = (view.secret < 0) | (view.word == self.numbers)
        return view.mine & ((jnp.arange(self.numbers + 1) < self.numbers) | ~guesses)


@pytest.mark.parametrize(("recipe", "entropy", "worth"), [("obl", 0.5, 0.8), ("ippo", 0.1, 1.0)])
def test_no_word_gets_a_secret_meaning(recipe: str, entropy: float, worth: float, tmp_path: Path):
    """Self-play makes a language of the free words. Off-belief learning pays for what anybody understands, and so two
    who learned apart play as each does alone."""
    game: Any = Priced()
    settings = {**SMALL, "games": 256, "turns": 8, "minibatches": 4, "epochs": 2, "total_turns": 2e5, "mercy": 0}
    settings |= {"learning_rate": 3e-3, "entropy": entropy, "entropy_left": 1.0, "anneal": True, "bundle": 98}
    made = train(recipe, game, tmp_path / "run", seeds=2, progress=False, **settings)
    scores = crossplay(made.game, made.agents, games=300).mean
    assert np.diag(scores) == pytest.approx(worth, abs=0.03)
    if recipe == "obl":
        assert scores == pytest.approx(np.full((2, 2), worth), abs=0.03)
