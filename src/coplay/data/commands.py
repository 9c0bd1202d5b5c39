"""`coplay data …`: look at recorded games, turn one format into another, download and split them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from coplay.data import DataError

if TYPE_CHECKING:
    from coplay.data.games import Games

app = typer.Typer(
    help="Recorded games: inspect, convert, split, fetch, export, erase.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
FileArgument = Annotated[str, typer.Argument(help="A file (or folder) of games of any format that we read.")]


@app.command()
def inspect(file: FileArgument) -> None:
    """Say what a file holds: games, scores, lengths, and whether every game obeys the rules.

    \b
    Reads AH2AC2 files, coplay episodes, hanab.live JSON and Overcooked trials.
    The exit status is 1 if a game does not replay.

    \b
    Examples:
      coplay data inspect data/ah2ac2/3_player_games_val.safetensors
      coplay data inspect game.json
    """
    from coplay.data.kinds import NAMES, kind_of, read
    from coplay.data.summary import statistics
    from coplay.data.verification import stops_early, verify

    kind = kind_of(file)
    if kind == "overcooked":
        _inspect_trials(file)
        return
    games = read(file, check=False)
    print(f"{NAMES[kind]}: {len(games)} of {games.players} players")
    print(statistics(games))
    for name, values in games.extra.items():
        print(f"also: {name}, {values.dtype} {list(values.shape)}, {values.min()} to {values.max()}")
    problems = verify(games)
    if not problems:
        early = int(stops_early(games).sum())
        print(f"replay: all {len(games)} games obey the rules; {early} stop before the rules end them")
    else:
        print(f"replay: {len(problems)} of {len(games)} games do not obey the rules")
        for problem in problems[:5]:
            print(f"  {problem}")
    if not any(problem.row == 0 for problem in problems):
        _show_first(games)
    if problems:
        raise typer.Exit(1)


@app.command()
def convert(
    source: FileArgument,
    target: Annotated[str, typer.Argument(help="Where to write; .json means hanab.live, else AH2AC2.")],
    to: Annotated[str | None, typer.Option("--to", help="ah2ac2, hanablive, or episodes for `coplay replay`.")] = None,
) -> None:
    """Turn games of one format into another; every game is checked by playing it.

    \b
    Examples:
      coplay data convert runs/smartbot.safetensors smartbot.safetensors
      coplay data convert game.json games.safetensors
      coplay data convert data/ah2ac2/3_player_games_val.safetensors people.safetensors --to episodes
    """
    from coplay.data.kinds import NAMES, read, write

    games = read(source)
    kind = write(target, games, to)
    print(f"wrote {len(games)} games of {games.players} players to {target} ({NAMES[kind]})")  # pyright: ignore


@app.command()
def split(
    file: FileArgument,
    train: Annotated[int, typer.Option("--train", min=1, help="How many games to learn from.")],
    out: Annotated[str, typer.Option("--out", help="Folder for the two files.")],
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same split.")] = 0,
) -> None:
    """Split games into a training and a validation file that share no deck.

    \b
    Examples:
      coplay data split games.safetensors --train 1000 --out data/mine
    """
    from pathlib import Path

    from coplay.data.ah2ac2 import save_games
    from coplay.data.kinds import read
    from coplay.data.splitting import split as divide
    from coplay.data.summary import statistics

    for name, part in zip(("train", "val"), divide(read(file), train, seed), strict=True):
        path = Path(out) / f"{Path(file).stem}_{name}.safetensors"
        save_games(path, part)
        print(f"{path}: {len(part)} games\n{statistics(part)}")


@app.command()
def fetch(
    dataset: Annotated[str, typer.Argument(help="ah2ac2: the human games of the AH2AC2 challenge.")],
    to: Annotated[str, typer.Option("--to", help="Folder for the files.")] = "data/ah2ac2",
    source: Annotated[str | None, typer.Option("--from", help="Another address that holds the same files.")] = None,
) -> None:
    """Download published games and check them. What is there already is only checked.

    \b
    Examples:
      coplay data fetch ah2ac2
      coplay data fetch ah2ac2 --to somewhere/else
    """
    from coplay.data.fetch import fetch as download

    if dataset != "ah2ac2":
        raise DataError(f"there is no data set {dataset!r} to download; the only one is ah2ac2.")
    download(to, source)


def _show_first(games: Games, moves: int = 3) -> None:
    """The beginning of the first game in words, and where to watch all of it."""
    from coplay.data.hanablive import to_link

    game, actions = games.game, games.actions[0, : games.lengths[0]].tolist()
    print(f"first game: id {games.game_ids[0]}, {len(actions)} moves, score {games.scores[0]}")
    for turn, action in enumerate(actions[:moves]):
        print(f"  seat {turn % games.players}: {game.action_text(action)}")
    print(f"  … watch it: {to_link(game, games.decks[0], actions)}")


def _inspect_trials(file: str) -> None:
    """Loading a trial checks it: a trial that is listed replays exactly."""
    from coplay.data.overcooked import load_trials

    trials = load_trials(file)
    print(f"Overcooked trials: {len(trials)}; each replays state by state")
    print(f"{'trial':<34}{'kitchen':<34}{'dynamics':<10}{'cooks':>5}{'steps':>7}{'score':>7}")
    for trial in trials:
        game = trial.game
        print(
            f"{trial.name:<34}{game.kitchen.name:<34}{game.dynamics:<10}{game.players:>5}"
            f"{len(trial.actions):>7}{trial.score:>7}"
        )
