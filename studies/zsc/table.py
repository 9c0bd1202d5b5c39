"""What the seeds of every method came to: the lines of scores.csv, gathered by kitchen, method and population size."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from coplay.measure import MeasureWarning
from coplay.measure.proximity import OverSeeds, over_seeds
from coplay.measure.stats import Estimate, bootstrap, iqm
from studies.zsc.ceilings import Place, judging, passed, tops
from studies.zsc.judge import Line
from studies.zsc.plan import LEARNER, METHODS

LEVELS = ("final", "half")


class Company(NamedTuple):
    """With some of the partners."""

    returns: tuple[float, ...]  # of each seed
    shares: OverSeeds
    ratios: np.ndarray  # float [seeds, places]: returns in shares of the ceilings, at most 1
    partners: np.ndarray  # int [places]: whose seat it is

    @property
    def mean(self) -> float:
        return float(np.mean(self.returns))

    @property
    def error(self) -> float:
        return float(np.std(self.returns, ddof=1) / len(self.returns) ** 0.5) if len(self.returns) > 1 else math.nan


class Found(NamedTuple):
    """What the seeds of one method came to in one layout."""

    layout: str
    method: str
    size: int
    turns: int
    shaping: float
    everybody: Company
    by_level: dict[str, Company]  # with trained and with half-trained partners

    @property
    def is_old(self) -> bool:
        """Did its agents learn with a shaped reward of another length than the study is set for?"""
        return self.shaping != LEARNER["shaping"]

    @property
    def label(self) -> str:
        size = f" ({self.size})" if self.size else ""
        return self.method + size + ("†" if self.is_old else "")

    @property
    def step(self) -> int:
        """Which of its method's sizes this is: 0 for the smallest, and for methods without a population."""
        return next(method.sizes for method in METHODS if method.name == self.method).index(self.size)


def found_in(lines: Sequence[Line]) -> list[Found]:
    """One for every layout, method and size."""
    order = {method.name: number for number, method in enumerate(METHODS)}
    known = tops(lines)
    better = passed(lines, known)
    by_method = {method: judging(method, known, better) for method in {line.method for line in lines}}
    ordered = sorted(lines, key=lambda one: (one.layout, order[one.method], one.size))
    groups = groupby(ordered, key=lambda one: (one.layout, one.method, one.size))
    return [_found(list(rows), by_method[method]) for (_, method, _), rows in groups]


def _found(lines: Sequence[Line], ceilings: Mapping[Place, float]) -> Found:
    one = lines[0]
    by_level = {level: _company([line for line in lines if line.level == level], ceilings) for level in LEVELS}
    about = (one.layout, one.method, one.size, one.turns, one.shaping)
    return Found(*about, _company(lines, ceilings), by_level)


def _company(lines: Sequence[Line], ceilings: Mapping[Place, float]) -> Company:
    seeds, partners, seats = (sorted({getattr(line, name) for line in lines}) for name in ("seed", "partner", "seat"))
    returns = np.full((len(seeds), len(partners), len(seats)), np.nan)
    best = np.full(returns.shape[1:], np.nan)
    for line in lines:
        place = partners.index(line.partner), seats.index(line.seat)
        returns[seeds.index(line.seed), *place] = line.mean
        best[place] = ceilings[line.layout, line.partner, line.seat]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MeasureWarning)  # passed ceilings are told in a line of the page
        shares = over_seeds(returns, best)
    shown = ~np.isnan(best)
    ratios = np.minimum(returns[:, shown] / best[shown], 1)
    return Company(tuple(returns.mean((1, 2)).tolist()), shares, ratios, np.nonzero(shown)[0])


def best_sizes(here: Iterable[Found]) -> list[Found]:
    """Of every method the population size that does best."""
    best: dict[str, Found] = {}
    for one in here:
        if one.method not in best or one.everybody.shares.iqm.value > best[one.method].everybody.shares.iqm.value:
            best[one.method] = one
    return list(best.values())


def over_layouts(companies: Sequence[Company]) -> Estimate:
    """BR-Prox over several kitchens; the interval draws seeds and partners of each."""
    ratios = np.concatenate([one.ratios.ravel() for one in companies])
    seeds, partners = [], []
    for number, one in enumerate(companies):
        count, places = one.ratios.shape
        seeds += [(number, seed) for seed in range(count) for _ in range(places)]
        partners += [(number, int(partner)) for _ in range(count) for partner in one.partners]
    return bootstrap(ratios, iqm, clusters=([str(one) for one in seeds], [str(one) for one in partners]))
