"""`coplay study`: what makes the tables of the documentation; the studies lie in the repository, not in the package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

FOLDER = "studies"


class StudyError(ValueError):
    """There is no such study here."""


def study(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A folder of studies: zsc, ah2ac2, kl, …", show_default=False)],
) -> None:
    """Run a study of the repository; what follows the name is the study's own.

    \b
    Examples:
      coplay study zsc --help
      coplay study zsc train --layout coordination_ring
      coplay study zsc page
    """
    here = Path.cwd()
    known = sorted(file.parent.name for file in (here / FOLDER).glob("*/__main__.py"))
    if not known:
        raise StudyError(
            f"{here} has no folder {FOLDER}: studies are no part of the package. Get the repository "
            "(git clone https://github.com/coplay/coplay), and give the command in its root."
        )
    if name not in known:
        raise StudyError(f"no study {name!r}; the studies are {', '.join(known)}.")
    sys.path.insert(0, str(here))
    importlib.import_module(f"{FOLDER}.{name}.__main__").app(context.args, prog_name=f"coplay study {name}")
