"""The scripted cooks do their jobs, keep out of each other's way, and hand over in split kitchens."""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import numpy as np
import pytest

import coplay
from coplay.player import AgentError, Policy
from coplay.worlds.overcooked import State
from coplay.worlds.overcooked.bots.cook import Cook
from coplay.worlds.overcooked.bots.deliverer import deliverer
from coplay.worlds.overcooked.bots.distances import FAR, floor_plan
from coplay.worlds.overcooked.bots.greedy_cook import greedy_cook
from coplay.worlds.overcooked.bots.hand_over_cook import hand_over_cook
from coplay.worlds.overcooked.bots.pot_filler import pot_filler
from coplay.worlds.overcooked.bots.stay import Stay
from tests.worlds.overcooked.kitchens import DISH, INTERACT, NORTH, ONION, SOUP, STAY, make, step

COOKS = {"greedy": greedy_cook, "deliverer": deliverer, "filler": pot_filler, "hand-over": hand_over_cook}
DONE = (3, 0, 20)  # a soup that is ready


@cache
def compiled(kind: str, layout: str):
    game = make(layout=layout)
    return game, COOKS[kind](game), jax.jit(lambda memory, view, key: COOKS[kind](game).act(memory, view, key))


def walk(kind: str, layout: str, state: State, most: int = 40) -> tuple[State, State]:
    """The states before and after the first interact of seat 0; seat 1 stands still."""
    game, cook, act = compiled(kind, layout)
    memory = cook.start()
    for time in range(most):
        memory, action = act(memory, game.view(state, 0), jax.random.key(time))
        after = step(game, state, int(action), STAY).state
        if int(action) == INTERACT:
            return state, after
        state = after
    raise AssertionError(f"no interact in {most} steps")


def hands(layout: str, state: State) -> int:
    return int(make(layout=layout).snapshot(state)["held"][0])


def test_distances_count_steps_and_turns() -> None:
    kitchen = make().kitchen
    plan = floor_plan(kitchen)
    pot = plan.letters.index("P")

    def node(x: int, y: int, facing: int) -> int:
        return int(plan.floor[kitchen.index((x, y))]) * 4 + facing

    assert plan.to_station[node(2, 1, NORTH), pot] == 0
    assert plan.to_station[node(2, 1, 1), pot] == 1  # a turn
    assert plan.to_station[node(2, 2, NORTH), pot] == 1  # a step north, which faces north
    assert plan.to_station[node(1, 1, NORTH), pot] == 2  # a step east and a turn
    split = floor_plan(make(layout="forced_coordination").kitchen)
    assert (split.apart == FAR).any()
    assert (plan.apart < FAR).all()


def test_a_detour_goes_round_a_chef_who_stands_still() -> None:
    game = make(layout="counter_circuit")
    plan = floor_plan(game.kitchen)
    assert plan.detours is not None

    def floor(x: int, y: int) -> int:
        return int(plan.floor[game.kitchen.index((x, y))])

    dishes = plan.letters.index("D")
    west = 3
    assert plan.after[floor(2, 1), west, dishes] == 2
    assert plan.detours[floor(1, 1), floor(2, 1)].min(0)[dishes] > 10


def test_a_cook_with_a_soup_walks_to_the_serving_place() -> None:
    game = make()
    start = game.place([(1, 1), (3, 1)], held=[SOUP, 0], held_soups=[DONE, None])
    for kind in ("greedy", "deliverer", "hand-over"):
        _, after = walk(kind, "cramped_room", start)
        assert int(after.score) == 20


def test_a_cook_with_an_onion_walks_to_a_pot_that_takes_it() -> None:
    game = make(layout="counter_circuit")
    pots = {(3, 0): (SOUP, 3, 0, 5), (4, 0): (SOUP, 1, 0, -1)}
    start = game.place([(1, 1), (6, 3)], held=[ONION, 0], objects=pots)
    for kind in ("greedy", "filler"):
        _, after = walk(kind, "counter_circuit", start)
        assert game.snapshot(after)["onions"][0].tolist() == [0, 0, 0, 3, 2, 0, 0, 0]


def test_a_cook_fetches_a_dish_for_a_soup_and_a_deliverer_no_onion() -> None:
    game = make()
    cooking = game.place([(2, 2), (3, 1)], objects={(2, 0): (SOUP, 3, 0, 18)})
    for kind in ("greedy", "deliverer"):
        assert hands("cramped_room", walk(kind, "cramped_room", cooking)[1]) == DISH
    for kind in ("greedy", "filler"):
        empty = game.place([(2, 2), (3, 1)])
        assert hands("cramped_room", walk(kind, "cramped_room", empty)[1]) == ONION
    with pytest.raises(AssertionError, match="no interact"):
        walk("deliverer", "cramped_room", game.place([(1, 2), (3, 1)]), most=15)


def test_a_partner_who_holds_the_dish_is_trusted_to_plate() -> None:
    game = make()
    start = game.place([(2, 2), (3, 1)], held=[0, DISH], objects={(2, 0): (SOUP, 3, 0, 15)})
    with pytest.raises(AssertionError, match="no interact"):
        walk("greedy", "cramped_room", start, most=15)


def test_what_the_own_side_cannot_use_goes_on_a_shared_counter() -> None:
    layout = "forced_coordination"
    game = make(layout=layout)
    _, after = walk("hand-over", layout, game.place([(1, 1), (3, 1)], held=[ONION, 0]))
    assert (game.snapshot(after)["obj"][:, 2] == ONION).sum() == 1
    # on the side of the pots it is taken from there
    lying = game.place([(3, 3), (1, 1)], objects={(2, 2): ONION})
    before, after = walk("hand-over", layout, lying)
    assert hands(layout, before) == 0
    assert hands(layout, after) == ONION
    # soup waits behind the counter: the side of the dispensers sends a dish
    waiting = {(3, 0): (SOUP, 3, 0, 10), (4, 1): (SOUP, 3, 0, 10)}
    assert hands(layout, walk("hand-over", layout, game.place([(1, 1), (3, 1)], objects=waiting))[1]) == DISH


@pytest.mark.parametrize(
    ("layout", "team", "floor"),
    [
        ("cramped_room", ("greedy", "greedy"), 170),
        ("coordination_ring", ("deliverer", "filler"), 120),
        ("forced_coordination", ("hand-over", "hand-over"), 220),
    ],
)
def test_teams_deliver(layout: str, team: tuple[str, str], floor: int) -> None:
    game = make(layout=layout)
    episodes = coplay.play(game, [COOKS[kind](game) for kind in team], games=8, progress=False)
    assert not episodes.forfeits
    assert episodes.scores.mean() >= floor
    assert episodes.actions.min() >= 0
    assert episodes.actions.max() < game.num_actions


def test_the_same_key_gives_the_same_action() -> None:
    game, cook, act = compiled("greedy", "cramped_room")
    assert isinstance(cook, Policy)
    view = game.view(game.place([(1, 1), (2, 1)], held=[ONION, 0]), 0)
    blocked = cook.start()._replace(aim=np.int32(1))
    actions = [int(act(blocked, view, jax.random.key(7))[1]) for _ in range(3)]
    assert len(set(actions)) == 1
    assert eqx.tree_equal(act(blocked, view, jax.random.key(3)), act(blocked, view, jax.random.key(3)))


def test_stay_stays() -> None:
    game = make(horizon=4)
    assert (coplay.play(game, Stay(game), games=2, progress=False).actions == STAY).all()


def test_kitchens_and_games_a_cook_cannot_play_are_refused_in_words() -> None:
    for cook in COOKS.values():
        with pytest.raises(AgentError, match="three-onion soups, which nobody orders in you_shall_not_pass"):
            cook(make(layout="you_shall_not_pass", dynamics="new"))
        with pytest.raises(AgentError, match="plays overcooked, not hanabi"):
            cook(coplay.make("hanabi"))
    with pytest.raises(AgentError, match="no other game lets a player do nothing"):
        Stay(coplay.make("hanabi"))
    assert isinstance(greedy_cook(make(layout="inverse_marshmallow_experiment", dynamics="new")), Cook)
