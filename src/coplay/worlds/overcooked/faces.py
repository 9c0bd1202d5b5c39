"""What Overcooked offers besides its rules; everything is imported when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from coplay.faces import Faces


class OvercookedFaces(Faces):
    """Pictures, people, unit tests, event counts and training settings of Overcooked."""

    @cached_property
    def drawing(self) -> Any:
        from coplay.worlds.overcooked.people import replay

        return replay

    @cached_property
    def terminal(self) -> Any:
        from coplay.worlds.overcooked.people.play import TERMINAL

        return TERMINAL

    @cached_property
    def people(self) -> Any:
        from coplay.worlds.overcooked.web import people

        return people

    @cached_property
    def behaviour(self) -> Any:
        from coplay.worlds.overcooked import rates

        return rates

    @cached_property
    def tests(self) -> Any:
        from coplay.worlds.overcooked import suite

        return suite

    @cached_property
    def preferences(self) -> Any:
        from coplay.worlds.overcooked import preferences

        return preferences

    @cached_property
    def training(self) -> Any:
        from coplay.worlds.overcooked import training

        return training

    def title(self, game: Any) -> str:
        return f"{game.name} ({game.kitchen.name})"


FACES = OvercookedFaces()
