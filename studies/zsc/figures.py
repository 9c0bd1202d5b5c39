"""The pictures of docs/zsc.md: the paper's Figures 4, 5 and 10 to 12."""

from __future__ import annotations

from collections.abc import Sequence

from coplay.measure.stats import Estimate, bootstrap
from coplay.report.charts import Mark, shares, standalone, strip
from studies.zsc.plan import LAYOUTS
from studies.zsc.table import Company, Found, over_layouts

FIGURES = {
    "prox": "BR-Prox of every method and population size (the paper's Figures 4 and 11).",
    "return": "Return over partners, seats and seeds (the paper's Figure 10).",
    "spread": "How the shares of the ceilings are spread over partners, seats and seeds; the line is their "
    "inter-quartile mean (the paper's Figure 12).",
}
SKILL = "BR-Prox with trained and with half-trained partners, over kitchens (the paper's Figure 5)."


def layout_figures(here: Sequence[Found]) -> dict[str, str]:
    """Those of one kitchen, by the names in `FIGURES`."""
    prox = [Mark.of(one.label, one.everybody.shares.iqm, f"{one.everybody.mean:.0f}") for one in here]
    paid = [Mark.of(one.label, _return(one.everybody), f"{one.everybody.shares.iqm.value:.2f}") for one in here]
    rows = [(one.label, one.everybody.ratios.ravel().tolist(), one.everybody.shares.iqm.value) for one in here]
    return {
        "prox": standalone(strip(prox, 0, 1, ("BR-Prox", "return"), ".2f")),
        "return": standalone(strip(paid, 0, 1, ("return", "BR-Prox"), ".0f")),
        "spread": standalone(shares(rows, ("BR-Prox", "cases"))),
    }


def _return(company: Company) -> Estimate:
    """The mean of the seeds, which are drawn."""
    return bootstrap(company.returns, lambda rows, axis=0: rows.mean(axis=axis))


def skill_figure(found: Sequence[Found]) -> tuple[str, list[str]]:
    """Methods at their smallest size over the kitchens in which all of them were made, and which those are; no figure
    where that is none."""
    small = [one for one in found if one.step == 0]
    methods = list(dict.fromkeys(one.method for one in small))
    made = {layout: {one.method for one in small if one.layout == layout} for layout in LAYOUTS}
    layouts = [layout for layout in LAYOUTS if made[layout] == set(methods)]
    marks = []
    for method in methods if layouts else []:
        for level, words in (("final", "trained"), ("half", "half-trained")):
            mine = [one for one in small if one.method == method and one.layout in layouts]
            label = f"{mine[0].label}, {words}"
            marks.append(Mark.of(label, over_layouts([one.by_level[level] for one in mine]), ""))
    return (standalone(strip(marks, 0, 1, ("BR-Prox", ""), ".2f")) if marks else ""), layouts
