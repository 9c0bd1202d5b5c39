"""`coplay experiment ...`: what a host of a study with people does; nothing heavy is imported before that."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.hosting.store import DEFAULT, DatabaseOption, ReasonOption, open_store

experiment_app = typer.Typer(help="Host a study with people.", no_args_is_help=True)
StudyArgument = Annotated[str, typer.Argument(help="The study, as in its address.")]
UrlOption = Annotated[str, typer.Option("--url", envvar="COPLAY_URL", help="The server, for the link that is printed.")]
HERE = "http://127.0.0.1:8000"


@experiment_app.command("new")
def new(
    file: Annotated[str, typer.Argument(help="The plan, a TOML file; see docs/experiments.md.")],
    name: Annotated[str, typer.Option("--name", help="As in its address; by default the file's name.")] = "",
    url: UrlOption = HERE,
    database: DatabaseOption = DEFAULT,
) -> None:
    """Make a study from its plan, and print a link to try it. It is a draft until it is opened: the same command
    writes it anew.

    \b
    Examples:
      coplay experiment new partners.toml
    """
    from pathlib import Path

    store = open_store(database)
    from coplay.experiment.order import cells
    from coplay.experiment.reading import read_plan
    from coplay.serve.ledger.studies.hosting import new_experiment, preview_token

    with store.write() as transaction:
        made = new_experiment(transaction, name or Path(file).stem.lower(), Path(file).read_text())
        plan = read_plan(made.plan)
        print(f"{made.id}: plan {made.plan_version}, consent {plan.consent.version}")
        for condition in plan.condition_names:
            where = f"condition {condition}: " if condition else ""
            print(f"{where}orders and seats are balanced after {cells(plan, condition)} participants")
        print(f"try it: {url}/studies/{made.id}?preview={preview_token(made)}")


@experiment_app.command("open")
def open_(
    name: StudyArgument, reason: ReasonOption = "", url: UrlOption = HERE, database: DatabaseOption = DEFAULT
) -> None:
    """Let people join.

    \b
    Examples:
      coplay experiment open partners
    """
    store = open_store(database)
    from coplay.experiment.reading import read_plan
    from coplay.serve.ledger.studies.hosting import open_experiment

    with store.write() as transaction:
        opened = open_experiment(transaction, name, reason=reason)
        outside = read_plan(opened.plan).outside_id
        print(f"{opened.id} is open: {url}/studies/{opened.id}" + (f"?{outside}=..." if outside else ""))


@experiment_app.command("close")
def close(name: StudyArgument, reason: ReasonOption = "", database: DatabaseOption = DEFAULT) -> None:
    """Let nobody join any more; whoever is in it may go on to the end.

    \b
    Examples:
      coplay experiment close partners --reason "enough people"
    """
    store = open_store(database)
    from coplay.serve.ledger.studies.hosting import close_experiment

    with store.write() as transaction:
        print(f"{close_experiment(transaction, name, reason=reason).id} is closed")


@experiment_app.command("accept")
def accept(name: StudyArgument, reason: ReasonOption, database: DatabaseOption = DEFAULT) -> None:
    """Go on with partners that have changed, such as after an upgrade; what changed stands in the audit.

    \b
    Examples:
      coplay experiment accept partners --reason "coplay 0.2 plays the same"
    """
    store = open_store(database)
    from coplay.serve.ledger.studies.hosting import accept as accept_partners

    with store.write() as transaction:
        print("\n".join(accept_partners(transaction, name, reason=reason)) or "nothing has changed")


@experiment_app.command("list")
def list_experiments(database: DatabaseOption = DEFAULT) -> None:
    """One line per study.

    \b
    Examples:
      coplay experiment list
    """
    from sqlalchemy import select

    store = open_store(database)
    from coplay.serve.store.study_models import Experiment

    with store.read() as transaction:
        for one in transaction.scalars(select(Experiment).order_by(Experiment.created)):
            print(f"{one.id:<24} {one.status:<8} plan {one.plan_version}  {one.title}")


@experiment_app.command("status")
def status(name: StudyArgument, database: DatabaseOption = DEFAULT) -> None:
    """How many people are through, in it, and where; and where others were lost.

    \b
    Examples:
      coplay experiment status partners
    """
    store = open_store(database)
    from coplay.serve.ledger.studies.hosting import changed, experiment_of, progress

    with store.read() as transaction:
        found, problem = progress(transaction, name), changed(experiment_of(transaction, name))
        print(f"{name} is {experiment_of(transaction, name).status}")
    for status in ("done", "active", "failed", "late", "withdrawn"):
        print(f"{status:<10} {found.counts[status]:>5}")
    for condition, count in sorted(found.conditions.items()):
        if condition:
            print(f"in it or through, condition {condition}: {count}")
    for where, count in found.here.items():
        print(f"in it, at {where}: {count}")
    for (where, why), count in found.lost.items():
        print(f"{why}, at {where}: {count}")
    if problem:
        print(f"no game begins: {problem}")


@experiment_app.command("export")
def export(
    name: StudyArgument,
    out: Annotated[str, typer.Option("--out", help="The folder to write into.")],
    ids: Annotated[
        bool, typer.Option("--ids", help="Also write who people are on the recruitment platform, to pay them.")
    ] = False,
    database: DatabaseOption = DEFAULT,
) -> None:
    """Write games, answers, a line per participant and a codebook. `coplay train bc` learns from the games.

    \b
    Examples:
      coplay experiment export partners --out partners-data
    """
    from coplay.cli.options import start

    start()
    store = open_store(database)
    from coplay.serve.pages.study_export import export_study

    for line in export_study(store, name, out, ids):
        print(line)


@experiment_app.command("erase")
def erase(
    name: StudyArgument,
    reason: ReasonOption,
    participant: Annotated[str, typer.Argument(help="The number that the participant's pages show.")] = "",
    everybody: Annotated[bool, typer.Option("--everybody", help="The whole study, which must be closed.")] = False,
    database: DatabaseOption = DEFAULT,
) -> None:
    """Erase what one participant said and played, as if they had withdrawn; or a study with all of its people.

    \b
    Examples:
      coplay experiment erase partners 97e0921360ea7bbb --reason "asked by mail"
      coplay experiment erase partners --everybody --reason "the two years of the consent are over"
    """
    if bool(participant) == everybody:
        raise typer.BadParameter("name one participant, or say --everybody.")
    store = open_store(database)
    from coplay.serve.ledger.studies.hosting import erase_experiment
    from coplay.serve.ledger.studies.leaving import withdraw_named

    with store.write() as transaction:
        if everybody:
            print(f"erased {name} with {erase_experiment(transaction, name, reason=reason)} participants")
        else:
            print(f"erased {withdraw_named(transaction, name, participant, reason)} games")
