"""`coplay challenge ...`: what a host does with a challenge; nothing heavy is imported before a command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.hosting.store import DEFAULT, DatabaseOption, NameArgument, ReasonOption, open_store

DataOption = Annotated[
    list[str] | None,
    typer.Option("--data", help="The recorded games that were foreseen; repeat it for each number of players."),
]
challenge_app = typer.Typer(help="Host a challenge.", no_args_is_help=True)


@challenge_app.command("new")
def new(
    file: Annotated[str, typer.Argument(help="The rules, a TOML file; see docs/challenge.md.")],
    name: Annotated[str, typer.Option("--name", help="As in its address; by default the file's name.")] = "",
    database: DatabaseOption = DEFAULT,
) -> None:
    """Make a challenge from its rules; it is a draft until it is opened.

    \b
    Examples:
      coplay challenge new spring.toml
    """
    from pathlib import Path

    store = open_store(database)
    from coplay.serve.ledger.hosting.host import new_challenge

    with store.write() as transaction:
        made = new_challenge(transaction, name or Path(file).stem.lower(), Path(file).read_text())
        print(f"{made.id}: rules {made.rules_version}, secret hash {made.secret_hash}")
    _warn(made.rules)


def _warn(rules: str) -> None:
    """Tells a host of games that can be met twice."""
    from coplay.challenge.repeats import warnings
    from coplay.challenge.rules import read_rules

    for told in warnings(read_rules(rules)):
        typer.echo(f"warning: {told}", err=True)


@challenge_app.command("open")
def open_(name: NameArgument, database: DatabaseOption = DEFAULT) -> None:
    """Let attempts begin.

    \b
    Examples:
      coplay challenge open spring
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.host import open_challenge

    with store.write() as transaction:
        opened = open_challenge(transaction, name)
        print(f"{opened.id} is open")
    _warn(opened.rules)


@challenge_app.command("accept")
def accept(name: NameArgument, reason: ReasonOption, database: DatabaseOption = DEFAULT) -> None:
    """Go on with partners that have changed, such as after an upgrade; what changed stands in the audit.

    \b
    Examples:
      coplay challenge accept spring --reason "coplay 0.2 plays the same"
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.host import accept_partners

    with store.write() as transaction:
        found = accept_partners(transaction, name, reason=reason)
    print("\n".join(found) or "nothing has changed")


@challenge_app.command("pause")
def pause(name: NameArgument, reason: ReasonOption = "", database: DatabaseOption = DEFAULT) -> None:
    """Let no games begin until it is opened again; games that run go on.

    \b
    Examples:
      coplay challenge pause spring --reason "the machine moves"
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.host import pause_challenge

    with store.write() as transaction:
        print(f"{pause_challenge(transaction, name, reason=reason).id} is paused")


@challenge_app.command("drain")
def drain(
    key: Annotated[str, typer.Option("--key", envvar="COPLAY_ADMIN_KEY", help="The token of `coplay keys admin`.")],
    reason: ReasonOption,
    on: Annotated[bool, typer.Option("--on/--off", help="--off: begin games again.")] = True,
    url: Annotated[str, typer.Option("--url", envvar="COPLAY_URL", help="The server.")] = "http://127.0.0.1:8000",
) -> None:
    """Let the running server begin no games, in any challenge; of several processes the one that answers.

    \b
    Examples:
      coplay challenge drain --key coplay_admin_... --reason "the machine restarts"
      coplay challenge drain --off --key coplay_admin_... --reason "it is back"
    """
    from coplay.challenge.entering.asking import ask

    answer = ask("POST", "/v1/drain", key, url, json={"on": on, "reason": reason})
    print("no game begins" if answer["draining"] else "games begin")


@challenge_app.command("audit")
def show_audit(
    last: Annotated[int, typer.Option("--last", min=1, help="So many lines.")] = 30,
    database: DatabaseOption = DEFAULT,
) -> None:
    """Show the last lines of the audit: who did what, when and why.

    \b
    Examples:
      coplay challenge audit --last 100
    """
    import datetime

    from sqlalchemy import select

    store = open_store(database)
    from coplay.serve.store.models import Audit

    with store.read() as transaction:
        for line in reversed(list(transaction.scalars(select(Audit).order_by(Audit.number.desc()).limit(last)))):
            when = f"{datetime.datetime.fromtimestamp(line.at, datetime.UTC):%F %R}"
            print(f"{line.number:>6}  {when}  {line.actor:<24} {line.what}  {line.detail}")


@challenge_app.command("close")
def close(name: NameArgument, reason: ReasonOption = "", database: DatabaseOption = DEFAULT) -> None:
    """End a challenge and publish its secret; unfinished attempts get partial results.

    \b
    Examples:
      coplay challenge close spring --reason "the date has come"
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.closing import close_and_score

    ended = close_and_score(store, name, reason)
    print(f"{name} is closed; {ended} unfinished attempts were ended")


@challenge_app.command("list")
def list_challenges(database: DatabaseOption = DEFAULT) -> None:
    """One line per challenge.

    \b
    Examples:
      coplay challenge list
    """
    from sqlalchemy import select

    store = open_store(database)
    from coplay.serve.store.models import Challenge

    with store.read() as transaction:
        for one in transaction.scalars(select(Challenge).order_by(Challenge.created)):
            print(f"{one.id:<24} {one.status:<8} rules {one.rules_version}  {one.title}")


@challenge_app.command("export")
def export(
    name: NameArgument,
    out: Annotated[str, typer.Option("--out", help="The file to write; .json.gz.")],
    database: DatabaseOption = DEFAULT,
) -> None:
    """Write everything that is public of a challenge: rules, logs, results, audit.

    \b
    Examples:
      coplay challenge export spring --out spring.json.gz
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.export import write_export

    print(f"wrote {out}: {write_export(store, name, out)}")


@challenge_app.command("verify")
def verify(
    file: Annotated[str, typer.Argument(help="A file of `coplay challenge export`.")],
    data: DataOption = None,
) -> None:
    """Draw every schedule and compute every score of an export again.

    \b
    Examples:
      coplay challenge verify spring.json.gz
      coplay challenge verify spring.json.gz --data people-3p.safetensors
    """
    from coplay.challenge.errors import needs_server

    try:
        from coplay.challenge.outcome.verify import verify_export
    except ImportError as error:
        raise needs_server(error) from error
    for line in verify_export(file, data or ()):
        print(line)


@challenge_app.command("report")
def report(
    file: Annotated[str, typer.Argument(help="A file of `coplay challenge export`.")],
    out: Annotated[str, typer.Option("--out", help="The page to write; .html.")],
    data: DataOption = None,
) -> None:
    """Write one page about a closed challenge: ranking with intervals, partners, cost, integrity.

    \b
    Examples:
      coplay challenge report spring.json.gz --out spring.html
    """
    from coplay.challenge.errors import needs_server

    try:
        from coplay.challenge.outcome.report import write_challenge_report
    except ImportError as error:
        raise needs_server(error) from error
    for line in write_challenge_report(file, out, data or ()):
        print(line)
    print(f"wrote {out}")


@challenge_app.command("check")
def check(database: DatabaseOption = DEFAULT) -> None:
    """Check the database itself: audit chain, logs, scores. Attempts with a difference are frozen.

    \b
    Examples:
      coplay challenge check
    """
    store = open_store(database)
    from coplay.serve.ledger.check import check_database

    problems = check_database(store)
    for problem in problems:
        print(problem)
    if problems:
        raise typer.Exit(1)
    print("everything is as it was written")


@challenge_app.command("backup")
def backup(out: Annotated[str, typer.Argument(help="The file to write.")], database: DatabaseOption = DEFAULT) -> None:
    """Write the whole database, keys' hashes and secrets included, to one file; the server may run.

    \b
    Examples:
      coplay challenge backup monday.jsonl.gz
    """
    store = open_store(database)
    from coplay.serve.store.backup import write_backup

    print(f"wrote {write_backup(store, out)} rows to {out}")


@challenge_app.command("restore")
def restore(
    file: Annotated[str, typer.Argument(help="A file of `coplay challenge backup`.")],
    database: DatabaseOption = DEFAULT,
) -> None:
    """Fill an empty database from a backup, of either kind of database.

    \b
    Examples:
      coplay challenge restore monday.jsonl.gz --database postgresql://coplay@localhost/coplay
    """
    store = open_store(database)
    from coplay.serve.store.backup import read_backup

    print(f"restored {read_backup(store, file)} rows")
