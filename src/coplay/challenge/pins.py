"""What the partners of a challenge are made of, written down when it is made: a changed partner plays no rated game.

Pins are {partner: {what: SHA-256 or version}}. The versions of the package and of the games count for all partners,
whose code is in the package; the contents of `file:`, `run:`, `pool:` and `set:` count for those that name them. The
hash of the pins is public and in the audit. A host who has looked at a change can accept it; that is in the audit too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from coplay import __version__
from coplay.agents.contents import MISSING, contents, digest
from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Prediction, Rules
from coplay.data import DataError
from coplay.data.recorded import recorded_file
from coplay.game import Game
from coplay.games import FILE
from coplay.pool.pool import entry
from coplay.specs import parse

ALL = "all"  # what counts for every partner
Pins = dict[str, dict[str, str]]


def pins_of(rules: Rules) -> Pins:
    """What the partners, the games and the recorded games of a challenge are made of at this moment."""
    specs = {spec for one in rules.configurations for spec in one.partners}
    found = made_of(rules.configurations, specs)
    for one in rules.predictions:
        name = f"{one.data} {one.players}p" if len(rules.predictions) > 1 else one.data
        found[ALL][name] = _recorded(one)
    return found


class Hosted(Protocol):
    """A game of a challenge or a study."""

    @property
    def name(self) -> str: ...

    @property
    def game(self) -> str: ...

    def make(self) -> Game: ...


def made_of(games: Iterable[Hosted], specs: Iterable[str]) -> Pins:
    """What these games and these agents are made of at this moment."""
    everywhere = {"coplay": __version__}
    for one in games:
        everywhere |= {f"game {one.name}": str(one.make().version)} | contents(one.game)
    return {ALL: everywhere} | {spec: contents(spec) for spec in sorted(specs)}


def _recorded(asked: Prediction) -> str:
    """The games of a file that is there, whatever is in it."""
    try:
        return digest(recorded_file(asked.data, asked.players))
    except DataError:
        return MISSING


def pool_hash(pins: Pins) -> str:
    """Names the partners of a challenge."""
    return hashlib.sha256(json.dumps(pins, sort_keys=True).encode()).hexdigest()


def changes(before: Pins, now: Pins) -> list[str]:
    """What is not as it was, in words that name the partner."""
    found = []
    for spec in sorted(before.keys() | now.keys()):
        old, new = before.get(spec, {}), now.get(spec, {})
        whose = "" if spec == ALL else f"{spec}: "
        found += [
            f"{whose}{_change(what, old, new)}" for what in sorted(old.keys() | new.keys()) if _other(what, old, new)
        ]
    return found


def check_partners(rules: Rules, made_with: str, pins: str | None) -> None:
    """Refuses partners that are not those that were written down; `pins` as they are kept, in JSON."""
    if pins is None:
        _check_as_before(rules, made_with)
    elif found := changes(json.loads(pins), pins_of(rules)):
        text = f"the partners are not those that the challenge was made with: {'; '.join(found)}"
        remedy = "Put them back, make a new challenge, or look at them and say `coplay challenge accept NAME`."
        raise ChallengeError(f"{text}. {remedy}", 503, "partners_changed")


def _other(what: str, old: dict[str, str], new: dict[str, str]) -> bool:
    return old.get(what) != new.get(what)


def _change(what: str, old: dict[str, str], new: dict[str, str]) -> str:
    before, now = old.get(what), new.get(what)
    if before is None or now is None or MISSING in (before, now):
        return f"{what} is {'new' if before in (None, MISSING) else 'gone'}"
    if len(before) == len(now) == 64:
        return f"{what} has other contents"
    return f"{what} was {before} and is {now}"


def _check_as_before(rules: Rules, made_with: str) -> None:
    """Challenges of before have one hash for all partners, with or without what stands in a `file:`."""
    specs = sorted({spec for one in rules.configurations for spec in one.partners})
    games = sorted({one.game for one in rules.configurations if parse(one.game).prefix == FILE})
    if made_with not in (_hash_of_before(specs + games, sources=True), _hash_of_before(specs, sources=False)):
        text = "the files of its partners or its game are not those that the challenge was made with; put them back"
        raise ChallengeError(f"{text}, or make a new challenge.", 503, "partners_changed")


def _hash_of_before(specs: Iterable[str], sources: bool) -> str:
    whole = hashlib.sha256()
    for spec in specs:
        whole.update(spec.encode() + b"\0")
        prefix, _, place = spec.partition("?")[0].partition(":")
        if prefix == FILE and sources:
            place = place.rpartition(":")[0]
        if prefix == "pool":
            whole.update(entry(place).sha256.encode())
        elif place and Path(place).is_file():
            whole.update(hashlib.sha256(Path(place).read_bytes()).digest())
    return whole.hexdigest()
