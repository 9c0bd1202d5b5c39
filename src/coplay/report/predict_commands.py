"""`coplay predict`: action prediction on the command line; loads what it needs when it runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coplay.report.options import start

if TYPE_CHECKING:
    from coplay.data.games import Games
    from coplay.measure.predict import Prediction


def predict(
    agents: Annotated[list[str], typer.Argument(help="Who predicts; see `coplay agents`.")],
    data: Annotated[str, typer.Option("--data", help="A file of games, or a challenge set: hgroup or fireflower.")],
    players: Annotated[int | None, typer.Option("--players", min=2, help="Of the challenge set: 2 or 3.")] = None,
    part: Annotated[str, typer.Option("--part", help="Of the challenge set: val or train.")] = "val",
    games: Annotated[int | None, typer.Option("--games", min=1, help="Only the first so many games.")] = None,
    smoothing: Annotated[
        str | None,
        typer.Option("--smoothing", help="Share of uniform play mixed in, or fit. Networks: 0; else 0.05."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", help="Write the table here as CSV, and a picture beside it.")
    ] = None,
) -> None:
    """How surely does an agent foresee what was played? Cross-entropy and accuracy, teacher-forced.

    \b
    Examples:
      coplay predict smartbot hgroup --data hgroup --players 2
      coplay predict pool:hanabi-3p-human-bc --data 3_player_games_val.safetensors
      coplay predict hgroup --data people.json --smoothing fit
    """
    start()
    from coplay.agents.spec import agent as make_agent
    from coplay.measure.predict import predict as judge

    share = _share(smoothing)
    recorded = _games(data, players, part)[: games or None]
    made = [make_agent(agent, recorded.game) for agent in agents]  # a wrong name ends it before the first row
    rows = []
    wide = max(len(agent) for agent in agents)
    print(
        f"{len(recorded)} games of {recorded.players} players; nats per decision / per seat and turn, as AH2AC2 prints"
    )
    print(f"{'agent':<{wide}} {'cross-entropy':>28} {'unit of AH2AC2':>15} {'accuracy':>9} {'smoothing':>10}")
    for agent, player in zip(agents, made, strict=True):
        found = judge(recorded, player, share)
        rows.append((agent, found))
        _print(agent, wide, found)
    chance = rows[0][1].result
    print(
        f"{'(uniform)':<{wide}} {chance.uniform:>28.3f} {chance.paper_uniform:>15.3f} {chance.uniform_accuracy:>9.3f}"
    )
    if out:
        _save(rows, out)


def _share(text: str | None) -> float | Literal["fit"] | None:
    from coplay.measure import MeasureError

    if text is None or text == "fit":
        return text  # pyright: ignore[reportReturnType]
    try:
        return float(text)
    except ValueError:
        raise MeasureError(f"--smoothing {text}: write a share such as 0.05, or fit.") from None


def _games(data: str, players: int | None, part: str) -> Games:
    from pathlib import Path

    from coplay.data import DataError
    from coplay.data.challenge import COMMUNITIES, challenge_games
    from coplay.data.kinds import read

    if data in COMMUNITIES and not Path(data).exists():
        return challenge_games(data, players or 2, part)  # pyright: ignore[reportArgumentType]
    if not Path(data).exists():
        raise DataError(f"--data {data}: no such file, and the challenge sets are {', '.join(COMMUNITIES)}.")
    found = read(data)
    if players is not None and players != found.players:
        raise DataError(f"--players {players}: {data} holds games of {found.players} players; leave --players out.")
    return found


def _print(agent: str, wide: int, found: Prediction) -> None:
    result = found.result
    entropy, right = result.cross_entropy, result.accuracy
    assert right is not None
    words = f"{entropy.value:.3f} [{entropy.low:.3f}, {entropy.high:.3f}]"
    print(
        f"{agent:<{wide}} {words:>28} {result.paper_cross_entropy.value:>15.3f} {right.value:>9.3f} "
        f"{found.smoothing:>10.3g}",
        flush=True,
    )


def _save(rows: list[tuple[str, Prediction]], out: str) -> None:
    from pathlib import Path

    from coplay.data.whole_file import write_whole
    from coplay.measure.plain import plain_number
    from coplay.report.charts import standalone
    from coplay.report.csv_text import csv_text

    head = (
        "agent decisions cross_entropy low high uniform paper_cross_entropy paper_uniform accuracy smoothing impossible"
    )
    lines: list[list[object]] = [list(head.split())]
    for agent, (result, smoothing) in rows:
        entropy, theirs = result.cross_entropy, result.paper_cross_entropy.value
        right = None if result.accuracy is None else result.accuracy.value
        bounds = [plain_number(bound) for bound in (entropy.low, entropy.high)]
        lines.append([agent, entropy.n, entropy.value, *bounds, result.uniform])
        lines[-1] += [theirs, result.paper_uniform, right, smoothing, result.impossible]
    write_whole(out, csv_text(lines))
    write_whole(Path(out).with_suffix(".svg"), standalone(prediction_figure(rows)))


def prediction_figure(rows: list[tuple[str, Prediction]]) -> str:
    """Cross-entropy per decision, the best first, and what expecting any legal action would cost."""
    from coplay.measure.plain import plain_number
    from coplay.report.charts import Mark, strip

    marks = []
    for agent, found in sorted(rows, key=lambda row: row[1].result.cross_entropy.value):
        entropy, right = found.result.cross_entropy, found.result.accuracy
        note = "" if right is None else f"{right.value:.0%}"
        marks.append(Mark(agent, entropy.value, plain_number(entropy.low), plain_number(entropy.high), note))
    chance = rows[0][1].result
    marks.append(Mark("any legal action", chance.uniform, None, None, f"{chance.uniform_accuracy:.0%}", "own"))
    finite = [mark.value for mark in marks if math.isfinite(mark.value)]
    return strip(marks, 0, max(finite), ("nats", "right"), ".2f")
