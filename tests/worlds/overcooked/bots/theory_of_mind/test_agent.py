"""The Theory-of-Mind agent delivers, shares the work, steps aside, and pauses as often as its parameters say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.player import AgentError, Policy
from coplay.rollouts.rollout import rollout
from coplay.specs import parse
from coplay.train.fitting import Fittable
from coplay.train.learner.partners import stacked
from coplay.worlds.overcooked import Overcooked, State
from coplay.worlds.overcooked.bots.distances import floor_plan
from coplay.worlds.overcooked.bots.stay import Stay
from coplay.worlds.overcooked.bots.theory_of_mind.agent import Recall, TheoryOfMind
from coplay.worlds.overcooked.bots.theory_of_mind.parameters import named_set, set_names
from tests.worlds.overcooked.kitchens import DISH, EAST, INTERACT, NORTH, ONION, SOUP, SOUTH, STAY, WEST, make, step

READY = (SOUP, 3, 0, 20)


# One program for all parameters of a kitchen: they are numbers that it is given.
compiled = eqx.filter_jit(lambda agent, memory, view, key: agent.act(memory, view, key))


def tom(layout: str, **options: Any) -> TheoryOfMind:
    return TheoryOfMind(make(layout=layout), **options)


def act(agent: TheoryOfMind, state: State, key: int = 0, memory: Recall | None = None, seat: int = 0) -> Any:
    memory = agent.start() if memory is None else memory
    return compiled(agent, memory, agent.game.view(state, seat), jax.random.key(key))


def walk(agent: TheoryOfMind, state: State, most: int = 40) -> State:
    """The state after the first interact of seat 0; seat 1 stands still."""
    memory = agent.start()
    for time in range(most):
        memory, action = act(agent, state, time, memory)
        state = step(agent.game, state, int(action), STAY).state
        if int(action) == INTERACT:
            return state
    raise AssertionError(f"no interact in {most} steps")


def play_from(agent: Policy, other: Policy, game: Overcooked, states: list[State]) -> Any:
    """Games of seat 0 and seat 1 from given states."""
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    return rollout(game, (agent, other), stacked, jax.random.split(jax.random.key(0), len(states)))


def test_beside_a_partner_who_does_nothing_it_delivers_going_round_it() -> None:
    game = make(layout="coordination_ring")
    starts = [game.place([(2, 1), (1, 1)])] * 8  # the short way from the dishes to the pots is cut off
    assert play_from(TheoryOfMind(game), Stay(game), game, starts).scores.min() >= 80


def test_with_a_copy_it_delivers_and_with_fitted_parameters_at_a_human_pace() -> None:
    game = make(layout="large_room")
    best = coplay.play(game, TheoryOfMind(game), games=8, progress=False)
    assert best.scores.min() >= 160
    assert (best.actions == STAY).mean() < 0.1
    human = coplay.play(game, TheoryOfMind(game, params="fitted"), games=8, progress=False)
    assert 60 <= human.scores.mean() <= 120
    assert (human.actions == STAY).mean() == pytest.approx(0.604, abs=0.03)  # the fit's pausing, and few other waits


def test_in_a_split_kitchen_it_does_what_it_can() -> None:
    game = make(layout="forced_coordination")
    agent, state = TheoryOfMind(game), game.reset(jax.random.key(0))
    memories = [agent.start(), agent.start()]
    for time in range(40):
        moves = [act(agent, state, time, memory, seat) for seat, memory in enumerate(memories)]
        memories = [memory for memory, _ in moves]
        result = step(game, state, *(int(action) for _, action in moves))
        assert not np.asarray(result.events.illegal).any()
        state = result.state
    assert ONION in game.snapshot(state)["held"]  # on the side of the dispensers


def test_pausing_and_thinking_are_as_frequent_as_the_parameters_say() -> None:
    game = make()
    agent = tom("cramped_room", prob_pausing=0.3, prob_thinking=0.5)
    view = game.view(game.place([(1, 2), (3, 1)]), 0)
    keys = jax.random.split(jax.random.key(0), 2000)
    many = eqx.filter_jit(lambda agent, memory: jax.vmap(lambda key: agent.act(memory, view, key)[1])(keys))
    assert (many(agent, agent.start()) == STAY).mean() == pytest.approx(0.3, abs=0.04)
    idle = agent.start()._replace(action=jnp.int32(INTERACT))
    assert (many(agent, idle) == STAY).mean() == pytest.approx(0.3 + 0.7 * 0.5, abs=0.04)
    assert (many(tom("cramped_room", prob_pausing=1), agent.start()) == STAY).all()
    random = many(tom("cramped_room", prob_random=1), agent.start())
    assert np.bincount(random, minlength=6).min() > 250


def test_a_soup_is_served_before_anything_else() -> None:
    game = make()
    start = game.place([(1, 1), (3, 1)], held=[SOUP, 0], held_soups=[(3, 0, 20), None])
    assert int(walk(tom("cramped_room"), start).score) == 20


def test_a_greedy_agent_takes_the_urgent_task_and_a_team_player_leaves_it_to_who_is_nearer() -> None:
    game = make()
    start = game.place(
        [(3, 1), (1, 2)], facings=[NORTH, SOUTH], objects={(2, 0): READY}
    )  # the partner faces the dishes
    plan = floor_plan(game.kitchen)

    def heads_for(**options: Any) -> str:
        goal = act(tom("cramped_room", path_teamwork=0, **options), start)[0].goal
        return plan.letters[plan.goal_stations[int(goal)]]

    assert heads_for(prob_greedy=1) == "D"
    assert heads_for(prob_greedy=0) == "O"  # for the next soup
    assert heads_for(prob_greedy=1, prob_obs_other=1) == "O"  # it sees that the partner looks at the dishes


def test_who_holds_the_wrong_thing_puts_it_down() -> None:
    game = make()
    start = game.place([(1, 1), (3, 1)], held=[DISH, 0])
    after = game.snapshot(walk(tom("cramped_room", prob_greedy=1), start))
    assert after["held"][0] == 0
    assert (after["obj"] == DISH).sum() == 1


def test_who_is_stuck_steps_aside_if_compliant() -> None:
    game = make()
    start = game.place([(1, 1), (2, 1)], facings=[EAST, WEST], held=[ONION, 0])
    agent = tom("cramped_room", compliance=1, path_teamwork=0)
    memory, _ = act(agent, start)
    stuck = memory._replace(action=jnp.int32(EAST))  # tried in vain: the partner stands there, at the pot
    assert int(act(agent, start, memory=stuck)[1]) == SOUTH


def test_the_same_key_gives_the_same_action() -> None:
    agent = tom("cramped_room", params="fitted")
    assert isinstance(agent, Policy)
    state = make().place([(1, 1), (2, 1)], held=[ONION, 0])
    assert eqx.tree_equal(act(agent, state, 3), act(agent, state, 3))


def test_published_sets_have_names() -> None:
    game = make(layout="large_room")
    assert len(set_names()) == 1 + 7 + 3 + 30
    for name in set_names():
        assert isinstance(coplay.agent(f"theory-of-mind?params={name}", game), TheoryOfMind)
    assert TheoryOfMind(game).name == "theory-of-mind?params=teamworky"
    assert TheoryOfMind(game, params="fitted", compliance=0.5).name.endswith("params=fitted&compliance=0.5")
    assert float(TheoryOfMind(game, params="fitted").parameters.look_ahead) == 3
    unfitted = TheoryOfMind(make(layout="forced_coordination"), params="fitted")
    assert float(unfitted.parameters.prob_pausing) == pytest.approx(0.604, abs=0.001)  # the median of the seven


def test_drawn_sets_differ_within_what_is_human_and_a_number_draws_the_same_again() -> None:
    sets = [named_set(f"random-{number}", "bottleneck") for number in range(200)]
    assert sets[17] == named_set("random-17", "bottleneck")
    assert len({tuple(one.values()) for one in sets}) == 200
    assert {one["look_ahead"] for one in sets} == {1, 2, 3, 4}
    pauses = np.asarray([one["prob_pausing"] for one in sets])
    usual = named_set("fitted", "bottleneck")["prob_pausing"]
    assert (abs(pauses - usual) <= 0.2).all()
    assert np.ptp(pauses) > 0.35
    assert min(one["rationality"] for one in sets) >= 1
    agents = [tom("bottleneck", params=f"random-{number}") for number in (0, 1)]
    assert stacked(agents).parameters.rationality.shape == (2,)
    assert tom("bottleneck", **options_of(agents[0])).parameters == pytest.approx(agents[0].parameters, rel=1e-5)


def test_its_parameters_can_be_fitted() -> None:
    agent = tom("bottleneck", params="fitted")
    assert isinstance(agent, Fittable)
    moves = np.asarray([STAY, STAY, NORTH, STAY])
    assert agent.measured(moves)["prob_pausing"] == 0.75
    other = agent.having({"look_ahead": 2.6, "rationality": 7.0})
    assert (float(other.parameters.look_ahead), float(other.parameters.rationality)) == (3, 7)
    assert set(agent.ranges()) | set(agent.measured(moves)) == set(agent.parameters._fields)


def options_of(agent: TheoryOfMind) -> dict[str, Any]:
    """What its name says."""
    given = parse(agent.name).options
    return {name: value if name == "params" else float(value) for name, value in given.items()}


def test_the_sets_are_those_of_the_release(shared: Path) -> None:
    path = shared / "golden/overcooked/tom_params.json"
    if not path.exists():
        pytest.skip(f"needs {path}")
    released = json.loads(path.read_text())
    for layout, values in released["maximum_likelihood"].items():
        assert named_set(f"fitted-{layout}", "any") == pytest.approx(values)
    names = {"greedy-optimal": "greedy_optimal_tom", "semigreedy": "semigreedy_optimal_tom"}
    for ours, theirs in (names | {"teamworky": "teamworky_optimal_tom"}).items():
        assert named_set(ours, "any") == released["test_partners"][theirs]
    for index, values in enumerate(released["manual_population"]):
        assert named_set(f"manual-{index}", "any") == values


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"params": "best"}, "unknown parameters 'best'; choose fitted"),
        ({"compliance": 1.5}, "compliance=1.5 is a probability"),
        ({"look_ahead": 9}, "give 1 to 4"),
        ({"rationality": -1}, "rationality=-1"),
    ],
)
def test_impossible_parameters_are_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(AgentError, match=words):
        tom("cramped_room", **options)


def test_kitchens_it_cannot_play_are_refused_in_words() -> None:
    with pytest.raises(AgentError, match="plays overcooked, not hanabi"):
        TheoryOfMind(coplay.make("hanabi"))
    with pytest.raises(AgentError, match='dynamics="old"'):
        TheoryOfMind(make(dynamics="new"))
    with pytest.raises(AgentError, match="one partner"):
        TheoryOfMind(make(chefs=3))
