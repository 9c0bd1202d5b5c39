"""Who did what, when and why, in a chain: each line holds the hash of the one before, so a change shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

FIRST = "0" * 64
WITHHELD = ""  # in an export, the detail of a line that would tell a withdrawn figure; its hash stays in the chain


class Line(NamedTuple):
    """One line."""

    number: int
    at: float  # seconds since 1970
    actor: str
    what: str
    detail: str  # JSON
    previous: str  # the hash of the line before
    hash: str


def line_hash(line: Line) -> str:
    parts = [line.previous, line.number, repr(line.at), line.actor, line.what, line.detail]
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def entry_hash(name: str, method: str, human_data: str, track: str = "", terms: str = "") -> str:
    """SHA-256 of what the boards say of an entrant. The audit has the hash: it is published, rejected names are not."""
    public = [name, method, human_data, *([track, terms] if track or terms else [])]
    return hashlib.sha256(json.dumps(public).encode()).hexdigest()


def broken_link(lines: Sequence[Line], withheld: bool = False) -> str | None:
    """What is wrong with the chain, if anything; with `withheld`, details may be left out."""
    previous = FIRST
    for number, line in enumerate(lines):
        if line.number != number:
            return f"line {number} of the audit is missing"
        kept = withheld and line.detail == WITHHELD
        if line.previous != previous or not (kept or line.hash == line_hash(line)):
            return f"line {number} of the audit ({line.what}) was changed"
        previous = line.hash
    return None
