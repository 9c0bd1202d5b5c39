"""What every recipe is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from coplay.game import Game
from coplay.nets.network import Network
from coplay.nets.policy import reader
from coplay.train.trackers import Trackers


class Context(NamedTuple):
    """What every recipe is told."""

    game: Game  # as a network reads it
    seeds: int
    seed: int
    folder: Path
    dtype: Any  # what networks compute in
    trackers: Trackers = Trackers()  # who is told the log besides the folder

    def reading(self, network: Network) -> Context:
        """With the game as this network reads it, where learning goes on from one."""
        return self._replace(game=reader(self.game, network.design.inputs))
