"""What football offers besides its rules; everything is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

from coplay.faces import Faces


class FootballFaces(Faces):
    """Pictures, matches at the terminal and in the browser, training settings."""

    fact_words: Mapping[str, str] = MappingProxyType({"goals": "goals of the first side", "conceded": "of the second"})

    @cached_property
    def drawing(self) -> Any:
        from coplay.worlds.football.people import replay

        return replay

    @cached_property
    def terminal(self) -> Any:
        from coplay.worlds.football.people.play import TERMINAL

        return TERMINAL

    @cached_property
    def people(self) -> Any:
        from coplay.worlds.football.web import people

        return people

    @cached_property
    def training(self) -> Any:
        from coplay.worlds.football import training

        return training

    def title(self, game: Any) -> str:
        return f"football ({game.per_side} against {game.per_side})"

    def facts(self, game: Any, state: Any) -> dict[str, Any]:
        """The result of the match."""
        return {"goals": state.goals[0], "conceded": state.goals[1]}


FACES = FootballFaces()
