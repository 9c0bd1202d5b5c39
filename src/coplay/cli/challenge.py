"""`coplay serve`, `coplay challenge ...`, `coplay keys ...`; nothing heavy is imported before a command runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from coplay.serve.store.database import Database

challenge_app = typer.Typer(help="Host a challenge.", no_args_is_help=True)
keys_app = typer.Typer(help="The keys of a challenge's entrants.", no_args_is_help=True)

DEFAULT = "sqlite:///coplay.db"
DatabaseOption = Annotated[
    str, typer.Option("--database", envvar="COPLAY_DATABASE", help="sqlite:///FILE or postgresql://...")
]
NameArgument = Annotated[str, typer.Argument(help="The challenge, as in its address.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Goes into the audit.")]


def _open(url: str) -> Database:
    from coplay.challenge.errors import needs_server

    try:
        from coplay.serve.store.database import open_database
    except ImportError as error:
        raise needs_server(error) from error
    return open_database(url)


def serve(
    database: DatabaseOption = DEFAULT,
    host: Annotated[str, typer.Option("--host", help="The address to listen at; by default only this machine.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 8000,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes; more than 1 needs PostgreSQL.")] = 1,
    tls: Annotated[bool, typer.Option("--tls", help="Serve https with a certificate made for this machine.")] = False,
    keep_days: Annotated[
        int, typer.Option("--keep-days", min=0, help="Erase people's games after so many days; 0: keep them.")
    ] = 0,
) -> None:
    """Host challenges: one command, no configuration.

    The first start makes the database in this folder and opens a demo challenge in it.

    \b
    Examples:
      coplay serve
      coplay serve --database postgresql://coplay@localhost/coplay --workers 4 --host 0.0.0.0
    """
    from coplay.challenge.errors import needs_server
    from coplay.cli.options import start

    start()  # before JAX is imported: what partners compile is kept between runs
    try:
        from coplay.serve.http.run import run_server
    except ImportError as error:
        raise needs_server(error) from error
    run_server(database, host, port, workers, tls, keep_days)


def enter(
    agent: Annotated[str, typer.Argument(help="The agent that plays; see `coplay agents`.")],
    key: Annotated[str, typer.Option("--key", envvar="COPLAY_KEY", help="The test or evaluation key.")],
    url: Annotated[str, typer.Option("--url", envvar="COPLAY_URL", help="The server.")] = "http://127.0.0.1:8000",
    games: Annotated[int | None, typer.Option("--games", min=1, help="Per configuration, in a rehearsal.")] = None,
    configuration: Annotated[list[str] | None, typer.Option("--configuration", help="Only this; repeat it.")] = None,
    parallel: Annotated[int, typer.Option("--parallel", min=1, help="Games at once.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the agent's own random choices.")] = 0,
) -> None:
    """Play in a challenge with an agent of this package.

    \b
    Examples:
      coplay enter smartbot --key coplay_test_... --games 20
      coplay enter run:runs/ippo/agent-0.safetensors --key coplay_eval_... --configuration 2p
    """
    from coplay.cli.options import start

    start()
    from coplay.challenge.enter import enter as play

    for one in play(agent, key, url, games, configuration, seed, parallel):
        interval = f"{one['low']:.3f} to {one['high']:.3f}"
        print(f"{one['configuration']}: mean {one['mean']:.3f} ({interval}), {one['games']} games")


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

    store = _open(database)
    from coplay.serve.ledger.host import new_challenge

    with store.write() as transaction:
        made = new_challenge(transaction, name or Path(file).stem.lower(), Path(file).read_text())
        print(f"{made.id}: rules {made.rules_version}, secret hash {made.secret_hash}")


@challenge_app.command("open")
def open_(name: NameArgument, database: DatabaseOption = DEFAULT) -> None:
    """Let attempts begin.

    \b
    Examples:
      coplay challenge open spring
    """
    store = _open(database)
    from coplay.serve.ledger.host import open_challenge

    with store.write() as transaction:
        print(f"{open_challenge(transaction, name).id} is open")


@challenge_app.command("pause")
def pause(name: NameArgument, reason: ReasonOption = "", database: DatabaseOption = DEFAULT) -> None:
    """Let no games begin until it is opened again; games that run go on.

    \b
    Examples:
      coplay challenge pause spring --reason "the machine moves"
    """
    store = _open(database)
    from coplay.serve.ledger.host import pause_challenge

    with store.write() as transaction:
        print(f"{pause_challenge(transaction, name, reason=reason).id} is paused")


@challenge_app.command("close")
def close(name: NameArgument, reason: ReasonOption = "", database: DatabaseOption = DEFAULT) -> None:
    """End a challenge and publish its secret; unfinished attempts get partial results.

    \b
    Examples:
      coplay challenge close spring --reason "the date has come"
    """
    store = _open(database)
    from coplay.serve.ledger.closing import close_and_score

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

    store = _open(database)
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
    store = _open(database)
    from coplay.serve.ledger.export import write_export

    print(f"wrote {out}: {write_export(store, name, out)}")


@challenge_app.command("verify")
def verify(
    file: Annotated[str, typer.Argument(help="A file of `coplay challenge export`.")],
    data: Annotated[str | None, typer.Option("--data", help="The recorded games that were foreseen.")] = None,
) -> None:
    """Draw every schedule and compute every score of an export again.

    \b
    Examples:
      coplay challenge verify spring.json.gz
      coplay challenge verify spring.json.gz --data people-3p.safetensors
    """
    from coplay.challenge.errors import needs_server

    try:
        from coplay.challenge.verify import verify_export
    except ImportError as error:
        raise needs_server(error) from error
    for line in verify_export(file, data):
        print(line)


@challenge_app.command("check")
def check(database: DatabaseOption = DEFAULT) -> None:
    """Check the database itself: audit chain, logs, scores. Attempts with a difference are frozen.

    \b
    Examples:
      coplay challenge check
    """
    store = _open(database)
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
    store = _open(database)
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
    store = _open(database)
    from coplay.serve.store.backup import read_backup

    print(f"restored {read_backup(store, file)} rows")


@keys_app.command("new")
def new_key(
    entrant: Annotated[str, typer.Argument(help="An entrant's id or name.")],
    kind: Annotated[str, typer.Option("--kind", help="test or eval.")] = "test",
    database: DatabaseOption = DEFAULT,
) -> None:
    """Give an entrant another key; older ones of the kind stop working, its attempt goes on.

    \b
    Examples:
      coplay keys new "My method" --kind eval
    """
    store = _open(database)
    from coplay.serve.ledger.host import give_key

    with store.write() as transaction:
        print(give_key(transaction, entrant, kind))


@keys_app.command("revoke")
def revoke_key(
    prefix: Annotated[str, typer.Argument(help="As `coplay keys list` shows it.")],
    reason: ReasonOption = "",
    database: DatabaseOption = DEFAULT,
) -> None:
    """End a key.

    \b
    Examples:
      coplay keys revoke coplay_eval_x7Gh2k --reason "it was published"
    """
    store = _open(database)
    from coplay.serve.ledger import host

    with store.write() as transaction:
        print(f"{host.revoke_key(transaction, prefix, reason=reason).prefix} is revoked")


@keys_app.command("admin")
def admin_key(database: DatabaseOption = DEFAULT) -> None:
    """Make a new token for the admin page; older ones stop working.

    \b
    Examples:
      coplay keys admin
    """
    store = _open(database)
    from coplay.serve.http.run import new_admin_token

    print(new_admin_token(store))


@keys_app.command("list")
def list_keys(database: DatabaseOption = DEFAULT) -> None:
    """One line per key: whose it is and when it was last used.

    \b
    Examples:
      coplay keys list
    """
    import datetime

    from sqlalchemy import select

    store = _open(database)
    from coplay.serve.store.models import Entrant, Key

    with store.read() as transaction:
        rows = select(Key, Entrant).outerjoin(Entrant, Key.entrant_id == Entrant.id).where(Key.kind != "seat")
        for key, entrant in transaction.execute(rows.order_by(Key.created)):
            used = (
                "never used"
                if key.last_used is None
                else f"used {datetime.datetime.fromtimestamp(key.last_used):%F %R}"
            )
            whose = f"{entrant.id} {entrant.name}" if entrant else "host"
            print(f"{key.prefix:<20} {'revoked' if key.revoked else 'valid':<8} {used:<22} {whose}")
