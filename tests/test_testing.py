"""`check_game` passes for the games we ship and fails for games that break a law."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest

import coplay
from coplay.game import Step
from coplay.testing import GameLawBroken, check_game
from coplay.worlds.hanabi import Hanabi

OWN = Path(__file__).parent / "own"
OWN_LEVERS: Any = type(coplay.make(f"file:{OWN}/levers.py:Levers").own)
OWN_TOKENS: Any = type(coplay.make(f"file:{OWN}/tokens.py:Tokens").own)

TINY: dict[str, Any] = {"colors": 2, "ranks": 2, "hand_size": 2, "info_tokens": 2, "life_tokens": 1}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("hanabi", {"players": 3}),
        ("hanabi-small", {}),
        ("hanabi", {**TINY, "players": 4, "copies": (3, 2), "start_player": "random"}),
        ("hanabi", {"players": 2, "encoding": "jaxmarl"}),
    ],
    ids=["full-3p", "small", "tiny-4p-random-start", "jaxmarl"],
)
def test_hanabi_keeps_every_law(name: str, settings: dict[str, Any]):
    check_game(coplay.make(name, **settings), games=8)


class Leaky(Hanabi):
    def view(self, state: Any, seat: Any) -> Any:
        own = super().view(state, seat)
        return dataclasses.replace(own, deck_size=own.deck_size + state.deck[-1])


class Lenient(Hanabi):
    def step(self, state: Any, actions: Any) -> Any:
        step = super().step(state, actions)
        return step._replace(events=step.events._replace(illegal=step.events.illegal & False))


class Restless(Hanabi):
    def step(self, state: Any, actions: Any) -> Any:
        step = super().step(state, actions)
        return step._replace(state=step.state._replace(info=step.state.info + state.done))


class Generous(Hanabi):
    def step(self, state: Any, actions: Any) -> Any:
        step = super().step(state, actions)
        return step._replace(reward=step.reward + jnp.float32(step.events.scored))


class Shapely(Hanabi):
    def encode(self, view: Any) -> Any:
        return super().encode(view)[:-1]


class Lopsided(Hanabi):
    def relabel(self, state: Any, index: Any) -> Any:
        return super().relabel(state, 0 * jnp.asarray(index))


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Leaky, "cannot see"),
        (Lenient, "illegal"),
        (Restless, "changes a finished game"),
        (Generous, "do not sum"),
        (Shapely, "observation_shape"),
        (Lopsided, "relabelled"),
    ],
)
def test_a_game_that_breaks_a_law_is_caught(broken: type[Hanabi], law: str):
    with pytest.raises(GameLawBroken, match=law):
        check_game(broken(players=2, copies=(3, 2), **TINY), games=8)


def test_a_function_that_compiles_twice_is_caught():
    game = Hanabi(players=2, copies=(3, 2), **TINY)
    from coplay.testing import _Probe

    probe = _Probe(game, 4, 0)
    probe.reset(jax.random.split(jax.random.key(0), 5))
    with pytest.raises(GameLawBroken, match="traced 2 times"):
        probe.check_one_compilation()


@dataclasses.dataclass(frozen=True)
class Branching(OWN_LEVERS):
    def view(self, state: Any, seat: Any) -> Any:
        return super().view(state, 0 if seat == 0 else 1)


class AllAtOnce(OWN_LEVERS):
    simultaneous = False


class Praising(OWN_LEVERS):
    """Its shaped reward is one number for all."""

    def step(self, state: Any, actions: Any) -> Any:
        return (*super().step(state, actions), {"shaped": jnp.float32(1)})


class Promising(OWN_TOKENS):
    cyclic = True


class Told(NamedTuple):
    illegal: Any
    shaped: Any


class Refusing(OWN_LEVERS):
    """Has events with a shaped reward for each seat, and says of illegal actions itself."""

    def step(self, state: Any, actions: Any) -> Any:
        illegal = (actions < 0) | (actions >= self.levers)
        over = state.round >= self.rounds
        after, reward, done = super().step(state, actions)
        still = illegal.any() | over
        state = jax.tree.map(lambda old, new: jnp.where(still, old, new), state, after)
        events = Told(illegal & ~over, jnp.zeros(self.players))
        return Step(state, jnp.where(still, 0, reward), jnp.where(still, over, done), events)


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Branching, "view decides in Python"),
        (AllAtOnce, "say `simultaneous = True`"),
        (Praising, r"events.shaped is not \[players\]"),
        (Promising, "the turn does not go round the table"),
    ],
)
def test_what_would_fail_later_in_a_game_of_ones_own_is_caught_here(broken: type, law: str):
    with pytest.raises(GameLawBroken, match=law):
        check_game(broken(), games=4)


def test_a_game_may_refuse_and_shape_by_itself():
    check_game(Refusing(), games=4)


def test_the_turn_may_take_any_way():
    check_game(OWN_TOKENS(), games=8)


def test_a_spec_will_do():
    check_game(f"file:{OWN}/words.py:Words", games=4)
