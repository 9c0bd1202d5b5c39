"""A drop-in tournament: agents that never met are mixed into teams, and two teams play the same deals.

The measures are those of `teamwork` (MacAlpine and Stone 2017). One drop-in game of the paper is a **match** here: both
teams play the match's deals, each in a random seating, and the goal difference is the mean difference of their scores
over these deals, so that it reads in points per deal whatever the number of deals. Every match has deals of its own:
matches that share deals would share their luck, which the intervals could not know. Skill comes from teams of copies,
which all play one common set of deals.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.measure import MeasureError
from coplay.measure.dropin_games import assignments, check_sizes
from coplay.measure.dropin_schedule import schedule
from coplay.measure.endings import endings
from coplay.measure.run_folder import Folder
from coplay.measure.run_settings import game_settings
from coplay.measure.validate import whole
from coplay.play.episode_file import save
from coplay.play.play import play
from coplay.play.team import Player

FORMAT = "coplay tournament 1"
MATCHES = 100  # unless more are needed until everyone has met everyone
ROUNDS = 10  # of self-play, each as many deals as a match: 100 deals a match are the 1,000 games papers ask for
COPIES, SIDE_A, SIDE_B = "copies", "a", "b"


class TeamRow(NamedTuple):
    """A line of games.csv: one team's game on one deal."""

    match: int  # number of the match; of self-play, the round
    side: str  # a or b; "copies": self-play
    seats: str  # the agents' numbers in seat order, for example 4-0-7
    seed: int  # of the match; with the game's number it names the deal
    game: int
    score: float
    length: int
    strikes: int | None  # lives lost; None where the game has none
    forfeit: str


class TournamentFolder(Folder[TeamRow]):
    """The folder of a tournament."""

    format, what, command = FORMAT, "tournament", "coplay tournament AGENT…"
    fields = TeamRow._fields

    def read(self, cells: list[str]) -> TeamRow:
        match, side, seats, seed, game, score, length, lives, forfeit = cells
        lost = int(lives) if lives else None
        return TeamRow(int(match), side, seats, int(seed), int(game), float(score), int(length), lost, forfeit)

    def team(self, row: TeamRow) -> tuple[int, str, str]:
        return row.match, row.side, row.seats

    def game(self, row: TeamRow) -> int:
        return row.game


class Seated(NamedTuple):
    """One team's part of a match, or one round of an agent with its copies."""

    match: int
    side: str
    seats: tuple[int, ...]  # agents in seat order
    seed: int

    @property
    def key(self) -> tuple[int, str, str]:
        return self.match, self.side, "-".join(map(str, self.seats))

    @property
    def file(self) -> str:
        number = f"{self.match:03d}-{self.seats[0]:02d}" if self.side == COPIES else f"{self.match:03d}"
        return f"games/{number}-{self.side}.safetensors"


def tournament(
    game: Game,
    agents: Sequence[str],
    out: str | Path,
    games: int = 100,
    matches: int | None = None,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> TournamentFolder:
    """Plays what the folder `out` does not hold yet; nothing is written before every agent has been made."""
    whole("games", games, 1)
    whole("seed", seed, 0)
    _check_agents(agents, game)
    matches = default_matches(len(agents), game.players, seed) if matches is None else whole("matches", matches, 1)
    made: list[Player] = [make_agent(spec, game) for spec in agents]
    folder = TournamentFolder(out)
    asked = {"agents": list(agents), "games": games, "matches": matches, "rounds": ROUNDS, "seed": seed}
    settings = game_settings(FORMAT, game, agents) | asked
    plan = plan_of(settings)
    folder.begin(settings)
    with folder.alone():
        done = folder.complete(games)
        folder.keep(done.values())
        if done:
            say(f"{len(done)} of {len(plan)} teams were played before")
        for number, team in enumerate(plan, 1):
            if team.key in done:
                continue
            begun = time.monotonic()
            # In lock-step a policy compiles once for all the teams and seats it plays in, as all batches are equal.
            members = [made[agent] for agent in team.seats]
            episodes = play(game, members, games, team.seed, engine="lockstep", progress=False)
            save(episodes, folder / team.file)
            folder.append([TeamRow(*team.key, team.seed, *ending) for ending in endings(episodes)])
            who = " ".join(dict.fromkeys(agents[agent] for agent in team.seats))
            what = f"round {team.match + 1} with copies" if team.side == COPIES else f"match {team.match + 1}"
            lost = f", {len(episodes.forfeits)} forfeited" if episodes.forfeits else ""
            mean = f"mean {episodes.scores.mean():.2f}{lost} ({time.monotonic() - begun:.1f} s)"
            say(f"[{number}/{len(plan)}] {what}: {who}: {mean}")
    return folder


def default_matches(n_agents: int, per_team: int, seed: int = 0) -> int:
    """All assignments of agents to teams where there are at most 100; else 100, or until all have met all."""
    existing = assignments(n_agents, check_sizes(n_agents, per_team))
    return existing if existing <= MATCHES else max(MATCHES, len(schedule(n_agents, per_team, seed)))


def _check_agents(agents: Sequence[str], game: Game) -> None:
    check_sizes(len(agents), game.players)
    for place, spec in enumerate(agents):
        if spec in agents[:place]:
            raise MeasureError(f"{spec} is named twice; name every agent of a tournament once.")


def plan_of(run: dict[str, Any]) -> list[Seated]:
    """Every team that a tournament with these settings plays."""
    count, players, seed = len(run["agents"]), run["players"], run["seed"]
    return [*_selfplay(count, players, seed), *_matches(count, players, run["matches"], seed)]


def _selfplay(n_agents: int, players: int, seed: int) -> Iterator[Seated]:
    """Rounds outermost: an early stop has seen every agent. All agents meet the deals of a round."""
    for number in range(ROUNDS):
        for agent in range(n_agents):
            yield Seated(number, COPIES, (agent,) * players, _number(seed, COPIES, number))


def copies_key(agent: int, players: int, number: int) -> tuple[int, str, str]:
    """Under which the games of an agent with its copies in one round are kept."""
    return Seated(number, COPIES, (agent,) * players, 0).key


def _matches(n_agents: int, players: int, matches: int, seed: int) -> Iterator[Seated]:
    for number, teams in enumerate(schedule(n_agents, players, seed, matches)):
        chance = np.random.default_rng(_number(seed, "seats", number))
        for side, team in zip((SIDE_A, SIDE_B), teams, strict=True):
            seats = tuple(int(agent) for agent in chance.permutation(team))
            yield Seated(number, side, seats, _number(seed, "match", number))


def _number(seed: int, *names: str | int) -> int:
    """A seed for `play` that depends on these names alone."""
    text = "\0".join(map(str, ("tournament", seed, *names)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
