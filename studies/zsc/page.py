"""docs/zsc.md: methods beside each other in every layout, beside what ZSC-Eval's released runs come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from coplay.files import write_whole
from studies.results.page import section_text
from studies.results.work import Section, Table
from studies.zsc.ceilings import passed, tops
from studies.zsc.figures import FIGURES, SKILL, layout_figures, skill_figure
from studies.zsc.judge import Line
from studies.zsc.plan import LAYOUTS, LEARNER, METHODS
from studies.zsc.published import HALF, RANKS, RELEASED, Printed
from studies.zsc.table import Found, best_sizes, found_in

TEXT = (
    "Methods for zero-shot coordination, judged by partners that prefer different things: the study of "
    '*"Quantifying Zero-Shot Coordination Capability with Behavior Preferring Partners"* with partners that '
    "`coplay partners make` made. `coplay study zsc` trains, judges and writes this page; every run is kept, so it "
    "goes on where it stopped. [The numbers](data/zsc.csv).",
    "**BR-Prox** is the inter-quartile mean, over partners and seats, of the return in shares of the "
    "[best response](measures/proximity.md) to the partner in that seat; a share above 1 counts as 1. A seat in which "
    "the best response gets less than a fifth of what is possible in the kitchen shows nothing and is left out; "
    "ZSC-Eval counts it as reached. Where an agent passes a best response beyond the noise, the other methods are "
    "judged by what it scored, its own is not. Intervals (95 %) draw seeds and partners, each on their own. *Return* "
    "is the mean over partners, seats and seeds, ± the standard error between seeds.",
    "**What differs from the paper.** Our partners are others. The column *turns* says for how many millions an agent "
    "learned (the paper: 10 alone, 50 with the smallest population), *shaped* over how many millions its shaped reward "
    "was annealed (ZSC-Eval: 100). Released: ZSC-Eval's published runs, of each method "
    "the population size with the highest return. Equal numbers are not expected; the order may be compared.",
)
UNDONE = ("counter_circuit", "blocked_corridor")
PAPER_TURNS = 5e7  # for which the paper's agents learn with the smallest population
SHORT = (
    "**Too short for some.** Agents that learned with a population had {turns} M turns, where the paper gives 50, and "
    "their rate fell to nothing within them. In counter_circuit and blocked_corridor that was not enough: at the end "
    "FCP, MEP, TrajeDi (in the second HSP, too) drew moves with an entropy of 0.7 to 0.9 and 1.2 to 1.4 nats (1.8 is a "
    "throw of dice; SP: 0.3 to 0.5), and scored 94 to 120 and 28 to 46 with their own populations. So their rows there "
    "say that they were not done, not what the methods can do. Those of coordination_ring (0.3 to 0.5) are nearer to "
    "their end. With 50 M turns (`--turns 5e7`) FCP and MEP came to 136 to 147 and 104 to 144 points with their own "
    "populations in counter_circuit, at entropies of 0.2 to 0.5 nats; these agents have not met the partners here. "
    "[The last line of every run's log](data/zsc-learning.csv)."
)
GUESSED = (
    "**A wide guess.** {without:,} of the {lines:,} means in the numbers came without their errors, so these are "
    "guessed to be as wide as if episodes spread as far as their mean. Small and middling passes of a best response "
    "are not told from noise: they count as 1 for every method, and the ceiling stays the best response."
)
CLEAR = 0.02  # a difference of BR-Prox below which methods count as equal


def write_page(out: Path, lines: Sequence[Line]) -> None:
    """The page, and beside it the figures of every layout."""
    found = found_in(lines)
    parts = [
        "# Zero-shot coordination in kitchens",
        *TEXT,
        *smallest(found),
        *guessed(lines),
        *older(found),
        *short(found),
    ]
    for layout in LAYOUTS:
        here = [one for one in found if one.layout == layout]
        if here:
            for name, figure in layout_figures(here).items():
                write_whole(out.parent / f"images/zsc-{layout}-{name}.svg", figure)
            parts.append(section_text(_section(layout, here, lines)))
        elif layout in HALF:
            text = ["Not made yet."]
            parts.append(section_text(Section(layout, _title(layout), text, [_half(layout, [])])))
    parts += [*_skill(out, found), section_text(ranks(found))]
    parts.append(section_text(Section("relations", "Which orders hold", relations(found), [])))
    missing = [f"{layout}: {', '.join(names)}" for layout, names in _missing(found).items()]
    if missing:
        parts.append("Not made yet, at the smallest population size: " + "; ".join(missing) + ".\n")
    write_whole(out, "\n\n".join(parts))


def smallest(found: Sequence[Found]) -> list[str]:
    """That no larger populations were trained; nothing once there are some."""
    sizes = ", ".join(f"{one.name} {one.sizes[0]}" for one in METHODS if one.sizes[0])
    return [] if any(one.step for one in found) else [f"**Only the smallest populations** were trained: {sizes}."]


def guessed(lines: Sequence[Line]) -> list[str]:
    """What to know of lines without an error of their mean; nothing where there are none."""
    without = sum(math.isnan(line.error) for line in lines)
    return [GUESSED.format(without=without, lines=len(lines))] if without else []


def older(found: Sequence[Found]) -> list[str]:
    """What to know of rows whose agents learned as the study is no longer set; nothing where there are none."""
    old = [one for one in found if one.is_old]
    if not old:
        return []
    lengths = sorted({one.shaping for one in old if not math.isnan(one.shaping)})
    words = " or ".join(f"{length / 1e6:g} M" for length in lengths) or "an unknown number of"
    text = (
        f"**Not the last word.** Agents marked † learned with a shaped reward that was annealed away over {words} "
        f"turns. The study is set to {LEARNER['shaping'] / 1e6:g} M turns now, as in ZSC-Eval's scripts, so that it "
        "never ends; these rows are to be made anew, and are not to be compared with the others."
    )
    return [text]


def short(found: Sequence[Found]) -> list[str]:
    """What to know of the two kitchens where agents had too few turns; nothing once they have the paper's."""
    turns = [one.turns for one in found if one.layout in UNDONE and one.size and one.turns < PAPER_TURNS]
    return [SHORT.format(turns=f"{min(turns) / 1e6:.0f}")] if turns else []


def _missing(found: Sequence[Found]) -> dict[str, list[str]]:
    there = {(one.layout, one.method) for one in found if one.step == 0}
    every = {layout: [one.name for one in METHODS if (layout, one.name) not in there] for layout in LAYOUTS}
    return {layout: names for layout, names in every.items() if names}


def _section(layout: str, here: Sequence[Found], lines: Sequence[Line]) -> Section:
    mine = [line for line in lines if line.layout == layout]
    known = tops(mine)
    words = f"{len({line.partner for line in mine})} partners"
    if blind := sum(math.isnan(top) for top in known.values()):
        words += f"; in {blind} of {len(known)} seats nobody can show anything"
    if better := passed(mine, known):
        words += f"; the best response was passed in {len(better)}"
    text = [f"![{words}](images/zsc-{layout}-{name}.svg)\n\n{words}" for name, words in FIGURES.items()]
    head = [
        "method",
        "turns, M",
        "shaped, M",
        "seeds",
        "return",
        "BR-Prox",
        "trained / half-trained partners",
        "released",
    ]
    tables = [Table("", head, [_row(one) for one in here])]
    if layout in HALF:
        tables.append(_half(layout, here))
    return Section(layout, _title(layout), [words + ".", *text], tables)


def _title(layout: str) -> str:
    return layout.replace("_", " ").capitalize()


def _row(one: Found) -> list[str]:
    all_of = one.everybody
    levels = " / ".join(f"{one.by_level[level].shares.iqm.value:.2f}" for level in ("final", "half"))
    shaped = "?" if math.isnan(one.shaping) else f"{one.shaping / 1e6:g}"
    figures = [f"{one.turns / 1e6:g}", shaped, str(len(all_of.returns)), _mean(one), all_of.shares.iqm.short()]
    return [one.label, *figures, levels, _printed(RELEASED.get((one.layout, one.method)))]


def _mean(one: Found, level: str = "") -> str:
    company = one.by_level[level] if level else one.everybody
    return f"{company.mean:.0f}" + ("" if math.isnan(company.error) else f" ± {company.error:.0f}")


def _printed(theirs: Printed | None) -> str:
    if theirs is None:
        return ""
    return f"{theirs.mean:.0f}, {theirs.iqm:.2f}" + (f" ({theirs.size})" if theirs.size else "")


def _half(layout: str, here: Sequence[Found]) -> Table:
    """Ours and the released runs of every size, each with its own half-trained partners."""
    ours = {(one.method, one.size): one for one in here}
    rows = []
    for method in METHODS:
        for theirs in HALF[layout][method.name]:
            one = ours.get((method.name, theirs.size))
            mine = [one.label, _mean(one, "half"), one.by_level["half"].shares.iqm.short()] if one else ["", "", ""]
            name = f"{method.name} ({theirs.size})" if theirs.size else method.name
            rows.append([mine[0] or name, *mine[1:], f"{theirs.mean:.0f}", f"{theirs.iqm:.2f}"])
    head = ["method", "our return", "our BR-Prox", "released: return", "released: BR-Prox"]
    caption = "With half-trained partners, each with its own: ours, and all 17 released runs."
    return Table(caption, head, rows)


def _skill(out: Path, found: Sequence[Found]) -> list[str]:
    """Over kitchens, by the skill of the partners."""
    figure, layouts = skill_figure(found)
    if not figure:
        return []
    write_whole(out.parent / "images/zsc-skill.svg", figure)
    text = [
        f"Over {', '.join(layouts)}, at the smallest population size. The paper splits partners at the median of what "
        "their copies score; most of ours score nothing with their own copies, so trained and half-trained ones are "
        "told apart instead.",
        f"![{SKILL}](images/zsc-skill.svg)\n\n{SKILL}",
    ]
    return [section_text(Section("skill", "Skill of the partners", text, []))]


def ranks(found: Sequence[Found]) -> Section:
    """How often each of the paper's six methods was first, second, …: a case is a layout with one population size."""
    known = [one for one in found if one.method in RANKS]
    cases = []
    for _, group in groupby(known, key=lambda one: one.layout):
        here = list(group)
        for step in range(3):
            case = [one for one in here if one.step == (step if one.size else 0)]
            if len(case) > 1 and any(one.step == step for one in case):
                cases.append(sorted(case, key=lambda one: -one.everybody.shares.iqm.value))
    whole = sum(len(case) == len(RANKS) for case in cases)
    head = ["method", "cases", *(str(place + 1) for place in range(len(RANKS))), "the paper's Table 4, %"]
    rows = [_ranks_of(name, cases) for name in RANKS if any(one.method == name for case in cases for one in case)]
    text = [
        f"By BR-Prox in {len(cases)} cases, {whole} of them with all six methods: a case is a kitchen with one size of "
        "the populations. E3T is not in the paper's table."
    ]
    if any(one.is_old for case in cases for one in case):
        text.append("Rows marked † above are in it.")
    return Section("ranks", "Ranks", text, [Table("", head, rows)])


def _ranks_of(name: str, cases: Sequence[Sequence[Found]]) -> list[str]:
    places = [[one.method for one in case].index(name) for case in cases if name in {one.method for one in case}]
    shares = [f"{places.count(place) / len(places):.0%}" for place in range(len(RANKS))]
    return [name, str(len(places)), *shares, " / ".join(f"{share:.0f}" for share in RANKS[name])]


# (layouts, the better methods, the worse one): what the paper and the released runs say.
CONFLICTS = ("coordination_ring", "counter_circuit", "blocked_corridor")
ORDERS = tuple((layout, better, "SP") for layout in CONFLICTS for better in ("FCP", "MEP", "TrajeDi", "HSP", "COLE"))
ORDERS += tuple(("asymmetric_advantages", better, "SP") for better in ("FCP", "MEP", "TrajeDi"))


def relations(found: Sequence[Found]) -> list[str]:
    """Which of the published orders hold, by the intervals; only agents that learned alike are compared."""
    best = {
        (one.layout, one.method): one
        for _, group in groupby(found, key=lambda one: one.layout)
        for one in best_sizes(group)
    }
    lines = []
    for layout, better, worse in ORDERS:
        if (layout, better) in best and (layout, worse) in best:
            lines.append(f"- {layout}: {_order(best[layout, better], best[layout, worse])}")
    forced = [one for (layout, _), one in best.items() if layout == "forced_coordination"]
    if len(forced) > 1 and len({one.is_old for one in forced}) == 1:
        shares = [one.everybody.shares.iqm.value for one in forced]
        word = "holds" if max(shares) - min(shares) <= 2 * CLEAR else "does not hold"
        lines.append(
            f"- forced_coordination: all methods are alike {word} (they differ by {max(shares) - min(shares):.2f})"
        )
    return ["\n".join(lines)] if lines else ["Nothing can be compared yet."]


def _order(one: Found, other: Found) -> str:
    """Is the first better?"""
    if one.is_old != other.is_old:
        return f"{one.label} above {other.label} cannot be told: they learned differently"
    mine, theirs = one.everybody.shares.iqm, other.everybody.shares.iqm
    sure = mine.is_sure and theirs.is_sure
    word = "holds" if sure and mine.low > theirs.high else "cannot be told"
    word = "does not hold" if sure and mine.high < theirs.low else word
    return f"{one.method} above {other.method} {word} ({mine.value:.2f} against {theirs.value:.2f})"
