"""Trains with clones, Theory-of-Mind agents and populations of both, and writes docs/robustness-experiments.md. From
the root of the repository:

\b
    coplay study robustness prepare --people FOLDER   # records games, clones who played them
    coplay study robustness train                     # on a GPU
    coplay study robustness judge --jobs 8
    coplay study robustness page

Every command goes on where it was stopped; several processes may work on different kitchens side by side.
`--quick` is a look at the form, in one kitchen; give it to the first three.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from coplay.rollouts.where.local import processes
from coplay.train.settings import TrainError
from studies.options import LayoutsOption, LinesOption, QuickOption, RunsOption, add_page, run, scaled
from studies.robustness.judge import judge as judge_one
from studies.robustness.judge import read_lines, write_lines
from studies.robustness.learn import learn
from studies.robustness.page import write_page
from studies.robustness.plan import LAYOUTS, QUICK, Place, Scale, jobs
from studies.robustness.prepare import prepare as prepare_place

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None)
RUNS = Path("runs/robustness")
DATA = Path("docs/data/robustness-experiments.csv")

StartsOption = Annotated[list[str] | None, typer.Option("--starts", help="ordinary or diverse; both without it.")]
SeedsOption = Annotated[int | None, typer.Option("--seeds", min=1, help="Of every population (3; the paper: 5).")]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="Processes that share the work.")]


def _scale(quick: bool, **given: float | None) -> Scale:
    return scaled(QUICK if quick else Scale(), **given)


def _kitchens(layouts: list[str] | None, quick: bool) -> Sequence[str]:
    return layouts or (LAYOUTS[:1] if quick else LAYOUTS)


@app.command()
def prepare(
    runs: RunsOption = RUNS,
    layout: LayoutsOption = None,
    people: Annotated[
        Path | None,
        typer.Option("--people", help="Games of people; kitchens that are not among them get a surrogate's."),
    ] = None,
    quick: QuickOption = False,
) -> None:
    """Records games and clones who played them."""
    for name in _kitchens(layout, quick):
        place = Place(runs, name)
        prepare_place(place, _scale(quick), people)
        print(f"{name}: games of {place.whose()}, the best clone is {place.best()}", flush=True)


@app.command()
def train(
    runs: RunsOption = RUNS,
    layout: LayoutsOption = None,
    starts: StartsOption = None,
    seeds: SeedsOption = None,
    turns: Annotated[float | None, typer.Option("--turns", help="For which every learner learns (1e7).")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help="Of the learners: name=value.")] = None,
    quick: QuickOption = False,
) -> None:
    """Trains what is missing: a program for each kitchen and kind of starts."""
    given = dict(pair.split("=", 1) for pair in setting or ())
    for job in jobs(runs, _kitchens(layout, quick), starts):
        print(f"{job.place.layout}, {job.starts} starts", flush=True)
        learn(job, _scale(quick, seeds=seeds, turns=turns), given)


@app.command()
def judge(
    runs: RunsOption = RUNS,
    layout: LayoutsOption = None,
    starts: StartsOption = None,
    jobs_at_once: JobsOption = 1,
    quick: QuickOption = False,
    out: LinesOption = DATA,
) -> None:
    """Runs the unit tests and plays with the partners that validate."""
    scale = _scale(quick)
    done = [job for job in jobs(runs, _kitchens(layout, quick), starts) if job.is_whole]
    if not done:
        raise TrainError(f"{runs} has no run that is whole; train first: coplay study robustness train.")
    work = [*dict.fromkeys(job.place for job in done), *done]
    if jobs_at_once == 1:
        lines = [line for what in work for line in judge_one(what, scale)]
    else:
        with processes(min(jobs_at_once, len(work))) as pool:
            found = [pool.submit(judge_one, what, scale) for what in work]
            lines = [line for future in found for line in future.result()]
    write_lines(out, lines)
    print(f"{out}: {len(lines)} lines")


add_page(app, "docs/robustness-experiments.md", DATA, write_page, read_lines)

if __name__ == "__main__":
    run(app, "studies.robustness")
