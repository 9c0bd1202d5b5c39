"""`coplay behaviour`; it loads what it needs when it runs."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from coplay.report.options import GameOption, LayoutOption, PlayersOption, SeedOption, make_game, start

if TYPE_CHECKING:
    from coplay.play.episode import Episodes


def behaviour(
    agents: Annotated[list[str] | None, typer.Argument(help="Agents to look at; see `coplay agents`.")] = None,
    game: GameOption = "hanabi",
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: Annotated[int, typer.Option("--games", min=1, help="Games of each agent with its own copies.")] = 200,
    seed: SeedOption = 0,
    recorded: Annotated[
        list[str] | None, typer.Option("--recorded", help="A file of recorded Hanabi games to look at, too; repeat it.")
    ] = None,
    distance: Annotated[
        bool, typer.Option("--distance/--no-distance", help="Ask every agent at the others' decisions.")
    ] = True,
    out: Annotated[str | None, typer.Option("--out", help="Keep tables, figures and a page in this folder.")] = None,
) -> None:
    """How do agents play, and how different are they? Hints, information, conventions, a map, diversity.

    \b
    Examples:
      coplay behaviour smartbot iggi information --players 2 --games 200 --out runs/styles
      coplay behaviour smartbot --players 3 --recorded people.safetensors
      coplay behaviour greedy-cook pot-filler stay --game overcooked --layout cramped_room --games 20
    """
    start()
    from pathlib import Path

    from coplay.measure import MeasureError
    from coplay.measure.behaviour.pool import behaviour as look
    from coplay.report.behaviour import print_behaviour, write_behaviour

    folder = None if out is None else Path(out)
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise MeasureError(f"--out {out} is not an empty folder; name a new one, so that nothing is overwritten.")
    files = {file: _episodes(file) for file in recorded or []}
    if players is None and files:
        players = next(iter(files.values())).game.players
    made = make_game(game, players, layout)
    say = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: E731
    pool = look(made, agents or [], games, seed, files, distance, say)
    print_behaviour(pool)
    if folder is not None:
        words = ["coplay", "behaviour", *(agents or []), "--game", game, "--players", str(made.players)]
        words += ["--layout", layout] if layout else []
        words += ["--games", str(games), "--seed", str(seed)]
        words += [word for file in files for word in ("--recorded", file)]
        write_behaviour(folder, pool, shlex.join(words), seed)
        print(f"\n{folder / 'report.html'}")


def _episodes(file: str) -> Episodes:
    """Recorded Hanabi games of any format as episodes."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from coplay.data.kinds import read
    from coplay.play.episode import Episodes

    games = read(file)
    starts = jax.device_get(jax.jit(jax.vmap(lambda deck: games.game.deal(deck)))(jnp.asarray(games.decks)))
    names = ("recorded",) * games.players
    scores = games.scores.astype(np.float32)
    return Episodes(games.game, names, starts, games.actions.astype(np.int16), games.lengths, scores)
