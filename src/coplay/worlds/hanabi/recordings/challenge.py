"""The data-limited challenge: 1,000 training and 500 validation games of each community and player count.

A community is a group of players with the same conventions. Ours are programs: `community`, the many players of
`coplay data record community`; `hgroup`, our player of the H-Group conventions with itself; and `fireflower`. Nobody's
games here are a person's. The files come with the pool (`coplay-pool`).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

from coplay.data import DataError
from coplay.pool import sources
from coplay.worlds.hanabi.recordings.ah2ac2 import load_games
from coplay.worlds.hanabi.recordings.games import Games

COMMUNITIES = ("community", "hgroup", "fireflower")
Part = Literal["train", "val"]


def challenge_file(community: str, players: int, part: Part) -> Path:
    """Where the games lie: a file in the AH2AC2 format."""
    if community not in COMMUNITIES or players not in (2, 3) or part not in ("train", "val"):
        raise DataError(
            f"no challenge games of {community!r} with {players} players, part {part!r}; "
            f"communities: {', '.join(COMMUNITIES)}; players: 2, 3; parts: train, val."
        )
    name = f"{community}_{players}p_{part}"
    found = sources.files("recordings", ".safetensors")
    if name not in found:
        raise DataError(
            f"the games of {community} come with the pool, which is not installed. Get it with {sources.HOW_TO_GET}."
        )
    return found[name]


def challenge_games(community: str, players: int, part: Part = "train") -> Games:
    """The games of one community, checked by replay."""
    return load_games(challenge_file(community, players, part))


community, hgroup, fireflower = (partial(challenge_file, one) for one in COMMUNITIES)
