"""docs/robustness-experiments.md: populations beside each other and the paper's figures, and which hypotheses hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from coplay.files import write_whole
from coplay.report.charts import Mark, Point, scatter, standalone, strip
from studies.results.page import section_text
from studies.results.work import Section, Table
from studies.robustness.found import Setting, settings_in
from studies.robustness.hypotheses import hypotheses
from studies.robustness.judge import NOBODY, Line
from studies.robustness.prepare import PEOPLE

# What the paper prints: state, agent, memory, validation reward. Of learners it has figures without numbers only.
PRINTED = {"clone": (0.21, 0.45, 0.29, 71.8), "fitted ToM": (0.81, 0.74, 0.53, 77.7)}
NAMES = {"clone": "best clone (BC)", "fitted ToM": "fitted Theory of Mind"}
FIGURES = {
    "state": ("State tests", "share passed", ".2f"),
    "agent": ("Agent tests", "share passed", ".2f"),
    "memory": ("Memory tests", "share passed", ".2f"),
    "validation": ("Validation reward", "points", ".0f"),
}
TEXT = (
    "Learners that met one partner or a population of them, clones of recorded players (BC) or "
    "[Theory-of-Mind agents](overcooked-players.md#the-theory-of-mind-agent) (ToM), in games that began as usual or in "
    "states of recorded games (*diverse* starts): the experiment of Knott et al. 2021. Every learner goes through the "
    "[unit tests](measures/robustness.md) and plays whole games with a suite of partners nobody learned with "
    "(*validation reward*). `coplay study robustness` records, clones, trains, judges and writes this page. "
    "[The numbers](data/robustness-experiments.csv).",
    "Figures are means over kitchens, ± the standard error between seeds. The validation suite is ten ToM agents kept "
    "for it and clones of games that no partner was made from.",
)


def write_page(out: Path, lines: Sequence[Line]) -> None:
    """The page and its figures beside it."""
    learners = settings_in(line for line in lines if line.starts != NOBODY)
    partners = settings_in(line for line in lines if line.starts == NOBODY)
    for name, (_, unit, form) in FIGURES.items():
        marks = [_mark(one, name, form) for one in learners]
        write_whole(out.parent / f"images/robustness-{name}.svg", standalone(strip(marks, 0, 0, (unit, ""), form)))
    points = [Point(one.short, one.value("tests").mean, one.value("validation").mean, _kind(one)) for one in learners]
    chart = scatter(points, ("unit tests, share passed", "validation reward"))
    write_whole(out.parent / "images/robustness-both.svg", standalone(chart))
    sections = [
        Section("partners", "The partners themselves", [], [_partners(partners)]),
        Section("hypotheses", "Which hypotheses hold", [_told(learners)], []),
        Section("populations", "Populations", [_pictures()], [_table(learners)]),
        Section("kitchens", "By kitchen", [], [_by_kitchen(learners, name) for name in FIGURES]),
    ]
    parts = ["# Partners to be robust with", *TEXT, _differs(lines), *(section_text(one) for one in sections)]
    write_whole(out, "\n\n".join(parts))


def _mark(one: Setting, measure: str, form: str) -> Mark:
    value = one.value(measure)
    ends = (None, None) if math.isnan(value.error) else (value.mean - value.error, value.mean + value.error)
    return Mark(one.short, value.mean, *ends, "", _kind(one))


def _kind(one: Setting) -> str:
    return "own" if one.starts == "diverse" else ""


def _differs(lines: Sequence[Line]) -> str:
    """What has to be known before anything is compared with the paper."""
    learners = [line for line in lines if line.turns]
    layouts = list(dict.fromkeys(line.layout for line in lines))
    borrowed = [one for one in layouts if all(line.games != PEOPLE for line in lines if line.layout == one)]
    turns = ", ".join(f"{number / 1e6:.3g}" for number in sorted({line.turns for line in learners}))
    seeds = len({line.seed for line in learners})
    parts = [f"**What differs from the paper.** {seeds} seeds (paper: 5), {turns} million turns each (paper: until "]
    parts.append("nothing was gained for 5 million), and our PPO. ")
    if borrowed:
        parts.append(
            f"No games of people were there for {', '.join(borrowed)}: a **fitted-ToM surrogate** stands in: games of "
            "two Theory-of-Mind agents fitted to people there. So clones and diverse starts are those of the "
            "surrogate, and BC differs from ToM by what cloning loses. "
        )
    one = lines[0]
    parts.append(f"{one.rollouts} games from every start of a test, {one.each} with every validating partner and seat.")
    return "".join(parts)


def _partners(partners: Sequence[Setting]) -> Table:
    rows = []
    for one in partners:
        figures = [f"{one.value(name).mean:{form}}" for name, (_, _, form) in FIGURES.items()]
        *shares, reward = PRINTED[one.population]
        printed = [" / ".join(f"{share:.2f}" for share in shares), f"{reward:.1f}"]
        rows.append([NAMES[one.population], *figures, *printed])
    head = ["partner", "state", "agent", "memory", "validation", "paper: state / agent / memory", "paper: validation"]
    return Table("The two that single learners met.", head, rows)


def _told(learners: Sequence[Setting]) -> str:
    return "\n".join(f"- {line}" for line in hypotheses(learners))


def _pictures() -> str:
    names = {**{name: title for name, (title, *_) in FIGURES.items()}, "both": "Unit tests and validation reward"}
    return "\n\n".join(
        f"![{title} of every population.](images/robustness-{name}.svg)" for name, title in names.items()
    )


def _table(learners: Sequence[Setting]) -> Table:
    rows = []
    for one in learners:
        figures = [one.value(name).text(form) for name, (_, _, form) in FIGURES.items()]
        parts = " / ".join(f"{one.value(name).mean:.0f}" for name in ("with_tom", "with_clones"))
        rows.append([one.population, one.starts, *figures, parts])
    head = ["partners", "starts", "state", "agent", "memory", "validation", "with ToM / clones"]
    return Table("The paper prints no numbers of its learners; none of them passes more than 0.65.", head, rows)


def _by_kitchen(learners: Sequence[Setting], measure: str) -> Table:
    title, _, form = FIGURES[measure]
    layouts = list(dict.fromkeys(layout for one in learners for layout in one.layouts))
    rows = [
        [one.label, *(one.value(measure, name).text(form) if name in one.layouts else "" for name in layouts)]
        for one in learners
    ]
    return Table(f"{title}.", ["partners, starts", *layouts], rows)
