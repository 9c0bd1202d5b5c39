"""`coplay challenge trouble | release | void | undo`: games that wait for the host, or should not have ended."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.hosting.store import DEFAULT, DatabaseOption, NameArgument, ReasonOption, open_store

GamesOption = Annotated[
    list[str] | None, typer.Option("--game", help="As `coplay challenge trouble` lists it; repeat it.")
]


def trouble(name: NameArgument, database: DatabaseOption = DEFAULT) -> None:
    """List the games that wait for you: stuck deals, and forfeits that you can undo.

    \b
    Examples:
      coplay challenge trouble spring
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.rescue import troubles

    with store.read() as transaction:
        for one in troubles(transaction, name):
            place = f"{one.configuration}, game {one.number}, turn {one.turn}"
            print(f"{one.id}  {one.status:<8} {one.entrant}: {place}{f' ({one.reason})' if one.reason else ''}")


def release(
    name: NameArgument, reason: ReasonOption, games: GamesOption = None, database: DatabaseOption = DEFAULT
) -> None:
    """Try stuck deals again, all or those you name: their partner is mended.

    \b
    Examples:
      coplay challenge release spring --reason "the partner's file was mended"
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting import rescue

    print(f"{rescue.release(store, name, games or (), reason=reason)} deals are tried again")


def void(name: NameArgument, games: GamesOption, reason: ReasonOption, database: DatabaseOption = DEFAULT) -> None:
    """Take stuck deals out: they do not count, and their attempts can end.

    \b
    Examples:
      coplay challenge void spring --game 97e0921360ea7bbb --reason "its partner cannot be mended"
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting import rescue

    print(f"{rescue.void(store, name, games or (), reason=reason)} deals do not count")


def undo(
    name: NameArgument,
    reason: ReasonOption,
    games: GamesOption = None,
    entrant: Annotated[str, typer.Option("--entrant", help="All forfeited games of this entrant.")] = "",
    database: DatabaseOption = DEFAULT,
) -> None:
    """Undo forfeits: the games go on where they stood, with their whole bank; a score that counted them is taken back.

    \b
    Examples:
      coplay challenge undo spring --game 97e0921360ea7bbb --reason "our network was down"
      coplay challenge undo spring --entrant "My method" --reason "our network was down"
    """
    store = open_store(database)
    from coplay.challenge.errors import ChallengeError
    from coplay.serve.ledger.hosting import rescue

    chosen = list(games or ())
    if entrant:
        with store.read() as transaction:
            chosen += rescue.games_of(transaction, name, entrant)
    if not chosen:
        raise ChallengeError("name forfeited games with --game, or an entrant who has some with --entrant.")
    print(f"{rescue.undo(store, name, chosen, reason=reason)} games go on")
