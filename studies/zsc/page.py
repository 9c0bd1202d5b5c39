"""docs/zsc.md: methods beside each other in every layout, beside what ZSC-Eval's released runs come to."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coplay.files import write_whole
from coplay.measure import MeasureWarning
from coplay.measure.proximity import OverSeeds, iqm_over_seeds, over_seeds
from coplay.report.charts import Mark, standalone, strip
from studies.results.page import section_text
from studies.results.work import Section, Table
from studies.zsc.judge import Line
from studies.zsc.plan import LAYOUTS, METHODS
from studies.zsc.published import RANKS, RELEASED

TEXT = (
    "Methods for zero-shot coordination, judged by partners that prefer different things: the study of "
    '*"Quantifying Zero-Shot Coordination Capability with Behavior Preferring Partners"* with partners that '
    "`coplay partners make` made. `python -m studies.zsc` trains, judges and writes this page; every run is kept, so "
    "it goes on where it stopped. [The numbers](data/zsc.csv).",
    "**BR-Prox** is the inter-quartile mean, over partners and seats, of the return in shares of the partner's "
    "[best response](measures/proximity.md); a share above 1 counts as 1. Intervals (95 %) draw seeds and partners, "
    "each on their own. *Return* is the mean over partners, seats and seeds, ± the standard error between seeds.",
    "**What differs from the paper.** Our partners are others, and all learned for fewer turns (the column *turns* "
    "says how many the agent had, in millions; the paper: 10 alone, 50 with the smallest population). Released: "
    "ZSC-Eval's published runs, of each method the population size with the highest return. Equal numbers are not "
    "expected; the order may be compared.",
    "**Not the last word.** The agents below learned with a shaped reward that was annealed away over 15 M turns. "
    "ZSC-Eval's scripts take 100 M, so there it never ends; the study is set so now, and these rows are to be made "
    "anew. FCP, MEP and TrajeDi came out as agents that wait to be led. In counter_circuit the first agent of FCP "
    "scores 177 to 180 with the first of SP (which scores 180 with itself), and 0 with its own copy, with `random` and "
    "with `stay` (`coplay crossplay`, 50 games). Whether the short training or the early end of shaping did that was "
    "not tested.",
)
CLEAR = 0.02  # a difference of BR-Prox below which methods count as equal


class Found(NamedTuple):
    """What the seeds of one method came to in one layout."""

    layout: str
    method: str
    size: int
    turns: int
    seeds: int
    returns: tuple[float, ...]  # of each seed
    shares: OverSeeds
    by_level: dict[str, float]  # IQM with trained and with half-trained partners

    @property
    def label(self) -> str:
        return f"{self.method} ({self.size})" if self.size else self.method

    @property
    def mean(self) -> float:
        return float(np.mean(self.returns))

    @property
    def error(self) -> float:
        return float(np.std(self.returns, ddof=1) / len(self.returns) ** 0.5) if len(self.returns) > 1 else math.nan


def found_in(lines: Iterable[Line]) -> list[Found]:
    """One for every layout, method and size."""
    order = {method.name: number for number, method in enumerate(METHODS)}
    ordered = sorted(lines, key=lambda one: (one.layout, order[one.method], one.size))
    return [_found(list(rows)) for _, rows in groupby(ordered, key=lambda one: (one.layout, one.method, one.size))]


def _found(lines: Sequence[Line]) -> Found:
    one = lines[0]
    return Found(
        one.layout,
        one.method,
        one.size,
        one.turns,
        len({line.seed for line in lines}),
        tuple(float(row.mean()) for row in _grid(lines)[0]),
        _shares(lines),
        {level: iqm_over_seeds(*_grid([line for line in lines if line.level == level])) for level in ("final", "half")},
    )


def _shares(lines: Sequence[Line]) -> OverSeeds:
    returns, ceilings = _grid(lines)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MeasureWarning)  # beaten ceilings are told in a line of the page
        return over_seeds(returns, ceilings)


def _grid(lines: Sequence[Line]) -> tuple[np.ndarray, np.ndarray]:
    """(returns [seeds, partners, seats], ceilings [partners, seats]) of partners with whom anything can be scored."""
    able = [line for line in lines if line.ceiling > 0]
    seeds, partners, seats = (sorted({getattr(line, name) for line in able}) for name in ("seed", "partner", "seat"))
    returns = np.full((len(seeds), len(partners), len(seats)), np.nan)
    ceilings = np.zeros(returns.shape[1:])
    for line in able:
        place = partners.index(line.partner), seats.index(line.seat)
        returns[seeds.index(line.seed), *place] = line.mean
        ceilings[place] = line.ceiling
    return returns, ceilings


def write_page(out: Path, lines: Sequence[Line]) -> None:
    """The page, and beside it a figure per layout."""
    found = found_in(lines)
    parts = ["# Zero-shot coordination in kitchens", *TEXT]
    for layout in LAYOUTS:
        here = [one for one in found if one.layout == layout]
        if here:
            write_whole(out.parent / f"images/zsc-{layout}.svg", standalone(_figure(here)))
            parts.append(section_text(_section(layout, here, lines)))
    parts.append(section_text(ranks(found)))
    parts.append(section_text(Section("relations", "Which orders hold", relations(found), [])))
    missing = [layout for layout in LAYOUTS if layout not in {one.layout for one in found}]
    if missing:
        parts.append(f"Not made yet: {', '.join(missing)}.\n")
    write_whole(out, "\n\n".join(parts))


def _figure(here: Sequence[Found]) -> str:
    marks = [Mark.of(one.label, one.shares.iqm, f"{one.mean:.0f}") for one in here]
    return strip(marks, 0, 1, ("BR-Prox", "return"), ".2f")


def _section(layout: str, here: Sequence[Found], lines: Sequence[Line]) -> Section:
    partners = {line.partner: line for line in lines if line.layout == layout}
    nobody = sum(line.ceiling == 0 for line in partners.values())
    beaten = {line.partner for line in lines if line.layout == layout and line.mean > 1.05 * line.ceiling > 0}
    text = [f"![BR-Prox of every method](images/zsc-{layout}.svg)"]
    words = f"{len(partners)} partners" + (f", {nobody} of them without a ceiling" if nobody else "")
    if beaten:
        words += f"; the best responses of {len(beaten)} were passed by more than 5 % by some agent"
    text.append(words + ".")
    head = ["method", "turns, M", "seeds", "return", "BR-Prox", "trained / half-trained partners", "released"]
    return Section(layout, layout.replace("_", " ").capitalize(), text, [Table("", head, [_row(one) for one in here])])


def _row(one: Found) -> list[str]:
    theirs = RELEASED.get((one.layout, one.method))
    size = f" ({theirs.size})" if theirs and theirs.size else ""
    error = "" if math.isnan(one.error) else f" ± {one.error:.0f}"
    levels = " / ".join(f"{one.by_level[level]:.2f}" for level in ("final", "half"))
    released = f"{theirs.mean:.0f}, {theirs.iqm:.2f}{size}" if theirs else ""
    figures = [f"{one.turns / 1e6:g}", str(one.seeds), f"{one.mean:.0f}{error}", one.shares.iqm.short()]
    return [one.label, *figures, levels, released]


def ranks(found: Sequence[Found]) -> Section:
    """How often each method was first, second, …: a case is a layout with the partners of one level."""
    cases = [
        sorted(here, key=lambda one, level=level: -one.by_level[level])
        for _, group in groupby(found, key=lambda one: one.layout)
        if len(here := _best_sizes(list(group))) > 1
        for level in ("final", "half")
    ]
    names = [method.name for method in METHODS if any(one.method == method.name for case in cases for one in case)]
    most = max((len(case) for case in cases), default=0)
    rows = []
    for name in names:
        places = [[one.method for one in case].index(name) for case in cases if name in {one.method for one in case}]
        shares = [f"{places.count(place) / len(places):.0%}" for place in range(most)]
        printed = " / ".join(f"{share:.0f}" for share in RANKS[name]) if name in RANKS else ""
        rows.append([name, *shares, printed])
    head = ["method", *(str(place + 1) for place in range(most)), "the paper's Table 4, first to sixth, %"]
    text = [f"By BR-Prox in {len(cases)} cases: a layout with trained or with half-trained partners."]
    return Section("ranks", "Ranks", text, [Table("", head, rows)])


def _best_sizes(here: Sequence[Found]) -> list[Found]:
    """Of every method the population size that does best."""
    best: dict[str, Found] = {}
    for one in here:
        if one.method not in best or one.shares.iqm.value > best[one.method].shares.iqm.value:
            best[one.method] = one
    return list(best.values())


# (layouts, the better methods, the worse one): what the paper and the released runs say.
CONFLICTS = ("coordination_ring", "counter_circuit", "blocked_corridor")
ORDERS = tuple((layout, better, "SP") for layout in CONFLICTS for better in ("FCP", "MEP", "TrajeDi", "HSP", "COLE"))
ORDERS += tuple(("asymmetric_advantages", better, "SP") for better in ("FCP", "MEP", "TrajeDi"))


def relations(found: Sequence[Found]) -> list[str]:
    """Which of the published orders hold, by the intervals."""
    best = {
        (one.layout, one.method): one.shares.iqm
        for _, group in groupby(found, key=lambda one: one.layout)
        for one in _best_sizes(list(group))
    }
    lines = []
    for layout, better, worse in ORDERS:
        if (layout, better) in best and (layout, worse) in best:
            one, other = best[layout, better], best[layout, worse]
            sure = one.is_sure and other.is_sure
            word = "holds" if sure and one.low > other.high else "cannot be told"
            word = "does not hold" if sure and one.high < other.low else word
            lines.append(f"- {layout}: {better} above {worse} {word} ({one.value:.2f} against {other.value:.2f})")
    forced = [value.value for (layout, _), value in best.items() if layout == "forced_coordination"]
    if len(forced) > 1:
        apart = max(forced) - min(forced)
        word = "holds" if apart <= 2 * CLEAR else "does not hold"
        lines.append(f"- forced_coordination: all methods are alike {word} (they differ by {apart:.2f})")
    return ["\n".join(lines)] if lines else ["Nothing can be compared yet."]
