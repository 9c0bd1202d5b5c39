"""`coplay enter AGENT`: any agent of this package plays on a challenge server, many games at once."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.spec import agent
from coplay.challenge.batches import as_key, chunks, padded
from coplay.challenge.entering.asking import with_client
from coplay.challenge.entering.memories import Memories, after, before
from coplay.challenge.errors import ChallengeError
from coplay.game import Game
from coplay.games import make
from coplay.player import unnamed
from coplay.rollouts.team import is_policy
from coplay.views.host import Batch as Views
from coplay.views.host import HostView, derived_from
from coplay.views.packed import unpack_view


class Entrant:
    """An agent in all games of one configuration; one memory per (game, seat)."""

    def __init__(self, spec: str, game: Game, seed: int) -> None:
        self.game, self.player = game, agent(spec, game)
        self.key = as_key(f"{seed:016x}")
        self.listens = getattr(self.player, "hears", "own") == "every"
        self._memories = Memories(self.player) if is_policy(self.player) else None
        self._agents: dict[tuple[int, int], Any] = {}

    def act(self, turns: list[Any]) -> list[int]:
        """An action for every turn of a batch; what it says on others' turns is ignored."""
        return self._decide(turns, self._memories) if self._memories else self._ask(turns)

    def _decide(self, turns: list[Any], own: Memories) -> list[int]:
        rows = [(*own.row(turn.game, turn.seat), turn.turn, turn.game, turn.seat) for turn in turns]
        asked = np.asarray(rows, np.int32)
        words = np.stack([turn.words for turn in turns])
        actions: list[int] = []
        for begin, count, size in chunks(len(turns)):
            call = own.padded(asked[begin : begin + count], size)
            given = padded(words[begin : begin + count], size, 0)
            own.rows, made = _act(self.game, unnamed(self.player), own.rows, call, given, self.key)
            actions += np.asarray(made)[:count].tolist()
        return actions

    def _ask(self, turns: list[Any]) -> list[int]:
        actions = []
        for turn in turns:
            place = turn.game, turn.seat
            if place not in self._agents:
                self._agents[place] = copy.deepcopy(self.player)
                self._agents[place].reset(turn.seat, self.game.players)
            view = host_view(self.game, turn.words)
            if turn.mine:
                actions.append(int(self._agents[place].act(view)))
            else:
                self._agents[place].watch(view)
                actions.append(-1)
        return actions


@eqx.filter_jit
def _act(game: Game, policy: Any, memory: Any, asked: Any, words: Any, key: Any) -> tuple[Any, Any]:
    rows, new, turns, games, seats = asked.T

    def one(memory: Any, turn: Any, number: Any, seat: Any, words: Any) -> tuple[Any, Any]:
        own = jax.random.fold_in(jax.random.wrap_key_data(key), number)
        drawn = jax.random.fold_in(own, turn * game.players + seat)
        return policy.act(memory, unpack_view(game, words), drawn)

    found, actions = jax.vmap(one)(before(policy, memory, rows, new), turns, games, seats, words)
    return after(memory, rows, found), actions


@eqx.filter_jit
def _views(game: Game, words: Any) -> Any:
    view = unpack_view(game, words)
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], (view, derived_from(game, view)))


def host_view(game: Game, words: np.ndarray) -> HostView:
    """What a plain agent is given of a view that came as words."""
    return HostView(Views(game, *_views(game, words)), 0)


PREDICTION = "prediction"  # what the recorded games of a challenge are called beside its configurations


def enter(
    spec: str, key: str, url: str | None, games: int | None, configurations: list[str] | None, seed: int, parallel: int
) -> list[dict[str, Any]]:
    """Plays an attempt to its end; returns the results of the chosen configurations. `before` says that one was there
    already, and that nothing was played for it now."""
    return with_client(lambda _: _play(spec, key, url, games, configurations, seed, parallel))


class Invitation(NamedTuple):
    """What a key may play, as the server says."""

    about: dict[str, Any]  # of the key
    challenge: dict[str, Any]
    rules: dict[str, Any]
    offered: dict[str, Any]  # the configurations that are to be played
    of_phase: list[str]  # the configurations of a rated attempt that begins now
    waits: str  # why no rated attempt can begin now, if the dates say so


def invitation(key: str, url: str | None, chosen: list[str] | None) -> Invitation:
    """Asks the server; refuses keys and configurations that are not for playing."""
    from coplay_client.requests import address, request

    about = request("GET", f"{address(url)}/v1/me", key)
    if about["challenge"] is None:
        raise ChallengeError(f"the key {about['prefix']}... is not for playing; give the test or evaluation key.")
    challenge = request("GET", f"{address(url)}/v1/challenges/{about['challenge']}")
    rules = challenge["rules"]
    of_phase = [one["name"] for one in rules["configurations"]]
    if rules["phase_now"]:
        of_phase = next(one["configurations"] for one in rules["phases"] if one["name"] == rules["phase_now"])
    names = of_phase if about["kind"] == "eval" else [one["name"] for one in rules["configurations"]]
    offered = {one["name"]: one for one in rules["configurations"] if one["name"] in names}
    known = [*offered, *([PREDICTION] if rules["predictions"] else [])]
    if unknown := set(chosen or ()) - set(known):
        raise ChallengeError(f"there is no configuration {min(unknown)!r}; choose from {', '.join(known)}.")
    played = {name: offered[name] for name in chosen or offered if name in offered}
    return Invitation(about, challenge, rules, played, of_phase, rules["waits"])


def _play(
    spec: str, key: str, url: str | None, games: int | None, chosen: list[str] | None, seed: int, parallel: int
) -> list[dict[str, Any]]:
    from coplay_client import EvaluationSpace

    about, offered = (asked := invitation(key, url, chosen)).about, asked.offered
    if not offered:  # only the recorded games
        return []
    entrants = {
        name: Entrant(spec, make(offered[name]["game"], **settings_of(offered[name]["settings"])), seed)
        for name in offered
    }
    turns = "all" if any(entrant.listens for entrant in entrants.values()) else "own"
    settings = {
        "games": games,
        "configurations": list(entrants),
        "want": ["words"],
        "turns": turns,
        "parallel": parallel,
    }
    before = {(one["id"], result["configuration"]) for one in about["attempts"] for result in one["results"]}
    with EvaluationSpace(key, url, **settings) as space:
        for batch in space:
            batch.act(np.asarray(entrants[batch.configuration.name].act(batch.turns), np.int64))
        attempt, results = space.welcome["attempt"], space.results
    mine = [one for one in results if one["configuration"] in entrants]
    return [one | {"before": (attempt, one["configuration"]) in before} for one in mine]


def settings_of(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
