"""Which files an agent is made of, by content: a result names the weights it was measured with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from coplay.agents.spec import loaders
from coplay.files import digest_of
from coplay.pool.pool import entry


def file_hashes(specs: Iterable[str]) -> dict[str, str]:
    """spec -> "sha256:…" of its file, or of all files of its folder; built-in agents have none."""
    found = {}
    for spec in specs:
        prefix, colon, place = spec.partition("?")[0].partition(":")
        if prefix == "pool":
            found[spec] = f"sha256:{entry(place).sha256}"
        elif colon and prefix in loaders():
            path = Path(place)
            if not path.exists():  # file:PATH:CLASS
                path = Path(place.rpartition(":")[0])
            if path.exists():
                found[spec] = f"sha256:{digest_of(path)}"
    return found
