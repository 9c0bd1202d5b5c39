"""The data-limited challenge: 1,000 training and 500 validation games of each community and player count.

A community is a group of players with the same conventions. Ours are programs: `hgroup`, our player of the H-Group
conventions, and `fireflower`. Nobody's games here are a person's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from coplay.data import DataError
from coplay.data.ah2ac2 import load_games
from coplay.data.games import Games

FOLDER = Path(__file__).parent
COMMUNITIES = ("hgroup", "fireflower")
Part = Literal["train", "val"]


def challenge_file(community: str, players: int, part: Part) -> Path:
    """Where the games lie: a file in the AH2AC2 format."""
    if community not in COMMUNITIES or players not in (2, 3) or part not in ("train", "val"):
        raise DataError(
            f"no challenge games of {community!r} with {players} players, part {part!r}; "
            f"communities: {', '.join(COMMUNITIES)}; players: 2, 3; parts: train, val."
        )
    return FOLDER / f"{community}_{players}p_{part}.safetensors"


def challenge_games(community: str, players: int, part: Part = "train") -> Games:
    """The games of one community, checked by replay."""
    return load_games(challenge_file(community, players, part))
