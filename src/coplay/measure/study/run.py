"""What a run folder says about itself (run.json): a folder made with anything else is not continued."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from coplay import __version__
from coplay.agents.contents import file_hashes
from coplay.faces import faces_of
from coplay.game import Game
from coplay.games import from_settings, make, settings_of, spec_of
from coplay.measure import MeasureError
from coplay.measure.study.cast import Cast
from coplay.provenance import Made
from coplay.sides import sides_of
from coplay.specs import parse

MOVE_SECONDS = 60.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Run:
    """What was asked, as far as it is the same for every measure; each adds its own."""

    format: str
    coplay: str  # the version
    files: Mapping[str, str]  # spec -> hash of the file behind it
    specs: Mapping[str, str] = dataclasses.field(default_factory=dict)  # of agents that go by another name
    seed: int
    move_seconds: float = MOVE_SECONDS
    made: Made | None = None

    def spec_of(self, name: str) -> str:
        """What makes an agent, whatever it is called here."""
        return self.specs.get(name, name)

    def check_version(self, where: Any) -> None:
        """Refuses a folder that another version wrote: what is made from it now would not be what was played then."""
        _same_version(where, "coplay", self.coplay, __version__)


@dataclasses.dataclass(frozen=True, kw_only=True)
class GameRun(Run):
    """A run in one game."""

    game: str
    game_spec: str = ""  # empty in folders that were written before games had specs
    game_version: int
    players: int
    game_settings: Mapping[str, Any]  # as JSON holds them
    max_score: float | None

    two_sides: ClassVar[bool] = False  # can it judge games in which two teams play against each other?

    @classmethod
    def of(cls, game: Game, everyone: Cast, **asked: Any) -> Self:
        """What is asked, with the versions of everything that decides what the games are."""
        if sides_of(game) == 2 and not cls.two_sides:
            raise MeasureError(
                f"{game.name} has two sides that play each other, and this measure asks how well one team does; "
                "matches are judged by `coplay tournament`."
            )
        return cls(
            coplay=__version__,
            files=file_hashes([spec_of(game), *everyone.specs.values()]),
            specs=everyone.renamed(),
            game=game.name,
            game_spec=spec_of(game),
            game_version=game.version,
            players=game.players,
            game_settings=settings_of(game),
            max_score=game.max_score,
            **asked,
        )

    def make_game(self) -> Any:
        """The game that was played."""
        return make(self.game_spec) if self.game_spec else from_settings(self.game, self.game_settings)

    def check_version(self, where: Any) -> None:
        super().check_version(where)
        _same_version(where, f"{self.game} version", self.game_version, self.make_game().version)

    @property
    def game_words(self) -> str:
        """The game for people to read: what its world calls it, and what is unusual about it."""
        game = self.make_game()
        title = faces_of(game).title(game)
        options = {name: value for name, value in parse(spec_of(game)).options.items() if name != "players"}
        unusual = ", ".join(f"{name} {value}" for name, value in options.items() if value not in title)
        return f"{title}, {unusual}" if unusual else title


def _same_version(where: Any, name: str, there: Any, here: Any) -> None:
    if there != here:
        raise MeasureError(
            f"{where} was made with {name} {there}, but this is {here}; nothing was written. "
            "Read it with the version that made it, or evaluate again in another folder."
        )
