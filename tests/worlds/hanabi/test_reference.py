"""Recorded games of the reference engine, turn by turn: observations, legal moves, rewards, ends and scores."""

from __future__ import annotations

import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from tests.conftest import GOLDEN

OBSERVATION = {0: "minimal", 1: "card_knowledge", 2: "seer"}
FILES = sorted((GOLDEN / "hanabi").glob("*.npz"))


def make(meta: dict[str, Any], counts: np.ndarray) -> Any:
    return coplay.make(
        "hanabi",
        players=meta["players"],
        colors=meta["colors"],
        ranks=meta["ranks"],
        hand_size=meta["hand_size"],
        info_tokens=meta["max_info"],
        life_tokens=meta["max_life"],
        copies=tuple(int(n) for n in counts[0]),
        observation=OBSERVATION[meta["observation_type"]],
    )


def replay(game: Any, decks: np.ndarray, starts: np.ndarray, actions: np.ndarray) -> dict[str, np.ndarray]:
    """Everything a recording holds, from our engine; padding (-1) is illegal and so changes nothing."""

    def turn(state: Any, action: Any) -> tuple[Any, dict[str, Any]]:
        views = jax.vmap(game.view, (None, 0))(state, jnp.arange(game.players))
        step = game.step(state, jnp.full(game.players, action))
        shown = {
            "obs": jax.vmap(game.encode)(views),
            "legal": jax.vmap(game.legal)(views),
            "turn": game.turn(state),
            "reward": step.reward,
            "done": step.done,
            "score": game.score(step.state),
        }
        return step.state, shown

    def one(deck: Any, start: Any, actions: Any) -> dict[str, Any]:
        return jax.lax.scan(turn, game.deal(deck, start), actions)[1]

    arrays = (jnp.asarray(x, jnp.int32) for x in (decks, starts, actions))
    return {name: np.asarray(value) for name, value in jax.jit(jax.vmap(one))(*arrays).items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_bit_of_every_seat_agrees_with_the_reference_engine(path: Any) -> None:
    data = dict(np.load(path))
    meta = json.loads(str(data["meta"]))
    game = make(meta, data["card_counts"])
    assert game.num_actions == meta["num_actions"]
    assert game.observation_shape == (meta["obs_bits"],)
    ours = replay(game, data["deck"], data["start_player"], data["action"])
    for g, turns in enumerate(data["num_turns"]):
        want = np.unpackbits(data["obs"][g, :turns], axis=-1)[..., : meta["obs_bits"]]
        np.testing.assert_array_equal(ours["obs"][g, :turns], want)
        actor = data["actor"][g, :turns]
        legal = np.unpackbits(data["legal"][g, :turns], axis=-1)[..., : game.num_actions].astype(bool)
        expected = np.zeros((turns, game.players, game.num_actions), bool)
        expected[np.arange(turns), actor] = legal
        np.testing.assert_array_equal(ours["legal"][g, :turns], expected)
        np.testing.assert_array_equal(ours["turn"][g, :turns].argmax(1), actor)
        np.testing.assert_array_equal(ours["reward"][g, :turns], data["reward"][g, :turns])
        np.testing.assert_array_equal(ours["done"][g, :turns], data["done"][g, :turns])
        assert ours["score"][g, turns - 1] == data["score"][g, turns]


def test_human_games_replay_to_their_recorded_scores(shared: Any) -> None:
    from safetensors.numpy import load_file

    data = load_file(shared / "data" / "ah2ac2_3p_val.safetensors")
    game = coplay.make("hanabi", players=3)
    # Off-turn seats hold a no-op (the largest id), so the move of a turn is the smallest entry. Recordings may stop
    # before the rule-book end: the padding is never stepped.
    played = np.arange(data["actions"].shape[1]) < data["num_actions"][:, None]
    actions = np.where(played, data["actions"].min(-1), -1)
    ours = replay(game, data["decks"], np.zeros(len(actions)), actions)
    last = data["num_actions"] - 1
    np.testing.assert_array_equal(ours["score"][np.arange(len(last)), last], data["scores"])
