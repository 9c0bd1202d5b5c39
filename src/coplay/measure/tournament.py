"""`coplay.tournament`: who works well with partners it has never met, whatever its skill?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coplay.game import Game
from coplay.measure.dropin.play import TournamentFolder, play_tournament, played_tournament
from coplay.measure.dropin.results import Tournament, check_reference, judge
from coplay.measure.study.cast import Several, names_of
from coplay.measure.study.folder import place_for
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import Say, quiet
from coplay.rollouts.where import On


def tournament(
    game: str | Game,
    agents: Several,
    games: int | None = None,
    matches: int | None = None,
    seed: int = 0,
    *,
    until: float | None = None,
    most: float | None = None,
    out: str | Path | None = None,
    reference: Sequence[str] = (),
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    say: Say = quiet,
) -> Tournament:
    """Mixes the agents into teams, two of which play the same deals in a match.

    `agents` is a list of specs and objects, or a dict from names to them: at least two teams' worth. `reference` names
    agents that are known to have equal teamwork at different skills. With `out` the same call goes on there. With
    `until` it ends by itself, when everybody's teamworkAGD is known to so many points either way; `most` is then by how
    much two teams may differ on a deal, where the game does not say.
    """
    check_reference([name for name, _ in names_of(agents)], reference)
    found = play_tournament(game, agents, place_for(out), games, matches, seed, say, move_seconds, on, until, most)
    return judge(found, reference)


def read_tournament(folder: TournamentFolder | str | Path, reference: Sequence[str] = ()) -> Tournament:
    """The result of a run folder."""
    return judge(played_tournament(folder), reference)
