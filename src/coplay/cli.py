"""The command line. Nothing heavy is imported before a command runs, so that help answers at once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from coplay import __version__
from coplay.challenge.commands import challenge_app, enter, keys_app, serve
from coplay.data.commands import app as data_commands
from coplay.measure.commands import plan
from coplay.pool.commands import app as pool_commands
from coplay.report.adhoc_commands import adhoc
from coplay.report.ah2ac2_commands import ah2ac2
from coplay.report.behaviour_commands import behaviour
from coplay.report.commands import evaluate, report
from coplay.report.options import (
    GameOption,
    GamesOption,
    LayoutOption,
    PlayersOption,
    SeedOption,
    make_game,
    start,
)
from coplay.report.predict_commands import predict
from coplay.report.results_commands import results
from coplay.report.robustness_commands import robustness
from coplay.report.tournament_commands import tournament
from coplay.web.commands import erase, export

if TYPE_CHECKING:
    from coplay.games.game import Game

app = typer.Typer(
    name="coplay",
    help="How well does an agent play with partners it has never met?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"coplay {__version__}")
        raise typer.Exit


@app.callback()
def _before_every_command(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_say_version, help="Which version this is.")
    ] = False,
) -> None:
    """What can be said before any command."""


def main() -> None:
    """Runs a command; mistakes of the user end in one line, not in a traceback."""
    try:
        app()
    except (ValueError, OSError) as error:
        if not _is_users_mistake(error):
            raise
        print(f"coplay: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _is_users_mistake(error: Exception) -> bool:
    """Game, agent and data errors are written for people; so is "no such file" or "no space left"."""
    return isinstance(error, OSError) or type(error).__module__.startswith("coplay.")


def _everyone(agents: list[str], game: Game) -> list[str]:
    """`all` stands for every built-in agent that plays this game."""
    if agents != ["all"]:
        return agents
    from coplay.agents.spec import playing

    return playing(game)


data_commands.command()(export)  # these two know the server's database, which the data package does not
data_commands.command()(erase)
app.add_typer(data_commands, name="data", callback=start)
app.add_typer(pool_commands, name="pool", callback=start)
app.add_typer(challenge_app, name="challenge", callback=start)
app.add_typer(keys_app, name="keys", callback=start)


@app.command()
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
    from coplay.demo import run

    run(games, seed)


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="hanabi, hanabi-small, hanabi-very-small or overcooked.")] = "hanabi",
    partner: Annotated[str, typer.Option("--partner", help="Who plays with you; see `coplay agents`.")] = "",
    players: PlayersOption = None,
    layout: LayoutOption = None,
    seat: Annotated[int, typer.Option("--seat", min=0, help="Your seat; seat 0 moves first.")] = 0,
    seed: Annotated[int | None, typer.Option("--seed", help="Same seed, same deal; by default a new one.")] = None,
    speed: Annotated[float | None, typer.Option("--speed", help="Overcooked: steps a second; else it waits.")] = None,
) -> None:
    """Sit down and play with an agent in the terminal.

    \b
    Examples:
      coplay play hanabi
      coplay play hanabi --players 3 --partner piers
      coplay play overcooked --layout cramped_room
    """
    start()
    import secrets

    from coplay.play.human import play_in_terminal

    made = make_game(game, players, layout)
    play_in_terminal(made, partner, seat, secrets.randbelow(10**6) if seed is None else seed, speed)


@app.command()
def selfplay(
    agents: Annotated[list[str], typer.Argument(help="Agents to judge; see `coplay agents`.")],
    game: GameOption = "hanabi",
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    save: Annotated[str | None, typer.Option("--save", help="Keep the games in this file for `replay`.")] = None,
    out: Annotated[
        str | None, typer.Option("--out", help="Write the table here as CSV, and histograms beside it.")
    ] = None,
) -> None:
    """How well does a team of copies play? Mean score, its standard error, perfect and lost games.

    \b
    Examples:
      coplay selfplay smartbot --players 2 --games 10000
      coplay selfplay random smartbot iggi --players 3
      coplay selfplay all --players 5
      coplay selfplay smartbot --games 20 --save runs/smartbot.safetensors
      coplay selfplay smartbot iggi --games 1000 --out selfplay.csv
    """
    start()
    from coplay.measure.selfplay import selfplay as judge
    from coplay.play.episode_file import save as save_episodes

    made = make_game(game, players, layout)
    agents = _everyone(agents, made)
    if save and len(agents) > 1:
        raise typer.BadParameter("--save keeps the games of one agent; name one agent.")
    print(f"{'agent':<24} {'games':>7} {'mean':>7} {'sd':>6} {'s.e.':>6} {'perfect':>8} {'zero':>7} {'turns':>6}")
    results = {}
    for agent in agents:
        result = results[agent] = judge(made, agent, games, seed)
        perfect = "–" if made.max_score is None else f"{result.perfect:.2%}"
        print(
            f"{agent:<24} {len(result.scores):>7} {result.mean:>7.2f} {result.sd:>6.2f} {result.standard_error:>6.3f}"
            f" {perfect:>8} {result.zero:>7.2%} {result.lengths.mean():>6.1f}",
            flush=True,
        )
        for forfeit in result.forfeits[:1]:
            print(f"  {len(result.forfeits)} forfeited; the first: {forfeit}", file=sys.stderr)
        if save:
            save_episodes(result.episodes, save)
    if out:
        from coplay.report.selfplay import write_selfplay

        print(*write_selfplay(results, out), sep="\n")


@app.command()
def crossplay(
    agents: Annotated[list[str], typer.Argument(help="Agents to seat with each other; see `coplay agents`.")],
    game: GameOption = "hanabi",
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    out: Annotated[
        str | None, typer.Option("--out", help="Write the matrix here as CSV, and a picture beside it.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes that share the pairs, on several cores.")] = 1,
    teams: Annotated[
        str, typer.Option("--teams", help="pairs: one with copies of another; two, all: every team, every seating.")
    ] = "pairs",
) -> None:
    """Who plays well with whom? Row: the agent in seat 0. Column: the agent in all other seats.

    \b
    --teams two: every team of at most two different agents, in every seating. --teams all: every team.

    \b
    Examples:
      coplay crossplay smartbot iggi piers --players 2
      coplay crossplay smartbot information --players 4 --games 200 --out matrix.csv
      coplay crossplay all --players 3 --jobs 16
      coplay crossplay smartbot iggi piers --players 3 --teams all --games 100 --out teams.csv
    """
    start()
    from coplay.report.matrix import run_crossplay

    made = make_game(game, players, layout)
    run_crossplay(made, _everyone(agents, made), games, seed, jobs, teams, out)


@app.command()
def agents(game: GameOption = "hanabi", players: PlayersOption = None) -> None:
    """List the agents that play a game.

    \b
    Examples:
      coplay agents
      coplay agents --game overcooked
    """
    from coplay.agents.spec import describe_all, playing

    able = playing(make_game(game, players)) if players else None
    for name, text in describe_all(make_game(game, None).name.split("-")[0]):
        if able is None or name in able:
            print(f"{name:<16} {text}")
    print("\nYour own: file:my_agent.py:MyAgent. Trained: run:PATH.safetensors, or pool:NAME from `coplay pool list`.")
    print("In another program: remote:ws://HOST:PORT. Published Overcooked networks: carroll:PATH.")


@app.command()
def replay(
    file: Annotated[
        str,
        typer.Argument(
            help="Games of `coplay selfplay --save FILE`, hanab.live (.json), AH2AC2, or a kitchen trial (.npz)."
        ),
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


app.command()(evaluate)
app.command()(report)
app.command()(plan)
app.command()(robustness)
app.command()(tournament)
app.command()(behaviour)
app.command()(adhoc)
app.command()(ah2ac2)
app.command()(predict)
app.command()(results)


@app.command()
def train(
    recipe: Annotated[str, typer.Argument(help="ippo, other_play, bc, hdr_ippo, br_bc, best_response or fcp.")],
    out: Annotated[str, typer.Option("--out", help="The run folder; must not hold a run yet, except with --resume.")],
    game: GameOption = "hanabi",
    players: PlayersOption = None,
    layout: LayoutOption = None,
    settings: Annotated[list[str], typer.Option("--set", help="name=value, or preset=NAME; repeat it.")] = [],  # noqa: B006
    rules: Annotated[
        list[str], typer.Option("--game-set", help="A setting of the game itself, such as horizon=200; repeat it.")
    ] = [],  # noqa: B006
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Agents trained side by side.")] = 1,
    seed: SeedOption = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the run in --out stopped.")] = False,
) -> None:
    """Train an agent by a recipe.

    \b
    Examples:
      coplay train ippo --game hanabi-very-small --out runs/small
      coplay train ippo --players 2 --set preset=high-entropy --set total_turns=1e9 --seeds 2 --out runs/ippo
      coplay train bc --players 3 --set data=games.safetensors --out runs/bc
      coplay train best_response --players 2 --set partner=smartbot --out runs/br
    """
    start()
    from coplay.train.commands import parse_rules, run_train

    run_train(recipe, make_game(game, players, layout, parse_rules(rules)), out, settings, seeds, seed, resume)


app.command()(serve)
app.command()(enter)


@app.command("explain-bit")
def explain_bit(
    bit: Annotated[int, typer.Argument(help="Index in the observation vector.")],
    game: GameOption = "hanabi",
    players: PlayersOption = None,
    layout: LayoutOption = None,
) -> None:
    """Say what an entry of the observation vector means.

    \b
    Examples:
      coplay explain-bit 231 --game hanabi --players 2
      coplay explain-bit 7 --game hanabi-small
    """
    print(make_game(game, players, layout).describe(bit))  # pyright: ignore[reportAttributeAccessIssue]


@app.command()
def doctor() -> None:
    """Print versions and devices, for bug reports.

    \b
    Examples:
      coplay doctor
    """
    import importlib.metadata
    import platform

    import jax

    print(f"coplay {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for package in ("jax", "jaxlib", "equinox", "optax", "numpy", "scipy", "safetensors"):
        print(f"{package} {importlib.metadata.version(package)}")
    print("devices: " + ", ".join(f"{device.device_kind} ({device.platform})" for device in jax.devices()))


if __name__ == "__main__":
    main()
