"""`coplay demo`, `play` and `replay`: sitting down, and looking at games."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from coplay.cli.options import GAME, GamesOption, LayoutOption, PlayersOption, SeedOption, make_game, start


def demo(
    games: GamesOption = 500,
    seed: SeedOption = 0,
) -> None:
    """Watch agents play: a table of who plays well with whom, and a game to look at.

    \b
    Examples:
      coplay demo
      coplay demo --games 2000
    """
    start()
    from coplay.game import GameError
    from coplay.registry import attribute, worlds

    attribute(worlds()[GAME].demo, GameError)(games, seed)


def play(
    game: Annotated[str, typer.Argument(help="A game with its settings, or your own: file:PATH:CLASS.")] = GAME,
    partner: Annotated[str, typer.Option("--partner", help="Who plays with you; see `coplay agents`.")] = "",
    players: PlayersOption = None,
    layout: LayoutOption = None,
    seat: Annotated[int, typer.Option("--seat", min=0, help="Your seat; seat 0 moves first.")] = 0,
    seed: Annotated[int | None, typer.Option("--seed", help="Same seed, same deal; by default a new one.")] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="Kitchens, football: steps a second; else it waits.")
    ] = None,
    save: Annotated[str | None, typer.Option("--save", help="Keep the game in this file for `replay`.")] = None,
) -> None:
    """Sit down and play with an agent in the terminal.

    \b
    Examples:
      coplay play hanabi
      coplay play hanabi --players 3 --partner piers
      coplay play overcooked --layout cramped_room --save runs/mine.safetensors
      coplay play football --players 3 --speed 8
      coplay replay runs/mine.safetensors
    """
    start()
    import secrets

    from coplay.faces import faces_of
    from coplay.rollouts.people.by_number import BY_NUMBER

    made = make_game(game, players, layout)
    terminal = faces_of(made).terminal or BY_NUMBER
    if save:
        _check_place(save)
    episodes = terminal.play(made, partner, seat, secrets.randbelow(10**6) if seed is None else seed, speed)
    if save:
        from coplay.rollouts.episode_file import save as save_episodes

        save_episodes(episodes, save)
        print(f"wrote {save}")


def _check_place(file: str) -> None:
    """Nobody should play a game first and then learn that it cannot be kept."""
    from pathlib import Path

    path = Path(file)
    if path.is_dir():
        raise typer.BadParameter(f"--save {file}: this is a folder; name a file in it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    probe = path.with_name(path.name + ".partial")
    probe.touch()
    probe.unlink()


def replay(
    file: Annotated[
        str,
        typer.Argument(help="Games of `--save FILE`, hanab.live (.json), AH2AC2, or a kitchen trial (.npz)."),
    ],
    game: Annotated[int, typer.Option("--game", min=0, help="Which game of the file.")] = 0,
    html: Annotated[str | None, typer.Option("--html", help="Write a page that opens from disk instead.")] = None,
    step: Annotated[bool, typer.Option("--step/--all", help="Wait for the return key after each move.")] = True,
) -> None:
    """Look at a recorded game, move by move, in the terminal or as a page.

    \b
    Examples:
      coplay replay runs/smartbot.safetensors --game 3
      coplay replay runs/smartbot.safetensors --game 3 --html game3.html
    """
    start()
    from pathlib import Path

    from coplay.report.replay import link, page, terminal_frames
    from coplay.report.replay_file import read_game

    episodes = read_game(file, game)
    if html:
        Path(html).write_text(page(episodes, 0, game))
        print(f"wrote {html}")
        return
    from rich.console import Console

    console = Console()
    frames = list(terminal_frames(episodes, 0))
    for turn, frame in enumerate(frames):
        console.rule(f"game {game}, move {turn} of {len(frames) - 1}")
        console.print(frame)
        if step and sys.stdin.isatty() and turn + 1 < len(frames) and input("return: next, q: leave ").strip() == "q":
            return
    print(f"score {episodes.scores[0]:g}")
    if address := link(episodes, 0):
        print(address)
