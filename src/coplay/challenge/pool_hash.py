"""Which partners a challenge was made with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Rules
from coplay.games import FILE
from coplay.pool.pool import entry
from coplay.specs import parse


def pool_hash(rules: Rules) -> str:
    """Names the partners of a challenge: their specs and the contents of what they are made of.

    A game from somebody's own file counts too: with other rules the partners are others.
    """
    specs = {spec for one in rules.configurations for spec in one.partners}
    games = {one.game for one in rules.configurations if parse(one.game).prefix == FILE}
    return _digest(sorted(specs) + sorted(games), sources=True)


def check_partners(rules: Rules, made_with: str) -> None:
    """Refuses partners that are not those whose hash was written down when the challenge was made."""
    specs = {spec for one in rules.configurations for spec in one.partners}
    # Challenges of before did not count what stands in the file of a `file:` partner.
    if made_with not in (pool_hash(rules), _digest(sorted(specs), sources=False)):
        text = "the files of its partners or its game are not those that the challenge was made with; put them back"
        raise ChallengeError(f"{text}, or make a new challenge.", 503, "partners_changed")


def _digest(specs: Iterable[str], sources: bool) -> str:
    digest = hashlib.sha256()
    for spec in specs:
        digest.update(spec.encode() + b"\0")
        prefix, _, place = spec.partition("?")[0].partition(":")
        if prefix == FILE and sources:
            place = place.rpartition(":")[0]
        if prefix == "pool":
            digest.update(entry(place).sha256.encode())
        elif place and Path(place).is_file():
            digest.update(hashlib.sha256(Path(place).read_bytes()).digest())
    return digest.hexdigest()
