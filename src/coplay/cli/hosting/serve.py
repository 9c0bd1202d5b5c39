"""`coplay serve` and `coplay enter`: to host challenges, and to play in one; nothing heavy is imported before that."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.hosting.store import DEFAULT, DatabaseOption


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
    keep_contacts: Annotated[
        int,
        typer.Option("--keep-contacts", min=0, help="Erase entrants' contacts so many days after the close; 0: never."),
    ] = 0,
    mail: Annotated[
        str,
        typer.Option("--mail", envvar="COPLAY_MAIL", help="Send letters: smtp://USER:PASSWORD@HOST:587?from=ADDRESS"),
    ] = "",
    site: Annotated[
        str, typer.Option("--site", envvar="COPLAY_SITE", help="How links in letters begin: https://...")
    ] = "",
    proxy: Annotated[
        str,
        typer.Option("--proxy", envvar="FORWARDED_ALLOW_IPS", help="Who may say for whom it asks; with commas."),
    ] = "127.0.0.1,::1",
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
        from coplay.serve.http.run import Kept, Post, run_server
    except ImportError as error:
        raise needs_server(error) from error
    run_server(database, host, port, workers, tls, proxy, Kept(keep_days, keep_contacts), Post(mail, site))


def enter(
    agent: Annotated[str, typer.Argument(help="The agent that plays; see `coplay agents`.")],
    key: Annotated[str, typer.Option("--key", envvar="COPLAY_KEY", help="The test or evaluation key.")],
    url: Annotated[str, typer.Option("--url", envvar="COPLAY_URL", help="The server.")] = "http://127.0.0.1:8000",
    games: Annotated[int | None, typer.Option("--games", min=1, help="Per configuration, in a rehearsal.")] = None,
    configuration: Annotated[
        list[str] | None, typer.Option("--configuration", help="Only this, or prediction; repeat it.")
    ] = None,
    parallel: Annotated[int, typer.Option("--parallel", min=1, help="Games at once.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the agent's own random choices.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check key, rules and agent; begin nothing on the server.")
    ] = False,
) -> None:
    """Play in a challenge with an agent of this package, and foresee its recorded games where there are any.

    \b
    Examples:
      coplay enter smartbot --key coplay_eval_... --dry-run
      coplay enter smartbot --key coplay_test_... --games 20
      coplay enter run:runs/ippo/agent-0.safetensors --key coplay_eval_... --configuration 2p
    """
    from coplay.cli.options import start

    start()
    if dry_run:
        from coplay.challenge.entering.dry_run import dry_run as check

        for line in check(agent, key, url, configuration, seed):
            print(line)
        return
    from coplay.challenge.entering.enter import enter as play

    for one in play(agent, key, url, games, configuration, seed, parallel):
        interval = "" if one["low"] is None else f" ({one['low']:.3f} to {one['high']:.3f})"
        figure = f"mean {one['mean']:.3f}{interval}, {one['games']} games"
        if one["before"]:
            figure = f"was played before in this attempt, and nothing was played now; it stands at {figure}"
        print(f"{one['configuration']}: {figure}")
    from coplay.challenge.entering.foresight import foretell

    for name, told in foretell(agent, key, url, configuration, seed).items():
        paper = f"{told.per_seat:.4f} per seat and turn, as AH2AC2 prints it"
        print(f"{name}: cross-entropy {told.per_decision:.4f} nats per decision, {paper}")
