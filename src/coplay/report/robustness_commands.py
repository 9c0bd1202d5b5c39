"""`coplay robustness`: the unit tests of collaboration on the command line; loads what it needs when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from coplay.report.options import start

if TYPE_CHECKING:
    from pathlib import Path

    from coplay.games.game import Game
    from coplay.measure.robustness import Robustness


def robustness(
    agent: Annotated[str, typer.Argument(help="The agent to test; see `coplay agents`.")],
    game: Annotated[str, typer.Option("--game", help="overcooked or hanabi.")] = "overcooked",
    layout: Annotated[
        list[str] | None, typer.Option("--layout", help="A kitchen; repeat it. Without it, the paper's four.")
    ] = None,
    players: Annotated[
        list[int] | None, typer.Option("--players", help="Hanabi: 2 or 3; repeat it. Without it, both.")
    ] = None,
    rollouts: Annotated[int, typer.Option("--rollouts", min=1, help="Games from every start.")] = 50,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same starts.")] = 0,
    out: Annotated[str | None, typer.Option("--out", help="Keep tables and failed games in this folder.")] = None,
) -> None:
    """Does an agent do the obvious thing in unusual situations and with unusual partners?

    \b
    Examples:
      coplay robustness theory-of-mind --layout bottleneck
      coplay robustness "theory-of-mind?params=fitted" --out runs/fitted
      coplay robustness smartbot --game hanabi --players 2
    """
    start()
    from pathlib import Path

    from coplay.measure import MeasureError
    from coplay.measure.robustness import robustness as judge

    folder = None if out is None else Path(out)
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise MeasureError(f"--out {out} is not an empty folder; name a new one, so that nothing is overwritten.")
    result = judge(_games(game, layout, players), agent, rollouts, seed)
    _print(result)
    if folder is not None:
        _save(result, folder)


def _games(game: str, layouts: list[str] | None, players: list[int] | None) -> list[Game]:
    from coplay.games.registry import make
    from coplay.measure import MeasureError
    from coplay.measure.robustness.overcooked import paper_layouts

    if game == "overcooked":
        if players:
            raise MeasureError(f"--players {players[0]} is for Hanabi; the tests in kitchens are for two chefs.")
        return [make("overcooked", layout=name) for name in layouts or paper_layouts()]
    if game == "hanabi":
        if layouts:
            raise MeasureError(f"--layout {layouts[0]} is a kitchen; add --game overcooked.")
        return [make("hanabi", players=count) for count in players or (2, 3)]
    raise MeasureError(f"--game {game}: there are unit tests for overcooked and hanabi.")


def _print(result: Robustness) -> None:
    print(f"{'where':<18} {'category':<9} {'tests':>5}   score")
    for row in result.categories():
        print(f"{row['where']:<18} {row['category']:<9} {row['tests']:>5}   {_score(row)}")
    print(f"\n{'where':<18} {'category':<9} {'games':>5}   {'score':<19} test")
    for row in result.table():
        games = row["starts"] * row["rollouts"]
        print(f"{row['where']:<18} {row['category']:<9} {games:>5}   {_score(row):<19} {row['test']}: {row['says']}")


def _score(row: dict[str, Any]) -> str:
    return f"{row['score']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def _save(result: Robustness, folder: Path) -> None:
    """tests.csv and .svg, categories.csv, games.csv; of a failed test a file of its games and a page of the first."""
    import csv

    from coplay.data.whole_file import write_whole
    from coplay.measure.robustness import failed
    from coplay.play.episode_file import save
    from coplay.report.charts import standalone
    from coplay.report.replay import page

    folder.mkdir(parents=True, exist_ok=True)
    tables = {"tests": result.table(), "categories": result.categories(), "games": result.games()}
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    write_whole(folder / "tests.svg", standalone(robustness_figure(result)))
    failures = failed(result)
    for failure in failures:
        name = f"{failure.where}-{failure.test.name}".replace(" ", "-")
        save(failure.episodes, folder / "failed" / f"{name}.safetensors")
        (folder / "failed" / f"{name}.html").write_text(page(failure.episodes, 0), encoding="utf-8")
    watch = f"of {len(failures)} tests the failed games, the first one as a page to watch"
    print(f"\nwrote {folder}: tables, and {watch if failures else 'no failed games, for there were none'}.")


def robustness_figure(result: Robustness) -> str:
    """The share of games passed, test by test; red: most are failed."""
    from coplay.report.charts import Mark, strip

    rows = result.table()
    several = len({row["where"] for row in rows}) > 1
    marks = [
        Mark(
            f"{row['where']} {row['test']}" if several else row["test"],
            row["score"],
            row["low"],
            row["high"],
            row["category"],
            "bad" if row["score"] < 0.5 else "",
        )
        for row in rows
    ]
    return strip(marks, 0, 1, ("passed", "category"), ".2f")
