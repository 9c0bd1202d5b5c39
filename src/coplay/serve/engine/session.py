"""Someone who holds seats over a wire: an entrant's program, a rehearsal, a person in the browser."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from coplay.serve.engine.live_game import LiveGame
from coplay.serve.store.models import random_id

if TYPE_CHECKING:
    from coplay.serve.engine.round import Round


@dataclasses.dataclass(eq=False)
class Session:
    """One connection and the tables it holds. `deliver` is called in the engine's thread and must not wait."""

    attempt: str
    deliver: Callable[[list[dict[str, Any]]], None]
    parallel: int = 1
    take: str = "all"  # "all": also every running game of the attempt; "one": only games that nobody holds
    single: bool = False  # one game and no other, also if it is voided
    all_turns: bool = False  # also views of turns that are not its own
    final: bool = False  # with all_turns: also those after its last move, to the end of the game
    want: frozenset[str] = frozenset({"vector", "legal"})  # of vector, legal, view, text, words
    history: bool = False  # past views of games that go on
    configurations: frozenset[str] | None = None  # only begin games of these
    id: str = dataclasses.field(default_factory=random_id)
    kind: str = "test"  # of its attempt: eval, test, random, person, study
    seats: tuple[int, ...] | None = None  # of a person, or none of who only watches; None: all that the attempt has
    watches: bool = False  # a spectator: is told what everybody may know
    assembling: bool = False  # not everybody has come to the table
    replaced: bool = False  # another connection has this seat now
    holder: str = ""  # whom the database knows as the holder of its tables; the engine sets it
    came: float = 0.0  # on the shared clock; the engine sets it
    tables: dict[int, LiveGame] = dataclasses.field(default_factory=dict)  # by number
    drained: bool = False  # there is no further game to begin
    closed: bool = False
    settled: bool = False  # nothing runs and nothing can begin, and it was told why
    stuck: bool = False  # deals of it wait for the host
    unready: bool = False  # a partner of its games could not be made; before the next game it is tried again
    told: set[str] = dataclasses.field(default_factory=set)  # configurations that it was told are scored
    unplayed: int = 0  # moves that wait for the engine
    early: list[Callable[[Round], None]] = dataclasses.field(default_factory=list)  # sent before its games were ready

    @property
    def own_seat(self) -> int:
        """Of a person at a table of several."""
        assert self.seats
        return self.seats[0]

    @property
    def may_begin(self) -> bool:
        """May it begin a game, if there is one?"""
        return not (self.drained or self.closed or self.unready or self.assembling or self.watches or self.replaced)

    @property
    def rated(self) -> bool:
        return self.kind == "eval"

    @property
    def rank(self) -> int:
        """Who is seen to first where not everybody can be: rated games, rehearsals, people."""
        return 0 if self.rated else 2 if self.kind in ("person", "study") else 1
