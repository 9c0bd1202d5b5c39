"""A network at the table: the same compiled, in lock-step and in a learner's rollout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.nets.file import load_policy, save_policy
from coplay.nets.policy import NetPolicy, observation_scale, observe, reader
from tests.train.toy import design, quick, random_network

GAME: Any = coplay.make("hanabi-very-small", life_tokens=3)
READ: Any = reader(GAME)
GAMES = 12


class FirstLegal(coplay.Agent):
    name = "first legal"

    def act(self, view: Any) -> int:
        return int(np.flatnonzero(view.legal)[0])


class FirstLegalPolicy(eqx.Module):
    name: str = eqx.field(static=True, default="first legal")
    hears = "own"

    def start(self) -> None:
        return None

    def act(self, memory: None, view: Any, key: Any) -> tuple[None, Any]:
        return memory, jnp.argmax(view.legal)


def player(hears: Any, greedy: bool) -> NetPolicy:
    kind = design(READ, cell="gru", hears=hears, scale=observation_scale(READ))
    return NetPolicy(random_network(kind, size=1.0), READ, greedy=greedy)


@pytest.fixture(scope="module")
def compiled() -> Any:
    """Games of a network that listens to every turn and draws its actions, with a partner that never thinks."""
    return coplay.play(GAME, [player("every", False), FirstLegalPolicy()], games=GAMES, seed=1)


def test_lock_step_play_is_compiled_play(compiled: Any):
    plain = coplay.play(GAME, [player("every", False), FirstLegal()], games=GAMES, seed=1)
    np.testing.assert_array_equal(plain.decks, compiled.decks)
    np.testing.assert_array_equal(plain.scores, compiled.scores)
    width = min(plain.actions.shape[1], compiled.actions.shape[1])
    np.testing.assert_array_equal(plain.actions[:, :width], compiled.actions[:, :width])
    assert len(np.unique(plain.actions[:, 0], axis=0)) > 1, "games differ"


def test_saving_keeps_the_play(tmp_path: Path, compiled: Any):
    save_policy(tmp_path / "a.safetensors", player("every", False).network, READ, {}, "float32")
    again = load_policy(str(tmp_path / "a.safetensors"), GAME, greedy=False, name="network")
    assert (again.hears, again.greedy) == ("every", False)
    played = coplay.play(GAME, [again, FirstLegalPolicy()], games=GAMES, seed=1)
    np.testing.assert_array_equal(played.actions, compiled.actions)


@quick
def looked(policy: NetPolicy) -> Any:
    """A first position: (legal, logits, action, the observation in bytes, and as it was)"""
    view = READ.view(READ.reset(jax.random.key(0)), 0)
    _, logits = policy.think(policy.start(), view)
    _, action = policy.act(policy.start(), view, jax.random.key(1))
    return READ.legal(view), logits, action, observe(READ, view), READ.encode(view)


def test_a_greedy_player_takes_the_best_legal_action():
    legal, logits, action, _, _ = (np.asarray(part) for part in looked(player("own", True)))
    assert legal.any()
    assert not legal.all()
    assert (logits[~legal] < -1e8).all()
    assert int(action) == int(np.argmax(np.where(legal, logits, -np.inf)))


def test_networks_read_beliefs_in_bytes():
    *_, seen, exact = (np.asarray(part) for part in looked(player("own", True)))
    assert seen.dtype == np.uint8
    assert seen.shape == READ.observation_shape
    np.testing.assert_allclose(seen * observation_scale(READ), exact, atol=0.5 / 255 + 1e-6)


TWO_COLOURS: Any = coplay.make("hanabi-small")


def seen_through(symmetries: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits of the same moment twice: as it is, and with the colours exchanged (named as they were)."""
    read: Any = reader(TWO_COLOURS)
    kind = design(read, cell="gru", hears="every", scale=observation_scale(read))
    policy = NetPolicy(random_network(kind, size=1.0), read, symmetries=symmetries)
    colours = jnp.array([1, 0])
    states = [jax.jit(TWO_COLOURS.reset)(jax.random.key(5))]
    step, exchange = jax.jit(TWO_COLOURS.step), jax.jit(TWO_COLOURS.symmetries.state)
    states.append(step(states[0], jnp.full(2, TWO_COLOURS.hand_size)).state)  # the first card is played

    @quick
    def logits(states: Any) -> Any:
        first, second = states
        memory, _ = policy.think(policy.start(), read.view(first, 1))
        return policy.think(memory, read.view(second, 1))[1]

    exchanged = [exchange(colours, state) for state in states]
    names = np.argsort(np.asarray(TWO_COLOURS.symmetries.of(colours).actions))
    return np.asarray(logits(states)), np.asarray(logits(exchanged))[names]


def test_one_that_looks_through_all_symmetries_does_not_care_for_names():
    np.testing.assert_allclose(*seen_through(2), atol=1e-4)
    once, exchanged = seen_through(1)
    assert np.abs(once - exchanged).max() > 0.1, "this network alone does care"


def test_there_are_no_more_symmetries_than_the_game_has():
    with pytest.raises(coplay.AgentError, match="symmetries=3; hanabi-small has 2"):
        seen_through(3)
