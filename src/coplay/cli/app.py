"""The commands, put together. Nothing heavy is imported before one runs, so that help answers at once."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from typing import Annotated

import typer

from coplay import __version__
from coplay.cli.about import agents, doctor, explain_bit
from coplay.cli.config import configurable
from coplay.cli.curve import curve
from coplay.cli.data import app as data_commands
from coplay.cli.hosting.challenge import challenge_app
from coplay.cli.hosting.entrants import entrants_app
from coplay.cli.hosting.experiment import experiment_app
from coplay.cli.hosting.keys import keys_app
from coplay.cli.hosting.people import erase, export
from coplay.cli.hosting.rescue import release, trouble, undo, void
from coplay.cli.hosting.serve import enter, serve
from coplay.cli.judging.adhoc import adhoc
from coplay.cli.judging.ah2ac2 import ah2ac2
from coplay.cli.judging.behaviour import behaviour
from coplay.cli.judging.crossplay import crossplay
from coplay.cli.judging.evaluate import evaluate
from coplay.cli.judging.fit import fit
from coplay.cli.judging.measure import measure
from coplay.cli.judging.plan import plan
from coplay.cli.judging.predict import predict
from coplay.cli.judging.robustness import robustness
from coplay.cli.judging.selfplay import selfplay
from coplay.cli.judging.tournament import tournament
from coplay.cli.options import start
from coplay.cli.partners import app as partners_commands
from coplay.cli.play import demo, play, replay
from coplay.cli.pool import app as pool_commands
from coplay.cli.proxies import app as proxies_commands
from coplay.cli.record import record
from coplay.cli.report import report, runs
from coplay.cli.study import study
from coplay.cli.train import train

INTERRUPTED = 130  # how a command ends that somebody broke off

app = typer.Typer(
    name="coplay",
    help="How well does an agent play with partners it has never met?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"coplay {__version__}")
        raise typer.Exit


@app.callback()
def _before_every_command(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_say_version, help="Which version this is.")
    ] = False,
) -> None:
    """What can be said before any command."""


def main() -> None:
    """Runs a command; mistakes of the user end in one line, not in a traceback."""
    gc.set_threshold(50_000, 20, 20)  # compiling makes millions of objects that live: 7 % of a first run
    try:
        app()
    except (ValueError, OSError) as error:
        if not _is_users_mistake(error):
            raise
        print(f"coplay: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _leave_at_once()
        raise


def _leave_at_once() -> None:
    """After Ctrl-C. A compiled loop may still run in threads of its own, and Python's usual end would crash on them."""
    print("Stopped.", file=sys.stderr, flush=True)
    others = multiprocessing.active_children()
    for process in others:
        process.terminate()
    if not others:  # where there are some, they compute and this process does not
        sys.stdout.flush()
        os._exit(INTERRUPTED)


def _is_users_mistake(error: Exception) -> bool:
    """Game, agent and data errors are written for people; so is "no such file" or "no space left"."""
    return isinstance(error, OSError) or type(error).__module__.startswith("coplay.")


COMMANDS = (
    demo,
    play,
    selfplay,
    crossplay,
    agents,
    replay,
    evaluate,
    report,
    runs,
    plan,
    robustness,
    tournament,
    behaviour,
)
COMMANDS += (adhoc, ah2ac2, predict, measure, train, fit, curve, serve, enter, doctor)
for command in COMMANDS:
    app.command()(configurable(command))
app.command("explain-bit")(explain_bit)
for command in (trouble, release, void, undo):
    challenge_app.command()(command)
app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}
)(study)
data_commands.command()(record)  # it knows agents, which the data package does not
data_commands.command()(export)  # these two know the server's database, which the data package does not
data_commands.command()(erase)
for name, commands in (
    ("data", data_commands),
    ("pool", pool_commands),
    ("proxies", proxies_commands),
    ("partners", partners_commands),
    ("challenge", challenge_app),
    ("entrants", entrants_app),
    ("experiment", experiment_app),
    ("keys", keys_app),
):
    for one in commands.registered_commands:
        one.callback = configurable(one.callback) if one.callback else None
    app.add_typer(commands, name=name, callback=start)


if __name__ == "__main__":
    main()
