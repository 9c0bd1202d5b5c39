"""`coplay enter` in a challenge with recorded games: an agent says how likely every action was, decision by decision.

It sits in every seat of every game and hears what that seat sees, turn by turn, as in `coplay predict`. One that names
a single action expects it; a share of uniform play is mixed in, because who never doubts is infinitely wrong once.
"""

from __future__ import annotations

import copy
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.spec import agent
from coplay.challenge.batches import as_key, chunks, padded
from coplay.challenge.entering.asking import with_client
from coplay.challenge.entering.enter import PREDICTION, host_view, invitation
from coplay.challenge.entering.memories import Memories, after, before
from coplay.game import Game
from coplay.games import make
from coplay.measure.foresee import expectation
from coplay.player import unnamed
from coplay.rollouts.team import is_policy
from coplay.views.packed import unpack_view

SMOOTHING = 0.1  # of agents who name a single action


def foretell(spec: str, key: str, url: str | None, chosen: list[str] | None, seed: int) -> dict[str, Any]:
    """Foresees all recorded games of a challenge, from where it was left; the figures by their name on the board.
    Nothing where there are none for this key."""
    return with_client(lambda client: _foretell(client, spec, key, url, chosen, seed))


def _foretell(client: Any, spec: str, key: str, url: str | None, chosen: list[str] | None, seed: int) -> dict[str, Any]:
    asked = invitation(key, url, chosen)
    offered = asked.rules["predictions"]
    if not offered or (chosen and PREDICTION not in chosen):
        return {}
    if asked.about["kind"] == "test" and not any(one["rehearsal"] for one in offered) and not chosen:
        return {}
    foresight = Foresight(spec, seed)
    return client.predict(key, foresight, url, seats="all", watch=foresight.watch)


class Foresight:
    """What an agent expects in recorded games of any number of players."""

    def __init__(self, spec: str, seed: int) -> None:
        self.spec, self.seed = spec, seed
        self._rooms: dict[str, Room] = {}

    def __call__(self, asked: Any) -> np.ndarray:
        """float32 [decisions, actions] for a batch of the client."""
        return self._room(asked.spec).foresee(asked)

    def watch(self, asked: Any) -> None:
        """Sees a turn that is answered already."""
        self._room(asked.spec).watch(asked)

    def _room(self, game: str) -> Room:
        if game not in self._rooms:
            self._rooms[game] = Room(self.spec, make(game), self.seed)
        return self._rooms[game]


class Room:
    """An agent in every seat of the recorded games of one kind; one memory per (game, seat)."""

    def __init__(self, spec: str, game: Game, seed: int) -> None:
        self._game, self._player, self.key = game, agent(spec, game), as_key(f"{seed:016x}")
        self._memories: Any = Memories(self._player) if is_policy(self._player) else None
        self._agents: dict[tuple[int, int], Any] = {}

    def foresee(self, asked: Any) -> np.ndarray:
        if self._memories is None:
            return self._ask(asked)
        told = self._look(asked)
        certain = not hasattr(self._player, "think")
        return _smoothed(told, asked.legal) if certain else told

    def watch(self, asked: Any) -> None:
        if self._memories is not None:
            self._look(asked)
        else:
            self._ask(asked, answer=False)

    def _look(self, asked: Any) -> np.ndarray:
        """Every seat looks; the probabilities of the seats on turn."""
        count, players = len(asked.games), asked.players
        own = self._memories
        rows = [(*own.row(game, seat), turn, game, seat, seat == mover) for game, turn, mover, seat in _seats(asked)]
        words = asked.views.reshape(count * players, -1)
        calls, told = np.asarray(rows, np.int32), []
        for begin, number, size in chunks(len(rows)):
            call = own.padded(calls[begin : begin + number], size)
            given = padded(words[begin : begin + number], size, 0)
            own.rows, found = _expect(self._game, unnamed(self._player), own.rows, call, given, self.key)
            told.append(np.asarray(found)[:number])
        return np.concatenate(told)[calls[:, 5] == 1]

    def _ask(self, asked: Any, answer: bool = True) -> np.ndarray:
        """A plain agent, seat by seat; of turns that are answered already it is asked too, for it remembers by that."""
        words, actions = asked.views.reshape(len(asked.games) * asked.players, -1), []
        for (game, _, mover, seat), view in zip(_seats(asked), words, strict=True):
            if (game, seat) not in self._agents:
                self._agents[game, seat] = copy.deepcopy(self._player)
                self._agents[game, seat].reset(seat, asked.players)
            seen = host_view(self._game, view)
            if seat == mover:
                actions.append(int(self._agents[game, seat].act(seen)))
            else:
                self._agents[game, seat].watch(seen)
        if not answer:
            return np.zeros((0, 0), np.float32)
        told = np.zeros(asked.legal.shape, np.float32)
        told[np.arange(len(actions)), actions] = 1
        return _smoothed(told, asked.legal)


def _seats(asked: Any) -> list[tuple[int, int, int, int]]:
    """(game, turn, seat on turn, seat) of every view of a batch."""
    decisions = zip(asked.games.tolist(), asked.turns.tolist(), asked.seats.tolist(), strict=True)
    return [(*decision, seat) for decision in decisions for seat in range(asked.players)]


def _smoothed(told: np.ndarray, legal: np.ndarray) -> np.ndarray:
    uniform = legal / legal.sum(1, keepdims=True)
    return ((1 - SMOOTHING) * told + SMOOTHING * uniform).astype(np.float32)


@eqx.filter_jit
def _expect(game: Any, policy: Any, memory: Any, asked: Any, words: Any, key: Any) -> tuple[Any, Any]:
    rows, new, turns, games, seats, mine = asked.T

    def one(memory: Any, turn: Any, number: Any, seat: Any, mine: Any, words: Any) -> tuple[Any, Any]:
        own = jax.random.fold_in(jax.random.wrap_key_data(key), number)
        drawn = jax.random.fold_in(own, turn * game.players + seat)
        found, told, _ = expectation(game, policy, memory, unpack_view(game, words), mine, drawn)
        return found, jnp.exp(told)

    known = before(policy, memory, rows, new)
    found, told = jax.vmap(one)(known, turns, games, seats, mine.astype(bool), words)
    return after(memory, rows, found), told
