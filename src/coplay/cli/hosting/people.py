"""`coplay data export`: what people played on this server; nothing heavy is imported before it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.hosting.store import DEFAULT, DatabaseOption


def export(
    out: Annotated[str, typer.Option("--out", help="The folder to write into.")],
    database: DatabaseOption = DEFAULT,
) -> None:
    """Write the games of people who played on your server and agreed to keep them.

    Hanabi is written in the AH2AC2 format, a file per number of players, other games as episodes: `coplay train bc`
    learns from all of them, and `coplay replay` shows them. Who played is a random number; people's seats are listed.

    \b
    Examples:
      coplay data export --out people
    """
    from coplay.cli.options import start

    start()
    from coplay.challenge.errors import needs_server

    try:
        from coplay.serve.pages.export import export_people
        from coplay.serve.store.database import open_database
    except ImportError as error:
        raise needs_server(error) from error
    for line in export_people(open_database(database), out):
        print(line)


def erase(
    participant: Annotated[str, typer.Argument(help="The random number that a person's games are kept under.")],
    reason: Annotated[str, typer.Option("--reason", help="Goes into the audit.")],
    database: DatabaseOption = DEFAULT,
) -> None:
    """Erase every game of one person from your server, and the number itself.

    \b
    Examples:
      coplay data erase 97e0921360ea7bbb --reason "asked by mail"
    """
    from coplay.challenge.errors import needs_server

    try:
        from coplay.serve.ledger.hosting.erase import erase_person
        from coplay.serve.store.database import open_database
    except ImportError as error:
        raise needs_server(error) from error
    print(f"erased {erase_person(open_database(database), participant, reason)} games")
