"""`coplay entrants ...`: who entered a challenge, and what its host does about them; as at the desk."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.hosting.store import DEFAULT, DatabaseOption, ReasonOption, open_store

entrants_app = typer.Typer(help="Who entered your challenges.", no_args_is_help=True)
MailOption = Annotated[bool, typer.Option("--mail", help="Tell it by e-mail, with the reason; the server sends it.")]
EntrantArgument = Annotated[str, typer.Argument(help="An entrant's id or name.")]


@entrants_app.command("list")
def list_entrants(
    search: Annotated[
        str, typer.Argument(help="A word of the name, method, contact, data used or track; or an id.")
    ] = "",
    challenge: Annotated[str, typer.Option("--challenge", help="Only of this challenge.")] = "",
    status: Annotated[str, typer.Option("--status", help="unconfirmed, pending, approved, rejected or banned.")] = "",
    database: DatabaseOption = DEFAULT,
) -> None:
    """Look entrants up: who they are, how far they are, how to reach them.

    \b
    Examples:
      coplay entrants list
      coplay entrants list example.org --challenge spring --status pending
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.entrants import look_up

    with store.read() as transaction:
        found = look_up(transaction, search, challenge, status, many=10**6)
        for one, progress, _ in found.rows:
            told = [f"attempt {progress[0].attempt} {progress[0].status}"] if progress else []
            told += [str(part) for part in progress]
            track = f", {one.track}" if one.track else ""
            baseline = ", baseline" if one.baseline else ""
            print(f"{one.id}  {one.status:<8} {one.challenge_id}{track}{baseline}  {one.name}  <{one.contact}>")
            if told:
                print(f"{'':<18}{'; '.join(told)}")
    print(f"{found.total} entrants")


@entrants_app.command("approve")
def approve(
    entrant: EntrantArgument, reason: ReasonOption, mail: MailOption = False, database: DatabaseOption = DEFAULT
) -> None:
    """Let an entrant in and print its two keys, or with --mail send it a link to them; or let one in again who was
    rejected or banned, with its old keys.

    \b
    Examples:
      coplay entrants approve "My method" --reason "known to us"
      coplay entrants approve "My method" --reason "known to us" --mail
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting import host

    with store.write() as transaction:
        keys = host.let_in(transaction, entrant, reason=reason, by_mail=mail)
    if keys:
        print(f"test key        {keys.test}\nevaluation key  {keys.evaluation}")
    else:
        print(f"{entrant} is let in; the server writes to it" if mail else f"{entrant} is let in again")


@entrants_app.command("link")
def link(
    entrant: EntrantArgument,
    reason: ReasonOption,
    site: Annotated[str, typer.Option("--site", envvar="COPLAY_SITE", help="How the link begins: https://...")] = "",
    database: DatabaseOption = DEFAULT,
) -> None:
    """Make a link that shows an entrant two new keys, once within 14 days, to be sent in any way.

    \b
    Examples:
      coplay entrants link "My method" --reason "asked for its keys" --site https://challenge.example.org
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.claims import claim_link

    with store.write() as transaction:
        print(f"{site.rstrip('/')}/claim#{claim_link(transaction, entrant, reason=reason)}")


@entrants_app.command("letters")
def list_letters(
    waiting: Annotated[bool, typer.Option("--waiting", help="Only those that were not sent yet.")] = False,
    database: DatabaseOption = DEFAULT,
) -> None:
    """List the letters of the last days: to whom, about what, whether they were sent.

    \b
    Examples:
      coplay entrants letters --waiting
    """
    import datetime

    store = open_store(database)
    from coplay.serve.ledger.letters import listed

    with store.read() as transaction:
        for one, entrant in listed(transaction, waiting):
            when = one.sent or one.created
            done = "sent" if one.sent else f"waits, {one.tries} tries"
            day = f"{datetime.datetime.fromtimestamp(when, datetime.UTC):%F %R}"
            why = f"  {one.problem}" if one.problem else ""
            print(f"{day}  {done:<16} {one.kind:<9} {entrant.id}  {entrant.name}{why}")


@entrants_app.command("reject")
def reject(
    entrant: EntrantArgument, reason: ReasonOption, mail: MailOption = False, database: DatabaseOption = DEFAULT
) -> None:
    """Refuse an entrant who asks to be let in.

    \b
    Examples:
      coplay entrants reject "My method" --reason "no contact"
    """
    _set_status(entrant, "rejected", reason, mail, database)


@entrants_app.command("ban")
def ban(
    entrant: EntrantArgument, reason: ReasonOption, mail: MailOption = False, database: DatabaseOption = DEFAULT
) -> None:
    """Shut an entrant out: its keys open nothing any more.

    \b
    Examples:
      coplay entrants ban "My method" --reason "it passed on what one seat sees"
    """
    _set_status(entrant, "banned", reason, mail, database)


@entrants_app.command("baseline")
def baseline(
    entrant: EntrantArgument,
    reason: ReasonOption,
    on: Annotated[bool, typer.Option("--on/--off", help="--off takes it back.")] = True,
    database: DatabaseOption = DEFAULT,
) -> None:
    """Mark an entrant as something to compare with, not someone who competes.

    \b
    Examples:
      coplay entrants baseline SmartBot --reason "ours"
      coplay entrants baseline SmartBot --off --reason "it competes"
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting import host

    with store.write() as transaction:
        changed = host.set_baseline(transaction, entrant, on, reason=reason)
    print(f"{changed.name} is {'a' if on else 'no'} baseline")


@entrants_app.command("withdraw")
def withdraw(entrant: EntrantArgument, reason: ReasonOption, database: DatabaseOption = DEFAULT) -> None:
    """Take an entrant's results off the boards for good; that they were there stays visible.

    \b
    Examples:
      coplay entrants withdraw "My method" --reason "asked by mail"
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting import host

    with store.write() as transaction:
        print(f"{host.withdraw(transaction, entrant, reason=reason)} results are withdrawn")


def _set_status(entrant: str, status: str, reason: str, mail: bool, database: str) -> None:
    store = open_store(database)
    from coplay.serve.ledger.hosting import host

    with store.write() as transaction:
        print(f"{host.set_status(transaction, entrant, status, reason=reason, by_mail=mail).name} is {status}")
