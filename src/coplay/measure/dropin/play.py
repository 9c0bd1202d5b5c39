"""A drop-in tournament: agents that never met are mixed into teams, and two teams play the same deals.

The measures are those of `teamwork` (MacAlpine and Stone 2017). One drop-in game of the paper is a **match** here: both
teams play the match's deals, each in a random seating, and the goal difference is the mean difference of their scores
over these deals, so that it reads in points per deal whatever the number of deals. Every match has deals of its own:
matches that share deals would share their luck, which the intervals could not know. Skill comes from teams of copies,
which all play one common set of deals.

In a game of two sides the teams of a match meet on the pitch, as in the paper: every deal is played twice, once with
each team as the first side. Skill then comes from the copies of every two agents against each other, as in its Table 1.

With `until` a tournament ends by itself; see `rounds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coplay.game import Game
from coplay.games import make
from coplay.measure import MeasureError
from coplay.measure.dropin.games import assignments, check_sizes
from coplay.measure.dropin.plan import TeamGame, Teams, TournamentRun
from coplay.measure.dropin.rounds import FIRST, Rounds
from coplay.measure.dropin.schedule import schedule
from coplay.measure.study.cast import Several, cast, names_of
from coplay.measure.study.endings import Ending
from coplay.measure.study.folder import Folder
from coplay.measure.study.playing import Venue, playing
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import Job, Say, carry_on, finished, nothing_follows, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.where import On
from coplay.sides import per_side, sides_of

GAMES, GAMES_IN_ROUNDS = 100, 20  # deals of a match; where it ends by itself, more matches tell more than more deals
MATCHES = 100  # unless more are needed until everyone has met everyone
ROUNDS = 10  # of self-play, each as many deals as a match: 100 deals a match are the 1,000 games papers ask for


class TournamentFolder(Folder[TeamGame, TournamentRun]):
    """The folder of a tournament."""

    format, what, command = "coplay tournament 1", "tournament", "coplay tournament AGENT…"
    row, asked, key = TeamGame, TournamentRun, ("match", "side", "seats")


class PlayedTournament(NamedTuple):
    """The games of a tournament, all of them."""

    folder: TournamentFolder
    run: TournamentRun
    jobs: Sequence[Job]
    teams: Teams
    ended: Rounds | None  # what it ended by, if it ended by itself


def played_tournament(where: TournamentFolder | str | Path) -> PlayedTournament:
    """Those of a folder; all must be there."""
    folder = where if isinstance(where, TournamentFolder) else TournamentFolder(where)
    run = folder.run()
    rounds = None if run.until is None else Rounds(run)
    jobs = run.jobs if rounds is None else rounds.first()
    teams = finished(folder, jobs, nothing_follows if rounds is None else rounds.more)
    return PlayedTournament(folder, run, jobs if rounds is None else rounds.jobs, teams, rounds)


def play_tournament(
    game: Any,
    agents: Several,
    out: str | Path,
    games: int | None = None,
    matches: int | None = None,
    seed: int = 0,
    say: Say = quiet,
    move_seconds: float = MOVE_SECONDS,
    on: On = 1,
    until: float | None = None,
    most: float | None = None,
) -> PlayedTournament:
    """Plays what the folder `out` does not hold yet; nothing is written before every agent has been made."""
    game = make(game)
    games = (GAMES if until is None else GAMES_IN_ROUNDS) if games is None else games
    whole("games", games, 1)
    whole("seed", seed, 0)
    names = [name for name, _ in names_of(agents)]
    _check_agents(names, game)
    everyone = cast(game, agents)
    sides = sides_of(game)
    asked = {"agents": tuple(names), "games": games, "seed": seed, "sides": sides}
    asked |= _fixed(game, names, seed, matches, sides) if until is None else _until(game, matches, sides, until, most)
    run = TournamentRun.of(game, everyone, format=TournamentFolder.format, move_seconds=move_seconds, **asked)
    folder = TournamentFolder(out)
    venue = Venue(game, everyone, _row, move_seconds)
    rounds = None if until is None else Rounds(run)
    jobs = run.jobs if rounds is None else rounds.first()
    more = nothing_follows if rounds is None else rounds.more
    teams = carry_on(folder, run, jobs, playing(venue, on), say, more)
    return PlayedTournament(folder, folder.run(), jobs if rounds is None else rounds.jobs, teams, rounds)


def _fixed(game: Game, names: Sequence[str], seed: int, matches: int | None, sides: int) -> dict[str, Any]:
    """How much is played, where that is known beforehand."""
    count = default_matches(len(names), per_side(game), seed) if matches is None else whole("matches", matches, 1)
    return {"matches": count, "rounds": ROUNDS if sides == 1 else 1}  # every two agents meet: that is rounds enough


def _until(game: Game, matches: int | None, sides: int, until: float, most: float | None) -> dict[str, Any]:
    """How much is played, where the games decide."""
    if not until > 0:
        raise MeasureError(f"until={until}: say to how many points, above 0, teamworkAGD is to be known either way.")
    most = game.max_score if most is None and sides == 1 else most
    if most is None or not most > 0:
        raise MeasureError(
            f"{game.name} does not say how many points can be won, and a tournament that ends by itself has to know: "
            "give --most, the largest difference of two teams on a deal."
        )
    cap = None if matches is None else whole("matches", matches, 1)
    return {"matches": cap, "rounds": FIRST, "until": float(until), "most": float(most)}


def _row(job: Job, ending: Ending) -> TeamGame:
    match, side, seats = job.key
    return TeamGame(match, side, seats, job.seed, *ending)


def default_matches(n_agents: int, per_team: int, seed: int = 0) -> int:
    """All assignments of agents to teams where there are at most 100; else 100, or until all have met all."""
    existing = assignments(n_agents, check_sizes(n_agents, per_team))
    return existing if existing <= MATCHES else max(MATCHES, len(schedule(n_agents, per_team, seed)))


def _check_agents(agents: Sequence[str], game: Game) -> None:
    check_sizes(len(agents), per_side(game))
    for place, spec in enumerate(agents):
        if spec in agents[:place]:
            raise MeasureError(f"{spec} is named twice; name every agent of a tournament once.")
