"""What Hanabi offers besides its rules; everything is imported when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from coplay.faces import Faces

if TYPE_CHECKING:
    from coplay.game import Array


class HanabiFaces(Faces):
    """Pictures, words, people, unit tests, rates and training settings of Hanabi."""

    @cached_property
    def drawing(self) -> Any:
        from coplay.worlds.hanabi.people import replay

        return replay

    @cached_property
    def terminal(self) -> Any:
        from coplay.worlds.hanabi.people.play import TERMINAL

        return TERMINAL

    @cached_property
    def people(self) -> Any:
        from coplay.worlds.hanabi.web import people

        return people

    @cached_property
    def behaviour(self) -> Any:
        from coplay.worlds.hanabi.rates import behaviour

        return behaviour

    @cached_property
    def tests(self) -> Any:
        from coplay.worlds.hanabi.suite import suite

        return suite

    @cached_property
    def preferences(self) -> Any:
        from coplay.worlds.hanabi import preferences

        return preferences

    @cached_property
    def training(self) -> Any:
        from coplay.worlds.hanabi import training

        return training

    @cached_property
    def wire(self) -> Any:
        from coplay.worlds.hanabi import wire

        return wire

    @cached_property
    def recording(self) -> Any:
        from coplay.worlds.hanabi.community import recording

        return recording

    @cached_property
    def belief(self) -> Any:
        from coplay.worlds.hanabi import belief

        return belief

    fact_words = MappingProxyType({"strikes": "lives lost"})

    def facts(self, game: Any, state: Any) -> dict[str, Array]:
        return {"strikes": game.life_tokens - state.lives}


FACES = HanabiFaces()
