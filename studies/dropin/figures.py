"""Figures 2 to 4 of the paper, from its printed tables and from our matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coplay.files import write_whole
from coplay.measure import teamwork
from coplay.measure.dropin.results import Tournament
from coplay.report.charts import Point, scatter, standalone
from coplay.report.curve import Curve, curve
from studies.dropin.casts import CHALLENGE, WIDE, called, normal

PIECES = 60  # of which a curve is drawn
FEWEST, MOST, STEP = 10, 30, 2  # agents of Figure 3
SEEDS = 10  # draws of the algorithm for each number of agents


class Offsets(NamedTuple):
    """What equal teamwork comes to at every skill."""

    measured: Mapping[str, tuple[float, float]]  # skillAGD, teamworkAGD of each agent
    reference: Sequence[str]  # of equal teamwork

    def chart(self) -> str:
        """normOffset over skillAGD: the curve through the reference agents, and those that it is read off for."""
        names = list(self.measured)
        skills, values = np.array([self.measured[name] for name in names]).T
        within = np.linspace(*_span([self.measured[name][0] for name in self.reference]), PIECES)
        known = [names.index(name) for name in self.reference]
        everywhere = np.concatenate([skills, within])
        offset, _ = teamwork.normalised(everywhere, np.concatenate([values, 0 * within]), known)
        points = []
        for skill, at in dict(zip(skills, offset, strict=False)).items():  # agents of one skill share a dot
            here = sorted(name for name in names if self.measured[name][0] == skill)
            label = here[0] + ", PT" * (here[1:] == [f"PT{here[0]}"])
            points.append(Point(label, skill, at, "" if set(here) & set(self.reference) else "bad"))
        return scatter(
            points, ("skillAGD", "normOffset"), zero=True, line=list(zip(within, offset[len(names) :], strict=True))
        )


def printed_wide() -> Offsets:
    """Table 4, of which the paper draws its Figure 2."""
    figures = {name: (skill, own) for name, (skill, _, own) in WIDE.printed.items()}
    return Offsets(figures, [called(normal(speed)) for speed in WIDE.reference])


def played_wide(found: Tournament) -> Offsets:
    """The same challenge in our football."""
    figures = {called(line.agent): (line.skill.value, line.teamwork.value) for line in found.standings}
    return Offsets(figures, [called(agent) for agent in found.reference])


def printed_challenge() -> Offsets:
    """Table 8, of which the paper draws its Figure 4."""
    return Offsets(CHALLENGE, [name for name in CHALLENGE if name.startswith("Agent")])


def _span(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def needed() -> str:
    """Figure 3: matches until everybody has played with and against everybody, in teams of five."""
    agents = range(FEWEST, MOST + 1, STEP)
    counts = [[len(teamwork.schedule(count, 5, seed)) for seed in range(SEEDS)] for count in agents]
    means = [float(np.mean(each)) for each in counts]
    line = Curve("Algorithm 1", means, [min(each) for each in counts], [max(each) for each in counts], "own")
    return curve([line], list(agents), ("agents", "matches"))


def save_figures(images: Path, wide: Offsets | None) -> None:
    """All figures; ours of Figure 2 only if that challenge was played."""
    charts = {"offset-paper": printed_wide().chart(), "needed": needed(), "offset-2015": printed_challenge().chart()}
    if wide is not None:
        charts["offset"] = wide.chart()
    images.mkdir(parents=True, exist_ok=True)
    for name, chart in charts.items():
        write_whole(images / f"dropin-{name}.svg", standalone(chart))
