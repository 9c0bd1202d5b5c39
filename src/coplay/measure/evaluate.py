"""An agent with its own copies and with every partner, in every seating, on the same deals: one row per game.

What was played lies in a run folder (see `run_folder`), so that a second call goes on where the first one stopped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.measure.evaluated_teams import Beside, Question, play_teams, share_teams
from coplay.measure.partners import check_partners, default_partners
from coplay.measure.run_folder import FORMAT, RunFolder
from coplay.measure.run_settings import run_settings
from coplay.measure.seatings import configurations
from coplay.measure.validate import whole
from coplay.play.team import Player, is_policy

MOST_JOBS = 4  # by default: every process takes a gigabyte


def nothing_beside(folder: RunFolder) -> None:
    """Not a lambda: it may have to go to another process."""


def evaluate(
    game: Game,
    agent: str,
    out: str | Path,
    partners: Sequence[str] | None = None,
    games: int = 1000,
    seed: int = 0,
    seatings: str = "each",
    pool: str = "default",
    jobs: int = 1,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
    beside: Beside = nothing_beside,
) -> RunFolder:
    """Plays what the folder `out` does not hold yet; nothing is written before every agent has been made.

    `beside` is done while the teams play. With several `jobs` other processes play and do that; they make the agents
    anew from their specs, and begin by importing the program that runs (which therefore needs its
    `if __name__ == "__main__":`).
    """
    whole("games", games, 1)
    whole("seed", seed, 0)
    whole("jobs", jobs, 1)
    made: dict[str, Player] = {agent: make_agent(agent, game)}
    partners = tuple(default_partners(game, agent, pool) if partners is None else check_partners(agent, partners))
    made |= {partner: make_agent(partner, game) for partner in partners}
    teams = configurations(agent, partners, game.players, seatings)
    folder = RunFolder(out)
    asked = {"seatings": seatings, "games": games, "seed": seed}
    folder.begin(run_settings(FORMAT, game, agent, partners) | asked)
    with folder.alone():
        done = folder.complete(games)
        folder.keep(done.values())
        if done:
            say(f"{len(done)} of {len(teams)} teams were played before")
        missing = {team: number for number, team in enumerate(teams, 1) if (team.partner, team.seating) not in done}
        question = Question(game, agent, games, seed, folder)
        if jobs > 1 and missing:
            playing = share_teams(question, list(missing), jobs, beside)
        else:
            playing = play_teams(question, list(missing), made, beside)
        for played in playing:
            folder.append(played.rows)
            say(f"[{missing[played.team]}/{len(teams)}] {played}")
    return folder


def usual_jobs(game: Game, agent: str) -> int:
    """Processes for an evaluation: one for compiled agents, which use several cores anyway; plain agents do not."""
    return 1 if is_policy(make_agent(agent, game)) else min(os.cpu_count() or 1, MOST_JOBS)
