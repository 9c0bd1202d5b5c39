"""What a decision is worth in a world drawn from a seat's belief."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.faces import faces_of
from coplay.nets.policy import reader
from coplay.train.learner.advantage import one_step
from coplay.train.learner.off_belief import OffBelief
from coplay.train.learner.stage import Deciding
from coplay.worlds.hanabi.belief import exact_hands
from tests.train.toy import Toy, collected, design, opened, quick, random_network, random_rollout, stack, stage_of


class Certain:
    """A belief that knows the truth."""

    def redraw(self, game: Any, state: Any, seat: Any, key: Any) -> Any:
        return state


@pytest.mark.parametrize(("players", "memory"), [(2, False), (3, False), (2, True), (3, True)])
def test_where_the_belief_is_the_truth_the_outlook_is_what_comes(players: int, memory: bool):
    """Whoever knows the cards foresees the game itself: the rewards of a round, its end, the own next value. A public
    memory goes on there."""
    game: Any = Toy(players=players, longest=9)
    public: dict[str, Any] = {"cell": "gru", "hears": "every", "private": players} if memory else {}
    drawn = random_network(design(game, **public), seed=2)
    # One clear favourite everywhere, so that luck plays no part.
    sure = eqx.tree_at(lambda network: network.actor.weight, drawn, 1e5 * drawn.actor.weight)
    turns = 8 * players
    plain, seeing = stage_of(game), stage_of(game, foresight=OffBelief(Certain()))
    tables = opened(plain, stack(sure), 6, jax.random.key(1))
    _, real, _ = collected(plain, stack(sure), tables, turns)
    _, seen, _ = collected(seeing, stack(sure), tables, turns)
    np.testing.assert_array_equal(seen.rows.action, real.rows.action)
    reward, ends = (np.asarray(column)[..., 0] for column in (real.flow.reward, real.flow.ends))
    learns = np.asarray(real.rows.learns)
    row = learns.argmax(-1)[..., None]  # of the seat to move
    value, following = (
        np.take_along_axis(np.asarray(column), row, -1)[..., 0]
        for column in (real.rows.value, seen.rows.extra["next_value"])
    )
    compared = 0
    for turn in range(turns - players):
        for table in np.flatnonzero(learns[turn].any(-1)):
            round_ends = ends[turn : turn + players, table]
            last = int(round_ends.argmax()) if round_ends.any() else players - 1
            assert bool(seen.flow.ends[turn, table, 0]) == bool(round_ends.any())
            assert float(seen.flow.reward[turn, table, 0]) == reward[turn : turn + last + 1, table].sum()
            if not round_ends.any():
                np.testing.assert_allclose(following[turn, table], value[turn + players, table], rtol=1e-4)
                compared += 1
    assert compared > 10
    assert np.asarray(seen.flow.ends).any()


@pytest.mark.parametrize("truth", [0, 2])
def test_a_hidden_card_is_worth_its_average_whatever_it_is(truth: int):
    """Two 1s and a 3 are unseen: a card played blindly succeeds in two worlds of three, and else ends the game."""
    settings: dict[str, Any] = {"colors": 1, "ranks": 3, "hand_size": 1, "copies": (2, 1, 1), "life_tokens": 1}
    game: Any = reader(coplay.make("hanabi", players=2, **settings))
    others = [0, 2] if truth == 0 else [0, 0]
    state = game.deal(np.asarray([[0, rank] for rank in (truth, 1, *others)]))
    hands, likely = exact_hands(jax.jit(game.view)(state, 0))
    assert dict(zip(hands[:, 0].tolist(), likely.tolist(), strict=True)) == pytest.approx({0: 2 / 3, 2: 1 / 3})
    count = 3000
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *jnp.shape(leaf))), state)
    turn, play = Deciding(states, jnp.zeros(count, jnp.int32), ()), jnp.full((count, 2), game.hand_size)
    belief = faces_of(game).belief
    assert belief is not None
    stage, networks = stage_of(game, foresight=OffBelief(belief)), stack(random_network(design(game), seed=3))
    _, outlook = quick(OffBelief(belief).outlook)(stage, networks, (), turn, play, jax.random.key(truth))
    scored = np.asarray(outlook.reward) >= 1  # the partner's 2 fits on the 1, so it loses nothing afterwards
    assert scored.mean() == pytest.approx(2 / 3, abs=0.03)
    assert np.asarray(outlook.ends)[~scored].all()
    assert not np.asarray(outlook.ends)[scored].all()


def test_who_wanders_learns_from_its_own_choice():
    """Random moves in the games change where they lead, not what the rows say was chosen and what that is worth."""
    game: Any = Toy(players=2, longest=9)
    networks = stack(random_network(design(game), seed=2))
    straight, wandering = (stage_of(game, foresight=OffBelief(Certain()), wander=share) for share in (0.0, 1.0))
    tables = opened(straight, networks, 200, jax.random.key(1))
    (after, rows, _), (elsewhere, same, _) = (collected(stage, networks, tables, 2) for stage in (straight, wandering))
    for old, new in zip(jax.tree.leaves(rows[:2]), jax.tree.leaves(same[:2]), strict=True):
        np.testing.assert_array_equal(old[0], new[0])
    assert (np.asarray(after.states.last) != np.asarray(elsewhere.states.last)).mean() > 0.3


def test_targets_of_one_step():
    game: Any = Toy()
    rollout = random_rollout(game, 4, 3, 1)
    rows = rollout.rows
    following = jnp.asarray(np.random.default_rng(1).normal(size=rows.value.shape), jnp.float32)
    rollout = rollout._replace(rows=rows._replace(extra={"next_value": following}))
    advantage, target = one_step(rollout, discount=0.5)
    learns, ends = np.asarray(rows.learns), np.asarray(rollout.flow.ends)
    expected = np.asarray(rollout.flow.reward) + 0.5 * np.where(ends, 0, following)
    np.testing.assert_allclose(np.asarray(target)[learns], expected[learns], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(advantage)[learns], (expected - np.asarray(rows.value))[learns], rtol=1e-5)
    assert not np.asarray(advantage)[~learns].any()
