"""Trains and judges the methods of docs/zsc.md. From the root of the repository:

\b
    coplay study zsc partners --layout coordination_ring
    coplay study zsc train --layout coordination_ring --only FCP --only MEP
    coplay study zsc judge
    coplay study zsc ceilings
    coplay study zsc page --out docs/zsc.md
    coplay study zsc meet --layout coordination_ring
    coplay study zsc sets --out docs/sets.md

Every command goes on where it was stopped; `--on` shares the runs of `partners` and `train`.
`python -m studies.zsc` is the same.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from coplay.cli.options import PLACES
from coplay.rollouts.where import where
from coplay.rollouts.where.folders import FolderWork, write_folders
from coplay.train import train as train_agents
from coplay.train.partner_set import PartnerSetSettings, make_one_set
from studies.options import LayoutsOption, LinesOption, QuickOption, RunsOption, add_page, run, scaled
from studies.zsc.ceilings import marked, measured, shipped
from studies.zsc.judge import add_lines, read_lines, with_ceilings, write_lines
from studies.zsc.judge import judge as judge_run
from studies.zsc.meet import meet as meet_sets
from studies.zsc.meet import read_met, write_met
from studies.zsc.page import write_page
from studies.zsc.plan import LAYOUTS, LEARNER, QUICK, Job, Scale, jobs, partners_folder
from studies.zsc.sets import write_sets

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None)

OnlyOption = Annotated[list[str] | None, typer.Option("--only", help="These methods; repeat it.")]
SizesOption = Annotated[int, typer.Option("--sizes", min=1, max=3, help="How many population sizes of each method.")]
OnOption = Annotated[
    str | None, typer.Option("--on", metavar="WHERE", help=f"Where it is done, a job for each run: {PLACES}")
]
TurnsOption = Annotated[float | None, typer.Option("--turns", help="Turns with the smallest population (2e7).")]
RUNS = Path("runs/zsc")
DATA = Path("docs/data/zsc.csv")
MET = Path("docs/data/sets.csv")


def _scale(quick: bool, turns: float | None = None) -> Scale:
    return scaled(QUICK if quick else Scale(), agent=turns)


@app.command()
def partners(
    runs: RunsOption = RUNS, layout: LayoutsOption = None, on: OnOption = None, quick: QuickOption = False
) -> None:
    """Makes the sets of partners that judge."""
    scale = _scale(quick)
    works = []
    for name in layout or LAYOUTS:
        choose = min(LAYOUTS[name][0], scale.pairs)
        settings = PartnerSetSettings(
            *(scale.pairs, choose, scale.candidate, scale.response),
            learn={"useful": LEARNER["useful"], **scale.learn},
        )
        folder = partners_folder(runs, name).relative_to(runs)
        works.append((str(folder), partial(make_one_set, f"overcooked?layout={name}", settings, on is None)))
    _do(on, runs, works)


@app.command()
def train(
    runs: RunsOption = RUNS,
    layout: LayoutsOption = None,
    only: OnlyOption = None,
    sizes: SizesOption = 1,
    turns: TurnsOption = None,
    on: OnOption = None,
    quick: QuickOption = False,
) -> None:
    """Trains the methods that are missing."""
    scale = _scale(quick, turns)
    works = [
        (str(job.folder(runs).relative_to(runs)), partial(_train_one, job, scale, on is None))
        for job in jobs(layout, only, sizes)
    ]
    _do(on, runs, works)


def _train_one(job: Job, scale: Scale, shown: bool, folder: Path) -> str:
    """The agents of one method in one kitchen."""
    given = {**job.method.settings(scale, job.size), **scale.learn}
    progress = None if shown else False
    train_agents(job.method.recipe, job.game, folder, seeds=job.seeds, resume=True, progress=progress, **given)
    return f"{job.layout}: {job.method.name} {job.size or ''}"


def _do(on: str | None, runs: Path, works: list[tuple[str, FolderWork]]) -> None:
    """One after the other, or where they are wanted, such as `ray?gpus=1`."""
    done = ((name, work(runs / name)) for name, work in works) if on is None else write_folders(where(on), runs, works)
    for name, _ in done:
        print(f"{runs / name}: done", flush=True)


@app.command()
def judge(
    runs: RunsOption = RUNS,
    layout: LayoutsOption = None,
    only: OnlyOption = None,
    sizes: SizesOption = 3,
    turns: TurnsOption = None,
    quick: QuickOption = False,
    out: LinesOption = DATA,
) -> None:
    """Lets the trained agents play with the partners; lines of other runs stay as they are."""
    scale = _scale(quick, turns)
    done = [job for job in jobs(layout, only, sizes) if (job.folder(runs) / "agent-0.safetensors").is_file()]
    lines = [line for job in done for line in judge_run(runs, job, scale)]
    add_lines(out, lines)
    print(f"{out}: {len(done)} runs")


@app.command()
def ceilings(
    layout: LayoutsOption = None,
    data: Annotated[
        Path, typer.Option("--data", help="The lines of `judge`; their ceilings are brought up to date.")
    ] = DATA,
) -> None:
    """Measures the shipped best responses seat by seat, and marks those that an agent of the table passes."""
    lines = read_lines(data)
    for name in layout or LAYOUTS:
        found = measured(shipped(name))
        here = with_ceilings([line for line in lines if line.layout == name], found)
        found = marked(shipped(name), here)
        lines = [*(line for line in lines if line.layout != name), *here]
        better = [one for one in found.partners if one.marked]
        print(f"{shipped(name)}: {len(better)} of {len(found.partners)} best responses are passed", flush=True)
    write_lines(data, lines)


add_page(app, "docs/zsc.md", DATA, write_page, read_lines)


@app.command()
def meet(
    runs: Annotated[Path, typer.Option("--runs", help="Where the evaluations are kept.")] = Path("runs/zsc-met"),
    layout: LayoutsOption = None,
    out: LinesOption = MET,
    reference: Annotated[
        Path | None, typer.Option("--reference", help="Also into the tables of a pool: who scores what with whom.")
    ] = None,
) -> None:
    """Lets the agents that everybody has play with the sets that are shipped."""
    write_met(out, meet_sets(runs, layout or LAYOUTS, reference))
    print(out)


@app.command()
def sets(
    out: Annotated[Path, typer.Option("--out", help="The Markdown page to write.")] = Path("docs/sets.md"),
    data: Annotated[Path, typer.Option("--data", help="The lines of `meet`.")] = MET,
) -> None:
    """Writes the page of the sets that are shipped."""
    write_sets(out, read_met(data))
    print(out)


if __name__ == "__main__":
    run(app, "studies.zsc")
