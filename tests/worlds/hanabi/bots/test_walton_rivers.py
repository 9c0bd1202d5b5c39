"""The rule agents allow every move of the recorded games, take theirs as often, and stay legal among strangers."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.agents.random import random_legal
from coplay.player import AgentError, Policy
from coplay.worlds.hanabi.bots.walton_rivers.flawed import flawed
from coplay.worlds.hanabi.bots.walton_rivers.iggi import iggi
from coplay.worlds.hanabi.bots.walton_rivers.internal import internal
from coplay.worlds.hanabi.bots.walton_rivers.outer import outer
from coplay.worlds.hanabi.bots.walton_rivers.piers import piers
from coplay.worlds.hanabi.bots.walton_rivers.places import dealt_places, moved_places
from coplay.worlds.hanabi.bots.walton_rivers.player import allowed_actions, weighted_choice
from coplay.worlds.hanabi.bots.walton_rivers.table import PlacedView
from coplay.worlds.hanabi.bots.walton_rivers.van_den_bergh import van_den_bergh
from coplay.worlds.hanabi.settings import Hanabi

RECORDED = Path(__file__).parents[3] / "golden" / "bots" / "walton_rivers.npz"
AGENTS = {
    "internal": internal,
    "outer": outer,
    "iggi": iggi,
    "piers": piers,
    "flawed": flawed,
    "van_den_bergh": van_den_bergh,
}
STRANGE_GAMES = 40
# Half the compile time; the tests play few games.
QUICK_COMPILE = {"xla_backend_optimization_level": 0}
INTENDED = len(AGENTS)  # index of Piers as published


class Watched(NamedTuple):
    """What each agent would do in the acting seat; by game, turn and agent, [games, turns, agents, ...]."""

    weights: np.ndarray  # int [..., actions]
    choices: np.ndarray  # int: drawn by the weights
    legal: np.ndarray  # bool [games, turns, actions]
    last_round: np.ndarray  # bool [games, turns]: the deck is empty and there are lives to spare


def watch(game: Hanabi, decks: np.ndarray, actions: np.ndarray) -> Watched:
    """Plays the given actions; where they are -1, an agent's choice or a random hint or discard, by chance."""
    agents = [make(game) for make in AGENTS.values()] + [piers(game, intended=True)]
    action_ids = jnp.arange(game.num_actions)

    def one_game(deck, actions, key):
        def turn(carry, now):
            state, places = carry
            action, key = now
            view, memory = game.view(state, state.seat), jnp.roll(places, -state.seat, axis=0)
            table = PlacedView(view, moved_places(memory, view))  # one for all: looked at seven times it traces longer
            weights = jnp.stack([agent.weights(table) for agent in agents])
            bits = jax.random.bits(key, (2,), jnp.uint32)
            choices = jax.vmap(weighted_choice, (0, None))(weights, bits[1])
            legal = game.legal(view)
            who = bits[0] % (2 * len(agents))
            harmless = legal & ((action_ids < game.hand_size) | (action_ids >= 2 * game.hand_size))
            free = jnp.where(who < len(agents), choices[who], random_legal(harmless, bits[1]))
            after = game.step(state, jnp.full(game.players, jnp.where(action >= 0, action, free))).state
            # Seat 0 numbers the players as the table does; every seat remembers the same, counted from itself.
            places = moved_places(places, game.view(state, 0))
            last_round = (view.deck_size == 0) & (view.lives > 1) & ~state.done
            return (after, places), Watched(weights, choices, legal, last_round)  # pyright: ignore[reportArgumentType]

        keys = jax.random.split(key, actions.shape[0])
        return jax.lax.scan(turn, (game.deal(deck), dealt_places(game)), (actions, keys))[1]

    keys = jax.random.split(jax.random.key(0), len(decks))
    run = jax.jit(jax.vmap(one_game), compiler_options=QUICK_COMPILE)
    watched = run(decks, actions, keys)
    return jax.tree.map(np.asarray, watched)


class Games(NamedTuple):
    recorded: dict[str, np.ndarray]  # int [10, turns]: action ids, -1 after the end
    watched: dict[str, Watched]  # the recorded games of each agent, and "strange" ones


SLOW = [pytest.param(players, marks=pytest.mark.slow) for players in (3, 4)]


@pytest.fixture(scope="module", params=[2, 5, *SLOW], ids=lambda players: f"{players}p")
def games(request) -> Games:
    players = request.param
    with np.load(RECORDED) as data:
        decks = data["decks"].astype(np.int32)
        recorded = {name: data[f"{name}_{players}p"].astype(np.int32) for name in (*AGENTS, "legal_random")}
    turns = max(actions.shape[1] for actions in recorded.values())
    padded = [np.pad(a, ((0, 0), (0, turns - a.shape[1])), constant_values=-1) for a in recorded.values()]
    names = [*recorded, "strange"]
    starts = np.cumsum([0] + [len(actions) for actions in padded])
    actions = np.concatenate([*padded, np.full((STRANGE_GAMES, turns), -1, np.int32)])
    everything = watch(Hanabi(players=players), np.resize(decks, (len(actions), *decks.shape[1:])), actions)
    ends = [*starts[1:], len(actions)]
    watched = {
        name: jax.tree.map(lambda leaf, a=a, b=b: leaf[a:b], everything)
        for name, a, b in zip(names, starts, ends, strict=True)
    }
    return Games(recorded, watched)


def hand_size(watched: Watched) -> int:
    """2 and 3 players have 20 and 30 actions, 4 and 5 more."""
    return 5 if watched.legal.shape[-1] <= 30 else 4


def recorded_weights(games: Games, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(weights [moves, actions], recorded actions [moves])"""
    actions = games.recorded[name]
    live = actions >= 0
    watched = games.watched[name]
    if name == "legal_random":
        weights = watched.legal.astype(int)
    else:
        weights = watched.weights[:, :, list(AGENTS).index(name)]
    return weights[:, : actions.shape[1]][live], actions[live]


@pytest.mark.parametrize("name", [*AGENTS, "legal_random"])
def test_every_recorded_move_is_allowed(games, name):
    weights, actions = recorded_weights(games, name)
    assert (weights[np.arange(len(actions)), actions] > 0).all()


def test_van_den_bergh_leaves_nothing_to_chance(games):
    weights, _ = recorded_weights(games, "van_den_bergh")
    assert ((weights > 0).sum(-1) == 1).all()


@pytest.mark.parametrize("name", ["internal", "outer"])
def test_recorded_choices_are_as_frequent_as_the_weights_say(games, name):
    weights, actions = recorded_weights(games, name)
    chances = weights / weights.sum(-1, keepdims=True)
    expected, variance = chances.sum(0), (chances * (1 - chances)).sum(0)
    counted = np.bincount(actions, minlength=len(expected))
    assert (np.abs(counted - expected) <= 4 * np.sqrt(variance) + 1e-9).all()


def test_what_agents_choose_is_legal_whoever_they_sit_with(games):
    for watched in games.watched.values():
        playing = watched.legal.any(-1)
        legal = np.take_along_axis(watched.legal, watched.choices, -1)
        assert legal[playing].all()


def test_piers_as_published_plays_in_the_last_round(games):
    strange = games.watched["strange"]
    choices = strange.choices[:, :, INTENDED]
    hand = hand_size(strange)
    plays = (choices >= hand) & (choices < 2 * hand)
    assert strange.last_round.any()
    assert plays[strange.last_round].all()


def test_at_the_first_move_nobody_discards_and_only_flawed_plays(games):
    first = games.watched["strange"].weights[:, 0] > 0
    hand = hand_size(games.watched["strange"])
    assert not first[..., :hand].any()
    for index, name in enumerate(AGENTS):
        assert first[:, index, hand : 2 * hand].any() == (name == "flawed"), name


def test_a_new_card_lies_where_the_old_one_was():
    game = Hanabi()

    @jax.jit
    def turn(state, places, action):
        after = game.step(state, jnp.full(game.players, action)).state
        return after, moved_places(places, game.view(after, 0))

    state, places = game.reset(jax.random.key(0)), dealt_places(game)
    play_slot_1, play_slot_2 = 6, 7
    for action in (play_slot_1, play_slot_2):
        state, places = turn(state, places, action)
    np.testing.assert_array_equal(places, [[0, 2, 3, 4, 1], [0, 1, 3, 4, 2]])
    state, places = turn(state, places, play_slot_2)
    np.testing.assert_array_equal(places, [[0, 2, 4, 1, 3], [0, 1, 3, 4, 2]])


def test_an_agent_does_what_it_allows():
    game = Hanabi()
    agent = internal(game)

    def one_game(key):
        view = game.view(game.reset(key), 0)
        return allowed_actions(agent, agent.start(), view), agent.act(agent.start(), view, key)[1]

    keys = jax.random.split(jax.random.key(0), 1000)
    allowed, chosen = jax.device_get(jax.jit(jax.vmap(one_game), compiler_options=QUICK_COMPILE)(keys))
    assert np.take_along_axis(allowed, chosen[:, None], 1).all()
    assert set(chosen) == set(np.flatnonzero(allowed.any(0)))


def test_a_weighted_choice_follows_the_weights():
    weights = jnp.array([0, 3, 0, 1, 0])
    bits = jax.random.bits(jax.random.key(0), (4000,), jnp.uint32)
    chosen = np.bincount(jax.vmap(weighted_choice, (None, 0))(weights, bits), minlength=5)
    np.testing.assert_allclose(chosen / 4000, [0, 0.75, 0, 0.25, 0], atol=0.03)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_a_policy_that_hears_every_move(name):
    agent = AGENTS[name](Hanabi(players=3))
    assert isinstance(agent, Policy)
    assert (agent.name, agent.hears) == (name.replace("_", "-"), "every")


def test_another_game_is_refused():
    class Chess:
        name = "chess"

    with pytest.raises(AgentError, match="iggi plays hanabi, not chess"):
        iggi(Chess())  # pyright: ignore[reportArgumentType]
