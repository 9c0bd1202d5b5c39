"""`coplay curve`: how runs learned; loads what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.options import start


def curve(
    folders: Annotated[list[str], typer.Argument(help="Run folders of `coplay train`.")],
    metrics: Annotated[
        str | None,
        typer.Option("--metric", help="What to draw: score,entropy. By default all that they have in common."),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", help="Where to; for one run its own folder `curves`.")] = None,
) -> None:
    """Draw learning curves: every figure of the log, all seeds and their mean, several runs in one picture.

    \b
    Examples:
      coplay curve runs/ippo
      coplay curve runs/ippo runs/other_play --metric score,entropy --out runs/curves
    """
    start()
    from pathlib import Path

    from coplay.measure import MeasureError
    from coplay.measure.study.partners import listed
    from coplay.report.learning import shown_metrics
    from coplay.report.pages.learning import ends, write_curves

    if out is None and len(folders) > 1:
        raise MeasureError("several runs in one picture belong to none of them; say where to: --out runs/curves.")
    place = Path(out) if out else Path(folders[0]) / "curves"
    wanted = listed(metrics) or []
    runs = write_curves(folders, place, wanted)
    for run, turns, name, mean, each in ends(runs, shown_metrics(runs, wanted)[:1]):
        print(f"{run}: {name} {mean} after {turns} {runs[0].unit} ({each})")
    print(f"\n{place / 'report.html'}")
