"""What the commands of a host share: the database they work on, and how a challenge and a reason are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from coplay.serve.store.database import Database

DEFAULT = "sqlite:///coplay.db"
DatabaseOption = Annotated[
    str, typer.Option("--database", envvar="COPLAY_DATABASE", help="sqlite:///FILE or postgresql://...")
]
NameArgument = Annotated[str, typer.Argument(help="The challenge, as in its address.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Goes into the audit.")]


def open_store(url: str) -> Database:
    """The database, brought to its newest form."""
    from coplay.challenge.errors import needs_server

    try:
        from coplay.serve.store.database import open_database
    except ImportError as error:
        raise needs_server(error) from error
    return open_database(url, pooled=False)
