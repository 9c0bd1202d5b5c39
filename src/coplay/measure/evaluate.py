"""An agent with its own copies and with every partner, in every seating, on the same deals: one row per game.

What was played lies in a run folder (see `run_folder`), so that a second call goes on where the first one stopped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.measure.partners import check_partners, default_partners
from coplay.measure.run_folder import FORMAT, GameRow, RunFolder
from coplay.measure.run_settings import run_settings
from coplay.measure.seatings import AGENT, Configuration, configurations
from coplay.measure.strikes import strikes
from coplay.measure.validate import whole
from coplay.play.ahead import compiled_ahead
from coplay.play.episode import Episodes
from coplay.play.episode_file import save
from coplay.play.play import play
from coplay.play.team import Player, is_policy


def evaluate(
    game: Game,
    agent: str,
    out: str | Path,
    partners: Sequence[str] | None = None,
    games: int = 1000,
    seed: int = 0,
    seatings: str = "each",
    pool: str = "default",
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
    beside: Callable[[RunFolder], None] = lambda folder: None,
) -> RunFolder:
    """Plays what the folder `out` does not hold yet; nothing is written before every agent has been made.

    `beside` is done meanwhile, from the end of the first team on: compilers leave a core free now and then, and by then
    the rules and the agent are compiled for both.
    """
    whole("games", games, 1)
    whole("seed", seed, 0)
    made: dict[str, Player] = {agent: make_agent(agent, game)}
    partners = tuple(default_partners(game, agent, pool) if partners is None else check_partners(agent, partners))
    made |= {partner: make_agent(partner, game) for partner in partners}
    teams = configurations(agent, partners, game.players, seatings)
    folder = RunFolder(out)
    asked = {"seatings": seatings, "games": games, "seed": seed}
    folder.begin(run_settings(FORMAT, game, agent, partners) | asked)
    with folder.alone(), _meanwhile(lambda: beside(folder), is_policy(made[agent])) as begin:
        done = folder.complete(games)
        folder.keep(done.values())
        if done:
            say(f"{len(done)} of {len(teams)} teams were played before")
        missing = [(number, team) for number, team in enumerate(teams, 1) if (team.partner, team.seating) not in done]
        seated = dict.fromkeys(name for _, team in missing for name in (agent, team.partner))
        with compiled_ahead(game, [made[name] for name in seated], games) as ready:
            for number, team in missing:
                begun = time.monotonic()
                members = [made[agent] if letter == AGENT else made[team.partner] for letter in team.seating]
                for member in members:
                    ready(member)
                # In lock-step a policy compiles once for all the teams and seats it plays in.
                episodes = play(game, members, games, seed, engine="lockstep", progress=False)
                save(episodes, folder / team.file)
                folder.append(_rows(agent, team, seed, episodes))
                lost = f", {len(episodes.forfeits)} forfeited" if episodes.forfeits else ""
                say(
                    f"[{number}/{len(teams)}] {team.seating} with {team.partner}: mean {episodes.scores.mean():.2f}"
                    f"{lost} ({time.monotonic() - begun:.1f} s)"
                )
                begin()
    return folder


@contextmanager
def _meanwhile(work: Callable[[], None], threaded: bool) -> Iterator[Callable[[], None]]:
    """Gives a function that begins the work in a thread, if it has not begun. Otherwise it is done after the body: a
    plain agent has its time limit only in the main thread."""
    with ThreadPoolExecutor(1) as threads:
        tasks: list[Future[None]] = []

        def begin() -> None:
            if threaded and not tasks:
                tasks.append(threads.submit(work))

        yield begin
        if tasks:
            tasks[0].result()
        else:
            work()


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
