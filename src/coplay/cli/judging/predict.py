"""`coplay predict`: action prediction on the command line; loads what it needs when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coplay.cli.options import MOVE_SECONDS, MoveSecondsOption, OnOption, TableOption, start

if TYPE_CHECKING:
    from coplay.rollouts.episode import Episodes


def predict(
    agents: Annotated[list[str], typer.Argument(help="Who predicts; see `coplay agents`.")],
    data: Annotated[
        str, typer.Option("--data", help="A file of games, or a challenge set: community, hgroup or fireflower.")
    ],
    players: Annotated[int | None, typer.Option("--players", min=2, help="Of the challenge set: 2 or 3.")] = None,
    part: Annotated[str, typer.Option("--part", help="Of the challenge set: val or train.")] = "val",
    games: Annotated[int | None, typer.Option("--games", min=1, help="Only the first so many games.")] = None,
    smoothing: Annotated[
        str | None,
        typer.Option("--smoothing", help="Share of uniform play mixed in, or fit. Networks: 0; else 0.05."),
    ] = None,
    on: OnOption = "1",
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    out: TableOption = None,
) -> None:
    """How surely does an agent foresee what was played? Cross-entropy and accuracy, teacher-forced.

    \b
    Examples:
      coplay predict smartbot hgroup --data hgroup --players 2
      coplay predict pool:hanabi-3p-human-bc --data 3_player_games_val.safetensors
      coplay predict hgroup --data people.json --smoothing fit
    """
    start()
    from coplay.measure.predict import predict_all
    from coplay.measure.study.runner import tell
    from coplay.report.pages.prediction import print_predictions, write_predictions

    share = _share(smoothing)
    recorded = _games(data, players, part)[: games or None]
    folder = None if out is None or out.endswith(".csv") else out
    found = predict_all(recorded, agents, share, out=folder, on=on, move_seconds=move_seconds, say=tell)
    print_predictions(found)
    if out is not None:
        write_predictions(found, out)
    if folder is not None:
        print(f"\n{found.folder / 'report.html'}")


def _share(text: str | None) -> float | Literal["fit"] | None:
    from coplay.measure import MeasureError

    if text is None or text == "fit":
        return text  # pyright: ignore[reportReturnType]
    try:
        return float(text)
    except ValueError:
        raise MeasureError(f"--smoothing {text}: write a share such as 0.05, or fit.") from None


def _games(data: str, players: int | None, part: str) -> Episodes:
    from coplay.data import DataError
    from coplay.data.formats import read
    from coplay.data.recorded import recorded_file

    found = read(recorded_file(data, players, part))
    if players is not None and players != found.game.players:
        raise DataError(
            f"--players {players}: {data} holds games of {found.game.players} players; leave --players out."
        )
    return found
