"""Other-Play's relabelling: what a seat sees, may do and means belong to one and the same renaming of the colours."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.nets.policy import observation_scale, observe, reader
from coplay.train.learner.rollout import Rollout
from coplay.train.learner.stage import Tables
from tests.train.toy import collected, design, opened, quick, random_network, stack, stage_of

GAME: Any = reader(coplay.make("hanabi", colors=3, ranks=2, hand_size=2, life_tokens=3))
GAMES, TURNS = 16, 8
ACTIONS = np.stack([GAME.symmetries[number].actions for number in range(len(GAME.symmetries))])


@pytest.fixture(scope="module")
def played() -> list[tuple[Tables, Rollout, Tables]]:
    """(before, one turn, after), turn by turn."""
    stage = stage_of(GAME, relabel=True)
    networks = stack(random_network(design(GAME, scale=observation_scale(GAME)), size=0.05))
    tables = opened(stage, networks, GAMES, jax.random.key(0))
    found = []
    for _ in range(TURNS):
        after, rollout, _ = collected(stage, networks, tables, 1)
        found.append((tables, rollout, after))
        tables = after
    return found


@quick
def in_the_mirror(states: Any, labels: Any, chosen: Any) -> Any:
    """Per game: the relabelled position's view and legal moves, and the relabelled next position reached two ways."""

    def one(state: Any, labels: Any, chosen: Any) -> Any:
        seat = state.seat
        number = labels[seat]
        old = GAME.symmetries.permutations[number]
        mirrored = GAME.symmetries.state(old, state)
        view = GAME.view(mirrored, seat)
        meant = GAME.symmetries[number].actions[chosen]
        here = GAME.step(mirrored, jnp.full(GAME.players, chosen))
        there = GAME.step(state, jnp.full(GAME.players, meant))
        moved = GAME.symmetries.state(old, there.state)
        return observe(GAME, view), GAME.legal(view), here, there._replace(state=moved), there.state

    return jax.vmap(one)(states, labels, chosen)


def test_seats_see_move_and_mean_through_their_own_symmetry(played: Any):
    renamed = 0
    for before, rollout, after in played:
        rows = rollout.rows
        observation, legal, here, there, plain = in_the_mirror(before.states, before.labels, rows.action[0, :, 0])
        np.testing.assert_array_equal(rows.observation[0, :, 0], observation)
        np.testing.assert_array_equal(rows.legal[0, :, 0], legal)
        for a, b in zip(jax.tree.leaves(here), jax.tree.leaves(there), strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(rollout.flow.reward[0, :, 0], there.reward)
        goes_on = ~np.asarray(there.done)
        for a, b in zip(jax.tree.leaves(after.states), jax.tree.leaves(plain), strict=True):
            np.testing.assert_array_equal(np.asarray(a)[goes_on], np.asarray(b)[goes_on])
        number = np.take_along_axis(np.asarray(before.labels), np.asarray(before.states.seat)[:, None], 1)[:, 0]
        chosen = np.asarray(rows.action)[0, :, 0]
        renamed += int((ACTIONS[number, chosen] != chosen).sum())
    assert renamed > TURNS, "colours must have been named through a mirror"


def test_labels_differ_between_seats_and_games_and_last_a_game(played: Any):
    labels = np.asarray(played[0][0].labels)
    assert len(np.unique(labels[:, 0])) > 1, "games differ"
    assert (labels[:, 0] != labels[:, 1]).any(), "seats differ"
    for before, rollout, after in played:
        stays = ~np.asarray(rollout.flow.ends)[0, :, 0]
        np.testing.assert_array_equal(np.asarray(after.labels)[stays], np.asarray(before.labels)[stays])
