import collections

import jax
import numpy as np
import pytest

import coplay
from coplay.game import GameError
from coplay.worlds.overcooked import rules
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.anywhere import HANDS
from coplay.worlds.overcooked.minimal import _counters
from coplay.worlds.overcooked.settings import Overcooked

GAMES = 300


def starts(layout: str, share: float = 1.0) -> tuple[Overcooked, rules.State]:
    game = coplay.make("overcooked", layout=layout, random_starts=share)
    return game, jax.vmap(game.reset)(jax.random.split(jax.random.key(0), GAMES))


@pytest.mark.parametrize("layout", ["cramped_room", "forced_coordination", "counter_circuit"])
def test_chefs_stand_apart_where_they_can_walk(layout):
    game, states = starts(layout)
    cells = np.stack([np.asarray(rules.Chef.of(chef).cell) for chef in states.chefs], axis=1)
    assert (cells[:, 0] != cells[:, 1]).all()
    for seat, start in enumerate(game.kitchen.starts):
        room = {game.kitchen.index(cell) for cell in game.kitchen.reachable(start)}
        assert set(cells[:, seat].tolist()) == room  # in three hundred draws every cell comes up


def test_hands_and_pots_take_every_form():
    game, states = starts("asymmetric_advantages")
    held = np.stack([np.asarray(rules.Chef.of(chef).item) for chef in states.chefs])
    assert set(held.ravel().tolist()) == set(HANDS)
    pots = [rules.Pot.of(pot) for pot in states.pots]
    assert {int(c) for pot in pots for c in pot.contents} == {0, 1, 2, 3}
    for pot in pots:
        cooking = np.asarray(pot.clock) > 0
        assert (cooking == (np.asarray(pot.contents) == items.POT_SIZE)).all()
        done = np.asarray(jax.vmap(lambda one: rules.ready(game, one))(pot))
        assert done.any()
        assert (cooking & ~done).any()


def test_the_share_is_kept_and_none_is_the_standard_start():
    game, states = starts("cramped_room", 0.5)
    standard = rules.start(game)
    same = np.ones(GAMES, bool)
    for mine, theirs in zip(jax.tree.leaves(states), jax.tree.leaves(standard), strict=True):
        same &= np.asarray(mine == theirs)
    assert 0.4 < same.mean() < 0.6
    plain = coplay.make("overcooked", layout="cramped_room")
    starting = [jax.tree.leaves(plain.reset(jax.random.key(seed))) for seed in (0, 1)]
    assert starting[0] == starting[1]


@pytest.mark.parametrize("layout", ["bottleneck", "counter_circuit"])
def test_in_cluttered_starts_things_lie_on_counters_that_can_be_reached(layout):
    game = coplay.make("overcooked", layout=layout, random_starts=1.0, cluttered_starts=0.5)
    states = jax.vmap(game.reset)(jax.random.split(jax.random.key(0), GAMES))
    lying = np.asarray(jax.vmap(lambda words: items.spread(words, game.kitchen.num_cells))(states.lying))
    reached = np.isin(np.arange(game.kitchen.num_cells), list(_counters(game.kitchen)))
    assert not lying[:, ~reached].any()
    assert set(lying[:, reached].ravel().tolist()) == set(HANDS)
    covered = (lying != 0).sum(1)
    assert 0.4 < (covered == 0).mean() < 0.75  # half of them, and those that by chance have nothing
    assert covered.max() > 0.8 * reached.sum()


def test_every_random_start_is_a_state_that_plays_on():
    game, states = starts("coordination_ring")

    def episode(state, key):
        actions = jax.random.randint(key, (50, 2), 0, game.num_actions)
        return jax.lax.scan(lambda now, move: (game.step(now, move).state, None), state, actions)[0]

    ends = jax.jit(jax.vmap(episode))(states, jax.random.split(jax.random.key(1), GAMES))
    assert (np.asarray(ends.time) == 50).all()
    held = np.stack([np.asarray(rules.Chef.of(chef).item) for chef in ends.chefs])
    assert collections.Counter(held.ravel().tolist()).keys() <= {items.NOTHING, items.ONION, items.DISH, *items.SOUPS}


def test_a_share_outside_zero_and_one_is_refused():
    with pytest.raises(GameError, match=r"random_starts=2.*from 0 to 1"):
        coplay.make("overcooked", random_starts=2)
