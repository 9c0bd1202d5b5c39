"""Hanabi's suite: reads `hanabi.toml`, deals the positions and judges how they end."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache, partial
from importlib import resources
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.spec import agent
from coplay.measure import MeasureError
from coplay.measure.robustness.excerpt import Starts
from coplay.measure.robustness.unit_test import UnitTest
from coplay.rollouts.team import Player
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.actions import join, split
from coplay.worlds.hanabi.people.typed import read_action
from coplay.worlds.hanabi.people.words import card_text
from coplay.worlds.hanabi.rules import State
from coplay.worlds.hanabi.suite.partners import PARTNERS

AGENT = 0


@cache
def _data() -> list[dict[str, Any]]:
    text = resources.files("coplay.worlds.hanabi.suite").joinpath("suite.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["test"]


def places() -> list[Hanabi]:
    """The numbers of players that there are tests for."""
    return [Hanabi(players=players) for players in sorted({test["players"] for test in _data()})]


def where(game: Hanabi) -> str:
    """How tables call the game."""
    return f"{game.name} {game.players}p"


def validators(game: Hanabi) -> list[str]:
    """Nobody is held out."""
    del game
    return []


def suite(game: Hanabi) -> list[UnitTest]:
    """The tests for this number of players."""
    counts = sorted({test["players"] for test in _data()})
    if game.players not in counts:
        known = " or ".join(map(str, counts))
        raise MeasureError(
            f"players={game.players}: the unit tests in Hanabi are for {known} players. Make such a game."
        )
    plain = Hanabi(players=game.players)
    for setting in ("variant", "colors", "ranks", "copies", "hand_size", "info_tokens", "life_tokens", "observation"):
        if getattr(game, setting) != getattr(plain, setting):
            raise MeasureError(
                f"{setting}={getattr(game, setting)!r}: the unit tests are positions of the full game, with "
                f"{getattr(plain, setting)!r}. Make it with coplay.make('hanabi', players={game.players})."
            )
    return [_unit_test(game, test) for test in _data() if test["players"] == game.players]


def _unit_test(game: Hanabi, test: dict[str, Any]) -> UnitTest:
    judges = [SUCCESS[name] for name in test["success"]]

    def passed(starts: Starts, before: State, after: State) -> np.ndarray:
        watch = Watch(game, starts.watched, test.get("points", 0))
        return np.all([judge(watch, before, after) for judge in judges], axis=0)

    return UnitTest(
        name=test["name"],
        category=test["category"],
        says=test["says"],
        partner=test["partner"],
        make_partner=partial(_partner, game, test["partner"]),
        seat=AGENT,
        num_starts=1,
        prepare=partial(_prepare, game, test),
        passed=passed,
    )


def _partner(game: Hanabi, name: str) -> Player:
    return PARTNERS[name](game) if name in PARTNERS else agent(name, game)


def _prepare(game: Hanabi, test: dict[str, Any], rollouts: int, seed: int) -> Starts:
    """The position `rollouts` times, each with a deck and names of the colours of its own."""
    known = [face(game, card) for hand in test["hands"] for card in hand.split()]
    known += [face(game, card) for card in test.get("draws", "").split()]
    rest = list(_remove(game, test["name"], known))
    moves = script(game, test["script"])
    chance = np.random.default_rng([seed, *test["name"].encode()])
    decks, scripts, watched = [], [], []
    for _ in range(rollouts):
        new = chance.permutation(game.colors)  # colour of the data -> colour at the table
        identities = (new[:, None] * game.ranks + np.arange(game.ranks)).reshape(-1)
        deck = identities[[*known, *chance.permutation(rest)]]
        decks.append(np.stack([deck // game.ranks, deck % game.ranks], 1))
        scripts.append([_rename(game, move, new) for move in moves])
        watched.append(identities[face(game, test["card"])] if "card" in test else -1)
    return Starts(
        states=jax.device_get(_deal(game, jnp.asarray(np.stack(decks), jnp.int32), jnp.int32(test["first"]))),
        turns=np.full(rollouts, len(moves) + test["turns"], np.int32),
        script=np.asarray(scripts, np.int16).reshape(rollouts, len(moves)),
        watched=np.asarray(watched, np.int32),
    )


@eqx.filter_jit
def _deal(game: Hanabi, decks: jax.Array, first: jax.Array) -> State:
    return jax.vmap(lambda deck: game.deal(deck, first))(decks)


def face(game: Hanabi, card: str) -> int:
    """The identity of a card written as colour and rank: r1 is the red one."""
    return "".join(suit.letter for suit in game.suits).index(card[0].upper()) * game.ranks + int(card[1]) - 1


def script(game: Hanabi, moves: list[str]) -> list[int]:
    """Typed moves as action ids; whether the rules allow them shows when they are played."""
    return [read_action(game, move) for move in moves]


def _rename(game: Hanabi, action: int, new: np.ndarray) -> int:
    """The action where colour c is called `new[c]`."""
    parts = split(game, action)
    return join(game, parts._replace(value=int(new[parts.value]))) if parts.kind == "color" else action


def _remove(game: Hanabi, name: str, known: list[int]) -> np.ndarray:
    """The deck without the known cards."""
    left = game.copies_of.reshape(-1) - np.bincount(known, minlength=game.num_identities)
    if (left < 0).any():
        card = card_text(game, int(np.argmin(left))).lower()
        raise MeasureError(f"test {name!r} deals {card} too often; the deck has fewer copies.")
    return np.repeat(np.arange(game.num_identities), left)


class Watch(NamedTuple):
    """What a judge needs besides the states."""

    game: Hanabi
    card: np.ndarray  # int [games]: identity the test is about, as it is called at that table
    points: int

    def copies_gone(self, states: State) -> np.ndarray:
        """int [games]: copies of the card in the discard pile."""
        ranks = self.game.ranks
        piles = np.stack(states.discards)[self.card // ranks, np.arange(len(self.card))]
        masks = np.asarray(self.game.copy_masks, np.uint32)[self.card % ranks]
        return np.bitwise_count(piles & masks)


def played(watch: Watch, before: State, after: State) -> np.ndarray:
    """The card lies on its stack."""
    del before
    return np.asarray((after.played >> watch.card.astype(np.uint32)) & np.uint32(1)) == 1


def discarded(watch: Watch, before: State, after: State) -> np.ndarray:
    """A copy of the card went to the discard pile."""
    return watch.copies_gone(after) > watch.copies_gone(before)


def not_discarded(watch: Watch, before: State, after: State) -> np.ndarray:
    """No copy of the card went to the discard pile."""
    return ~discarded(watch, before, after)


def no_life_lost(watch: Watch, before: State, after: State) -> np.ndarray:
    """As many lives as before."""
    del watch
    return np.asarray(after.lives) >= np.asarray(before.lives)


def at_most_one_life(watch: Watch, before: State, after: State) -> np.ndarray:
    """No more than one life lost."""
    del watch
    return np.asarray(after.lives) + 1 >= np.asarray(before.lives)


def scored(watch: Watch, before: State, after: State) -> np.ndarray:
    """The stacks grew by so many cards."""
    return np.bitwise_count(after.played).astype(int) - np.bitwise_count(before.played) >= watch.points


SUCCESS: dict[str, Callable[[Watch, State, State], np.ndarray]] = {
    judge.__name__: judge for judge in (played, discarded, not_discarded, no_life_lost, at_most_one_life, scored)
}
