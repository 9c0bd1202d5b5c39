"""An agent with its own copies and with every partner, in every seating, on the same deals: one row per game.

What was played lies in a run folder (see `run_folder`), so that a second call goes on where the first one stopped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from coplay import __version__
from coplay.agents.agent import AgentError
from coplay.agents.spec import agent as make_agent
from coplay.agents.spec import playing
from coplay.games.game import Game
from coplay.measure import MeasureError
from coplay.measure.agent_files import file_hashes
from coplay.measure.run_folder import FORMAT, GameRow, RunFolder
from coplay.measure.seatings import AGENT, Configuration, configurations
from coplay.measure.strikes import strikes
from coplay.measure.validate import whole
from coplay.play.episode import Episodes
from coplay.play.episode_file import save, settings_of
from coplay.play.play import play
from coplay.play.team import Player, is_policy

POOLS = ("default",)


def evaluate(
    game: Game,
    agent: str,
    out: str | Path,
    partners: Sequence[str] | None = None,
    games: int = 1000,
    seed: int = 0,
    seatings: str = "each",
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> RunFolder:
    """Plays what the folder `out` does not hold yet; nothing is written before every agent has been made."""
    whole("games", games, 1)
    whole("seed", seed, 0)
    made: dict[str, Player] = {agent: make_agent(agent, game)}
    partners = tuple(default_partners(game, agent) if partners is None else _checked(agent, partners))
    made |= {partner: make_agent(partner, game) for partner in partners}
    teams = configurations(agent, partners, game.players, seatings)
    folder = RunFolder(out)
    folder.begin(_settings(game, agent, partners, games, seed, seatings))
    with folder.alone():
        done = folder.complete(games)
        folder.keep(done.values())
        if done:
            say(f"{len(done)} of {len(teams)} teams were played before")
        for number, team in enumerate(teams, 1):
            if (team.partner, team.seating) in done:
                continue
            begun = time.monotonic()
            members = [made[agent] if letter == AGENT else made[team.partner] for letter in team.seating]
            # In lock-step a policy compiles once for all the teams and seats it plays in.
            episodes = play(game, members, games, seed, engine="lockstep", progress=False)
            save(episodes, folder / team.file)
            folder.append(_rows(agent, team, seed, episodes))
            lost = f", {len(episodes.forfeits)} forfeited" if episodes.forfeits else ""
            say(
                f"[{number}/{len(teams)}] {team.seating} with {team.partner}: mean {episodes.scores.mean():.2f}"
                f"{lost} ({time.monotonic() - begun:.1f} s)"
            )
    return folder


def default_partners(game: Game, agent: str = "") -> list[str]:
    """The built-in agents that play this game as compiled policies, but for the agent itself."""
    names = [name for name in playing(game) if name != agent and is_policy(make_agent(name, game))]
    if not names:
        raise AgentError(f"no built-in agent plays {game.name}; name partners yourself: --partners a,b,c.")
    return names


def check_pool(pool: str) -> None:
    """Refuses a pool that does not exist; the default one is `default_partners`."""
    if pool not in POOLS:
        raise MeasureError(f"unknown pool {pool!r}; the pools are {', '.join(POOLS)}, or name --partners a,b,c.")


def _checked(agent: str, partners: Sequence[str]) -> Sequence[str]:
    if not partners:
        raise MeasureError("partners is empty; name at least one, or leave it out for the built-in agents.")
    for place, partner in enumerate(partners):
        if partner == agent:
            raise MeasureError(
                f"{agent} is the agent itself; leave it out of the partners: self-play is always measured."
            )
        if partner in partners[:place]:
            raise MeasureError(f"partners names {partner} twice; name it once.")
    return partners


def _settings(
    game: Game, agent: str, partners: tuple[str, ...], games: int, seed: int, seatings: str
) -> dict[str, Any]:
    """All that decides what the games are; a folder made with anything else is not continued."""
    return {
        "format": FORMAT,
        "coplay": __version__,
        "game": game.name,
        "game_version": game.version,
        "players": game.players,
        "game_settings": settings_of(game),
        "max_score": game.max_score,
        "agent": agent,
        "partners": list(partners),
        "seatings": seatings,
        "games": games,
        "seed": seed,
        "files": file_hashes([agent, *partners]),
    }


def _rows(agent: str, team: Configuration, seed: int, episodes: Episodes) -> list[GameRow]:
    broken = {
        forfeit.game: f"turn {forfeit.turn}, seat {forfeit.seat}: {' '.join(forfeit.reason.splitlines()[:1])}"
        for forfeit in episodes.forfeits
    }
    lives = strikes(episodes)
    return [
        GameRow(
            agent,
            team.partner,
            team.seating,
            seed,
            index,
            float(episodes.scores[index]),
            int(episodes.lengths[index]),
            None if lives is None else int(lives[index]),
            broken.get(index, ""),
        )
        for index in range(len(episodes))
    ]
