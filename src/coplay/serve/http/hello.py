"""What a hello may ask for, and what welcome says of the games. Documented in docs/protocol.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy.orm import Session as Transaction

from coplay.challenge.errors import ChallengeError
from coplay.completion import own_game
from coplay.game import Game
from coplay.serve.store.models import Attempt, Key
from coplay.serve.store.places import place_of_key

WANTS = {"vector", "legal", "text", "view", "words"}


def check_known(chosen: frozenset[str] | None, configurations: Iterable[str]) -> None:
    """Whoever waits for games that are not there waits for ever."""
    if unknown := (chosen or set()) - set(configurations):
        text = f"there is no configuration {min(unknown)[:40]!r}; choose from {', '.join(configurations)}."
        raise ChallengeError(text, 422, "unknown_configuration")


def describe(batch: Any) -> dict[str, Any]:
    """What a client must know of a game."""
    game = batch.game
    return {
        "game": game.name,
        "version": game.version,
        "players": game.players,
        "actions": game.num_actions,
        "max_steps": game.max_steps,
        "max_score": game.max_score,
        "simultaneous": game.simultaneous,
        "observation": {"shape": list(game.observation_shape), "packing": batch.packing},
        "action_names": action_names(game),
    }


def action_names(game: Game) -> list[str]:
    """What each action id means, in words."""
    told = getattr(own_game(game), "action_text", "action {}".format)
    return [told(action) for action in range(game.num_actions)]


def place_options(transaction: Transaction, attempt: Attempt, key: Key) -> dict[str, Any]:
    """What a key to a table of several people opens: its seat, or a look at what everybody may know."""
    if attempt.customs is None:
        return {}
    if key.kind == "watch":
        return {"seats": (), "watches": True, "all_turns": True, "history": False}
    place = place_of_key(transaction, key.id)
    assert place is not None
    return {"seats": (place.seat,)}


def options_of(hello: dict[str, Any]) -> dict[str, Any]:
    """The choices of a hello, checked."""
    parallel, games, want = hello.get("parallel", 100), hello.get("games"), hello.get("want", ["vector", "legal"])
    if type(parallel) is not int or parallel < 1:
        raise ChallengeError(f"parallel = {parallel!r}: how many games may run at once? At least 1.", 422, "malformed")
    if games is not None and (type(games) is not int or games < 1):
        raise ChallengeError(f"games = {games!r}: how many games has the rehearsal? At least 1.", 422, "malformed")
    if not isinstance(want, list) or not all(isinstance(one, str) and one in WANTS for one in want):
        raise ChallengeError(f"want lists what each view is sent as: {', '.join(sorted(WANTS))}.", 422, "malformed")
    turns, take = hello.get("turns", "own"), hello.get("take", "all")
    if turns not in ("own", "all") or take not in ("all", "one"):
        raise ChallengeError('turns is "own" or "all"; take is "all" or "one".', 422, "malformed")
    chosen = hello.get("configurations")
    if chosen is not None and not (isinstance(chosen, list) and all(isinstance(one, str) for one in chosen)):
        raise ChallengeError("configurations is a list of names.", 422, "malformed")
    attempt = hello.get("attempt")
    if attempt is not None and not isinstance(attempt, str):
        raise ChallengeError(f"attempt = {str(attempt)[:40]!r}: the id that welcome named.", 422, "malformed")
    return {
        "parallel": parallel,
        "games": games,
        "attempt": attempt,
        "want": frozenset(want),
        "all_turns": turns == "all",
        "take": take,
        "history": hello.get("history") is True,
        "configurations": None if chosen is None else frozenset(chosen),
    }
