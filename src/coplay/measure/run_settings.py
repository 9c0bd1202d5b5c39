"""What every run folder says about itself: a folder made with anything else is not continued."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coplay import __version__
from coplay.games.game import Game
from coplay.games.registry import make
from coplay.measure import MeasureError
from coplay.measure.agent_files import file_hashes
from coplay.measure.run_folder import Folder
from coplay.play.episode_file import settings_of


def run_settings(format: str, game: Game, agent: str, partners: Sequence[str]) -> dict[str, Any]:
    """The game, the agents and the versions of everything that decides what their games are."""
    return game_settings(format, game, [agent, *partners]) | {"agent": agent, "partners": list(partners)}


def game_settings(format: str, game: Game, specs: Sequence[str]) -> dict[str, Any]:
    """The same without a word about who plays which part."""
    return {
        "format": format,
        "coplay": __version__,
        "game": game.name,
        "game_version": game.version,
        "players": game.players,
        "game_settings": settings_of(game),
        "max_score": game.max_score,
        "files": file_hashes(specs),
    }


def check_version(folder: Folder[Any]) -> None:
    """Refuses a folder that another version wrote: what is made from it now would not be what was played then."""
    run = folder.settings()
    for name, there, here in (
        ("coplay", run["coplay"], __version__),
        (f"{run['game']} version", run["game_version"], make(run["game"]).version),
    ):
        if there != here:
            raise MeasureError(
                f"{folder.path} was made with {name} {there}, but this is {here}; nothing was written. "
                "Read it with the version that made it, or evaluate again in another folder."
            )
