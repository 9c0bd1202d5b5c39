"""`coplay data …`: look at recorded games, turn one format into another, download and split them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from coplay.data import DataError

if TYPE_CHECKING:
    from coplay.rollouts.episode import Episodes

app = typer.Typer(
    help="Recorded games: record, inspect, convert, split, fetch, export, erase.",
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
    from pathlib import Path

    from coplay.data.checking import stops_early
    from coplay.data.formats import format_of
    from coplay.data.summary import statistics
    from coplay.games import spec_of

    kind = format_of(file)
    broken = False
    for games in kind.read(Path(file), False):
        print(f"{kind.title}: {len(games)} of {games.game.players} players ({spec_of(games.game)})")
        print(statistics(games))
        for name, values in games.extra.items():
            if name == "game_ids":
                continue
            print(f"also: {name}, {values.dtype} {list(values.shape)}, {values.min()} to {values.max()}")
        problems = kind.check(games)
        if not problems:
            early = int(stops_early(games).sum())
            print(f"replay: all {len(games)} games obey the rules; {early} stop before the rules end them")
        else:
            print(f"replay: {len(problems)} of {len(games)} games do not obey the rules")
            for problem in problems[:5]:
                print(f"  {problem}")
        if not any(problem.row == 0 for problem in problems):
            _show_first(games)
        broken = broken or bool(problems)
    if broken:
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
    from coplay.data.formats import read, write

    games = read(source)
    kind = write(target, games, to or ("hanablive" if target.endswith(".json") else "ah2ac2"))
    print(f"wrote {len(games)} games of {games.game.players} players to {target} ({kind.title})")


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

    from coplay.data.formats import format_of, read
    from coplay.data.joining import split as divide
    from coplay.data.summary import statistics

    kind = format_of(file)
    if kind.write is None:
        raise DataError(f"{file}: {kind.title} cannot be written; convert them to episodes first.")
    for name, part in zip(("train", "val"), divide(read(file), train, seed), strict=True):
        path = Path(out) / f"{Path(file).stem}_{name}.safetensors"
        path.parent.mkdir(parents=True, exist_ok=True)
        kind.write(path, part)
        print(f"{path}: {len(part)} games\n{statistics(part)}")


@app.command()
def fetch(
    dataset: Annotated[str, typer.Argument(help="ah2ac2: the human games of the AH2AC2 challenge.")],
    to: Annotated[str | None, typer.Option("--to", help="Folder for the files; by default data/NAME.")] = None,
    source: Annotated[str | None, typer.Option("--from", help="Another address that holds the same files.")] = None,
) -> None:
    """Download published games and check them. What is there already is only checked.

    \b
    Examples:
      coplay data fetch ah2ac2
      coplay data fetch ah2ac2 --to somewhere/else
    """
    from coplay.registry import attribute, of_worlds
    from coplay.specs import unknown

    known = of_worlds("datasets")
    if dataset not in known:
        raise DataError(unknown("data set", dataset, known))
    attribute(known[dataset], DataError)(to or f"data/{dataset}", source)


def _show_first(games: Episodes, moves: int = 3) -> None:
    """The beginning of the first game in words, and where to watch all of it."""
    from coplay.faces import faces_of

    game, drawing = games.game, faces_of(games.game).drawing
    number = int(games.extra["game_ids"][0]) if "game_ids" in games.extra else 0
    print(f"first game: id {number}, {games.lengths[0]} moves, score {games.scores[0]:g}")
    if hasattr(game, "action_text") and not game.simultaneous:
        for turn, action in enumerate(games.actions[0, : min(moves, int(games.lengths[0]))].tolist()):
            print(f"  seat {turn % game.players}: {game.action_text(action)}")
    place = None if drawing is None else drawing.link(games, 0)
    if place is not None:
        print(f"  … watch it: {place}")
