"""`coplay enter --dry-run`: is the key good, do the rules let it play now, does the agent play their games? Nothing is
begun on the server: the games of a dry run are played here, by the same code that would play there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.entering.asking import with_client
from coplay.challenge.entering.enter import Entrant, Invitation, invitation, settings_of
from coplay.challenge.errors import ChallengeError
from coplay.game import Game
from coplay.games import make
from coplay.views.packed import pack_view


class Seen(NamedTuple):
    """What an entrant is given, as the client would give it."""

    game: int
    seat: int
    turn: int
    mine: bool
    words: np.ndarray


class Tried(NamedTuple):
    """One game of a dry run."""

    turns: int
    score: float
    slowest: float  # seconds that a move took, the first apart, for which programs are compiled


def dry_run(spec: str, key: str, url: str | None, chosen: list[str] | None, seed: int) -> Iterator[str]:
    """Yields a line for everything that is as it should be; raises at the first that is not."""
    asked = with_client(lambda _: invitation(key, url, chosen))
    yield _key(asked)
    yield _rules(asked)
    for name, one in asked.offered.items():
        game = make(one["game"], **settings_of(one["settings"]))
        seats = one["seatings"][0]
        tried = try_out(Entrant(spec, game, seed), game, seats, seed)
        limit = asked.rules["clock"]["move"]
        if tried.slowest > limit:
            text = f"{name}: a move took {tried.slowest:.1f} s, and the rules give {limit:g} s for each."
            raise ChallengeError(f"{text} What takes longer uses up the bank of {asked.rules['clock']['bank']:g} s.")
        played = f"{tried.turns} turns in seat {', '.join(map(str, seats))} beside players at random"
        yield f"{name}: plays; {played}, slowest move {tried.slowest:.3f} s of {limit:g} s"
    yield "nothing was begun on the server"


def _key(asked: Invitation) -> str:
    about = asked.about
    kind = {"test": "the test key", "eval": "the evaluation key"}[about["kind"]]
    return f"key: {about['prefix']}... is {kind} of {about['entrant']!r} in {about['challenge']}"


def _rules(asked: Invitation) -> str:
    """Whether an attempt can begin or go on now, as far as the rules say."""
    rules, status = asked.rules, asked.challenge["status"]
    if status != "open":
        raise ChallengeError(f"the challenge {asked.about['challenge']} is {status}; no attempt begins.")
    if asked.about["kind"] == "test":
        return f"rules: open; a test key rehearses {rules['rehearsal_games']:,} games a day"
    of_phase = [one for one in asked.about["attempts"] if set(one["configurations"]) == set(asked.of_phase)]
    running = next((one for one in asked.about["attempts"] if one["status"] == "open"), None)
    if running is not None:
        done = running["progress"]
        return f"rules: attempt {running['id']} goes on, {done['over']} of {done['total']} games are over"
    if asked.waits:
        raise ChallengeError(asked.waits)
    if len(of_phase) >= rules["attempts"]:
        raise ChallengeError(f"all {rules['attempts']} attempts are spent; rehearse with the test key.")
    games = sum(rules["games"] for rules in asked.offered.values())
    where = f" of the phase {rules['phase_now']}" if rules["phase_now"] else ""
    return f"rules: attempt {len(of_phase) + 1} of {rules['attempts']}{where} can begin; it has {games:,} games"


def try_out(entrant: Entrant, game: Game, seats: list[int], seed: int) -> Tried:
    """One game with legal actions at random in the other seats; an illegal action is refused as on the server."""
    rng, slowest, asked = np.random.default_rng(seed), 0.0, 0
    state = game.reset(jax.random.key(seed))
    step, view = jax.jit(game.step), jax.jit(game.view)
    turn = 0
    while (moving := np.asarray(game.turn(state))).any():
        actions = np.zeros(game.players, np.int32)
        for seat in range(game.players):
            seen = view(state, seat)
            legal = np.asarray(game.legal(seen), bool)
            if seat not in seats:
                actions[seat] = rng.choice(np.flatnonzero(legal)) if moving[seat] else 0
            elif moving[seat] or entrant.listens:
                given = Seen(0, seat, turn, bool(moving[seat]), np.asarray(pack_view(seen)))
                begun = time.perf_counter()
                (action,) = entrant.act([given])
                asked += 1
                slowest = max(slowest, time.perf_counter() - begun) if asked > 1 else 0.0
                if moving[seat]:
                    actions[seat] = _legal(action, legal, turn, game)
        state = step(state, jnp.asarray(actions)).state
        turn += 1
    return Tried(turn, float(game.score(state)), slowest)


def _legal(action: Any, legal: np.ndarray, turn: int, game: Game) -> int:
    if not 0 <= action < len(legal) or not legal[action]:
        ids = ", ".join(map(str, np.flatnonzero(legal)))
        raise ChallengeError(
            f"{game.name}, turn {turn}: the agent chose {action}, which is not legal; legal are {ids}."
        )
    return int(action)
