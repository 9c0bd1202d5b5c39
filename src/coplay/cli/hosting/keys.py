"""`coplay keys ...`: the keys of a challenge's entrants and of its host; nothing heavy is imported before that."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.hosting.store import DEFAULT, DatabaseOption, ReasonOption, open_store

keys_app = typer.Typer(help="The keys of a challenge's entrants.", no_args_is_help=True)


@keys_app.command("new")
def new_key(
    entrant: Annotated[str, typer.Argument(help="An entrant's id or name.")],
    kind: Annotated[str, typer.Option("--kind", help="test or eval.")] = "test",
    reason: ReasonOption = "",
    database: DatabaseOption = DEFAULT,
) -> None:
    """Give an entrant another key; older ones of the kind stop working, its attempt goes on.

    \b
    Examples:
      coplay keys new "My method" --kind eval
    """
    store = open_store(database)
    from coplay.serve.ledger.hosting.host import give_key

    with store.write() as transaction:
        print(give_key(transaction, entrant, kind, reason=reason))


@keys_app.command("rotate")
def rotate_key(
    key: Annotated[str, typer.Option("--key", envvar="COPLAY_KEY", help="The test or evaluation key that ends.")],
    url: Annotated[str, typer.Option("--url", envvar="COPLAY_URL", help="The server.")] = "http://127.0.0.1:8000",
) -> None:
    """For entrants: end a key that others may have seen and get another; the attempt goes on.

    \b
    Examples:
      coplay keys rotate --key coplay_eval_... --url https://challenge.example.org
    """
    from coplay.challenge.entering.asking import ask

    print(ask("POST", "/v1/keys/rotate", key, url)["key"])


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
    store = open_store(database)
    from coplay.serve.ledger.hosting import host

    with store.write() as transaction:
        print(f"{host.revoke_key(transaction, prefix, reason=reason).prefix} is revoked")


@keys_app.command("admin")
def admin_key(database: DatabaseOption = DEFAULT) -> None:
    """Make a new token for the admin page; older ones stop working.

    \b
    Examples:
      coplay keys admin
    """
    store = open_store(database)
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

    store = open_store(database)
    from coplay.serve.store.models import Entrant, Key

    with store.read() as transaction:
        rows = (
            select(Key, Entrant)
            .outerjoin(Entrant, Key.entrant_id == Entrant.id)
            .where(Key.kind.in_(("test", "eval", "admin")))
        )
        for key, entrant in transaction.execute(rows.order_by(Key.created)):
            used = (
                "never used"
                if key.last_used is None
                else f"used {datetime.datetime.fromtimestamp(key.last_used):%F %R}"
            )
            whose = f"{entrant.id} {entrant.name}" if entrant else "host"
            print(f"{key.prefix:<20} {'revoked' if key.revoked else 'valid':<8} {used:<22} {whose}")
