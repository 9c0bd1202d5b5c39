"""`coplay agents`, `explain-bit` and `doctor`: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay import __version__
from coplay.cli.options import GAME, GameOption, LayoutOption, PlayersOption, make_game


def agents(game: GameOption = GAME, players: PlayersOption = None) -> None:
    """List the agents that play a game.

    \b
    Examples:
      coplay agents
      coplay agents --game overcooked
    """
    from coplay.agents.spec import describe_all, describe_loaders, playing

    made = make_game(game, players)
    able = playing(made) if players else None
    for name, text in describe_all(made):
        if able is None or name in able:
            print(f"{name:<16} {text}")
    for prefix, text in describe_loaders(made):
        print(f"{prefix + ':PATH':<16} {text}")
    print("\nYour own: file:my_agent.py:MyAgent. Trained: run:PATH.safetensors, or pool:NAME from `coplay pool list`.")
    print("In another program: remote:ws://HOST:PORT.")


def explain_bit(
    bit: Annotated[int, typer.Argument(help="Index in the observation vector.")],
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
) -> None:
    """Say what an entry of the observation vector means.

    \b
    Examples:
      coplay explain-bit 231 --game hanabi --players 2
      coplay explain-bit 7 --game hanabi-small
    """
    from coplay.game import GameError

    made = make_game(game, players, layout)
    if not hasattr(made, "describe"):
        raise GameError(f"{made.name} does not say what the entries of its vector mean.")
    print(made.describe(bit))


def doctor() -> None:
    """Print versions and devices, for bug reports.

    \b
    Examples:
      coplay doctor
    """
    import importlib.metadata
    import platform

    import jax

    from coplay.pool.sources import folders, missing

    print(f"coplay {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for package in ("jax", "jaxlib", "equinox", "optax", "numpy", "scipy", "safetensors"):
        print(f"{package} {importlib.metadata.version(package)}")
    pools = [str(folder) for folder in folders()]
    print(f"pools: {', '.join(pools)}" if pools else missing())
    print("devices: " + ", ".join(f"{device.device_kind} ({device.platform})" for device in jax.devices()))
