"""Search on top of a policy: worlds agree with all that was seen, and a better move is found."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.agents.random import random_legal
from coplay.faces import Retraced, faces_of
from coplay.player import AgentError

GAME: Any = coplay.make("hanabi", players=3, colors=2, ranks=3, hand_size=2, life_tokens=3)
FACE: Any = faces_of(GAME).belief
TURNS = 14


def random_game(seed: int) -> tuple[list[Any], list[int]]:
    """States before every turn, and who moved."""
    state, states, movers = GAME.reset(jax.random.key(seed)), [], []
    for turn in range(TURNS):
        if bool(state.done):
            break
        states.append(state)
        mover = int(state.seat)
        movers.append(mover)
        bits = jax.random.bits(jax.random.fold_in(jax.random.key(seed), turn), (), jnp.uint32)
        state = STEP(state, random_legal(GAME.legal(GAME.view(state, mover)), bits))
    return states, movers


STEP = jax.jit(lambda state, action: GAME.step(state, jnp.full(3, action)).state)
VIEW = jax.jit(GAME.view)
WORLD = jax.jit(lambda view, values, key: FACE.world(GAME, view, values, key))
EARLIER = jax.jit(lambda views, count, values: FACE.earlier(GAME, views, count, values))
HIDDEN = jax.jit(lambda state, seat: FACE.hidden(GAME, state, seat))


def stacked(views: list[Any], length: int) -> Any:
    """Views in order, filled up with nothing."""
    whole = jax.tree.map(lambda *leaves: np.stack([np.asarray(leaf) for leaf in leaves]), *views)
    return jax.tree.map(lambda leaf: np.pad(leaf, ((0, length - len(leaf)), *((0, 0),) * (leaf.ndim - 1))), whole)


@pytest.mark.parametrize("seed", range(4))
def test_a_world_of_a_view_looks_like_it(seed: int):
    states, _ = random_game(seed)
    for seat in range(3):
        state = states[-1 - seat]
        view = VIEW(state, seat)
        values = HIDDEN(state, seat)
        world = WORLD(view, values, jax.random.key(seed))
        for mine, other in zip(jax.tree.leaves(VIEW(world, seat)), jax.tree.leaves(view), strict=True):
            np.testing.assert_array_equal(mine, other)
        partner = (seat + 1) % 3  # with the true hand the others see what they really see
        for mine, other in zip(
            jax.tree.leaves(VIEW(world, partner)), jax.tree.leaves(VIEW(state, partner)), strict=True
        ):
            np.testing.assert_array_equal(mine, other)
        left = np.sort(np.asarray(world.deck)[int(world.drawn) :])
        np.testing.assert_array_equal(left, np.sort(np.asarray(state.deck)[int(state.drawn) : GAME.num_cards]))


@pytest.mark.parametrize("seed", range(4))
def test_the_true_hand_leads_back_to_all_earlier_hands(seed: int):
    states, _ = random_game(seed)
    for seat in range(3):
        views = stacked([VIEW(state, seat) for state in states], TURNS + 1)
        found = EARLIER(views, jnp.int32(len(states)), HIDDEN(states[-1], seat))
        for turn, state in enumerate(states):
            np.testing.assert_array_equal(found[turn], HIDDEN(state, seat), err_msg=f"turn {turn}")


def test_facts_of_a_view_are_those_of_its_state():
    states, _ = random_game(5)
    state = states[-1]
    for mine, other in zip(
        *(jax.tree.leaves(one) for one in (FACE.facts_in(GAME, VIEW(state, 1)), FACE.facts(GAME, state, 1))),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.slow
def test_search_finds_better_moves_than_its_blueprint():
    game = coplay.make("hanabi-very-small")
    assert isinstance(faces_of(game).belief, Retraced)
    team = ["search:iggi?worlds=16&guesses=64", "iggi"]
    found, plain = (coplay.play(game, one, games=16, seed=3) for one in (team, ["iggi", "iggi"]))
    assert not found.forfeits
    gain = found.scores - plain.scores  # on the same deals
    assert gain.mean() > 0.15
    assert gain.min() >= -1


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("search:hgroup", "plain agent"),
        ("search:iggi?worlds=1", "at least 2"),
        ("search:iggi?slips=0", "between 0 and 1"),
        ("search:nobody", "nobody"),
    ],
)
def test_what_cannot_search_is_said(spec: str, words: str):
    with pytest.raises(AgentError, match=words):
        coplay.agent(spec, coplay.make("hanabi"))
    with pytest.raises(AgentError, match="cannot say what a seat does not see"):
        coplay.agent("search:greedy-cook", coplay.make("overcooked"))
