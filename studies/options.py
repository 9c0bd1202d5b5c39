"""What the command lines of studies share: options, the scale of a run, the command that writes the page, the end."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from coplay.train.settings import TrainError

RunsOption = Annotated[Path, typer.Option("--runs", help="Where everything is kept.")]
LayoutsOption = Annotated[list[str] | None, typer.Option("--layout", help="These kitchens; repeat it.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="Tiny numbers: a look at the form.")]
LinesOption = Annotated[Path, typer.Option("--out", help="All lines together.")]

S = TypeVar("S")


def scaled(scale: S, **given: Any) -> S:
    """The scale of a run with what was given of it."""
    chosen = {name: value for name, value in given.items() if value is not None}
    return dataclasses.replace(scale, **chosen)  # pyright: ignore[reportType, reportArgumentType]


def add_page(app: typer.Typer, place: str, lines: Path, write: Callable[[Path, Any], Any], read: Any) -> None:
    """Gives a study the command `page`, which makes the page of the lines that `judge` wrote."""

    @app.command()
    def page(
        out: Annotated[Path, typer.Option("--out", help="The Markdown page to write.")] = Path(place),
        data: Annotated[Path, typer.Option("--data", help="The lines of `judge`.")] = lines,
    ) -> None:
        """Writes the tables, the figures, and what holds."""
        write(out, read(data))
        print(out)


def run(app: typer.Typer, study: str) -> None:
    """A mistake is told in one line."""
    try:
        app()
    except (TrainError, ValueError) as error:
        sys.exit(f"{study}: {error}")
