"""Best-response proximity: how near an agent comes to the best a partner can be played with.

From "Quantifying Zero-Shot Coordination Capability with Behavior Preferring Partners" (ZSC-Eval), equation 2: the
agent's return with each partner, divided by the return of that partner's (approximate) best response, aggregated by
the inter-quartile mean.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from coplay.measure import MeasureError, MeasureWarning
from coplay.measure.stats import Estimate, bootstrap, iqm
from coplay.measure.study.validate import numbers


class PartnerRow(NamedTuple):
    """How near the agent came to one partner's ceiling."""

    partner: str
    mean_return: float
    ceiling: float
    proximity: Estimate  # over the partner's games; bounds are NaN where only their mean is known
    beaten: bool  # the agent did better than the best response, beyond the noise of its games, so that was none


class Profile(NamedTuple):
    """The whole picture of BR-Prox."""

    overall: Estimate
    quartiles: tuple[float, float]  # the inter-quartile range over partners
    moderate: Estimate | None  # partners whose self-play is at most the median
    expert: Estimate | None  # partners above it
    rows: list[PartnerRow]


class OverSeeds(NamedTuple):
    """BR-Prox of a way to train: of agents that were trained from different seeds, with the same partners."""

    iqm: Estimate
    mean: Estimate
    each: tuple[float, ...]  # the inter-quartile mean of every seed


def br_prox(returns: Any, ceilings: Any, clip: bool = True, seed: int = 0, *, confidence: float = 0.95) -> Estimate:
    """The inter-quartile mean of returns / ceilings with a bootstrap interval over partners.

    ceilings: [partners, ...], the mean return of each partner's best response (per seat, if you like).
    returns: of the same shape, or with one more axis at the end, the games, which are averaged first.
    clip: a ratio above 1 counts as 1. The paper's definition does not clip, its published scripts do.
    A ceiling of zero counts as reached, as in those scripts; such partners say nothing and are better left out.
    """
    ratios, means = _ratios(returns, ceilings, clip)
    pairs = zip(means.ravel().tolist(), np.ravel(ceilings).tolist(), strict=True)
    _warn([(f"number {i}", mean, top, _is_beaten(mean, top)) for i, (mean, top) in enumerate(pairs)])
    return _over_partners(ratios, seed, confidence)


def over_seeds(returns: Any, ceilings: Any, clip: bool = True, seed: int = 0, *, confidence: float = 0.95) -> OverSeeds:
    """BR-Prox of agents from several seeds; the intervals draw seeds and partners, each on their own.

    returns: [seeds, ...], for every seed as `br_prox` takes them; ceilings: [partners, ...], NaN where nobody can show
    anything: such places, as a seat in which a partner can do nothing, are left out.
    """
    by_seed, best = numbers("returns", returns), np.asarray(ceilings, float)
    if by_seed.ndim < 2:
        raise MeasureError(f"returns have shape {by_seed.shape}; they must be [seeds, partners, ...].")
    shown = ~np.isnan(best)
    if not shown.any():
        raise MeasureError("no ceiling is known; give at least one.")
    ratios = np.stack([_ratios(one, np.where(shown, best, 1), clip)[0][shown] for one in by_seed])
    # Of every ratio the seed and the partner.
    drawn = np.stack([np.indices(ratios.shape)[0], np.broadcast_to(np.nonzero(shown)[0], ratios.shape)]).reshape(2, -1)

    def over(statistic: Any) -> Estimate:
        return bootstrap(ratios.ravel(), statistic, clusters=tuple(drawn), seed=seed, confidence=confidence)

    return OverSeeds(over(iqm), over(np.mean), tuple(float(iqm(one)) for one in ratios))


def _over_partners(ratios: np.ndarray, seed: int, confidence: float = 0.95) -> Estimate:
    partner = np.repeat(np.arange(len(ratios)), ratios[0].size)
    return bootstrap(ratios.ravel(), iqm, clusters=partner, seed=seed, confidence=confidence)


def per_partner(
    returns: Any, ceilings: Any, names: Sequence[str] | None = None, clip: bool = True, seed: int = 0
) -> list[PartnerRow]:
    """A row per partner. returns: [partners] or [partners, games]; ceilings: [partners]."""
    best = numbers("ceilings", ceilings, 1)
    ratios, means = _ratios(returns, best, clip)
    games = numbers("returns", returns)
    names = [f"partner {i}" for i in range(len(best))] if names is None else list(names)
    if len(names) != len(best):
        raise MeasureError(f"there are {len(best)} partners and {len(names)} names; give each partner one name.")
    rows = []
    for i, name in enumerate(names):
        spread, beaten = Estimate(float(ratios[i]), math.nan, math.nan, 1), _is_beaten(means[i], best[i])
        if games.ndim == 2 and best[i] > 0:
            made = bootstrap(games[i] / best[i], np.mean, seed=seed)
            top = 1.0 if clip else math.inf
            spread = Estimate(float(ratios[i]), min(made.low, top), min(made.high, top), made.n)
            beaten = beaten and not made.low <= 1  # the bound is NaN for a single game
        rows.append(PartnerRow(name, float(means[i]), float(best[i]), spread, beaten))
    return rows


def profile(
    returns: Any,
    ceilings: Any,
    self_play: Any = None,
    names: Sequence[str] | None = None,
    clip: bool = True,
    seed: int = 0,
) -> Profile:
    """BR-Prox overall, its inter-quartile range, per partner, and for moderate and expert partners.

    returns: [partners] or [partners, games]; ceilings: [partners]; self_play: [partners], which makes the split.
    """
    rows = per_partner(returns, ceilings, names, clip, seed)
    ratios = np.array([row.proximity.value for row in rows])
    low, high = np.quantile(ratios, [0.25, 0.75])
    moderate = expert = None
    if self_play is not None:
        skill = numbers("self_play", self_play, 1)
        if len(skill) != len(rows):
            raise MeasureError(f"self_play has {len(skill)} values for {len(rows)} partners; give one per partner.")
        weak = skill <= np.median(skill)
        moderate, expert = (
            bootstrap(ratios[group], iqm, seed=seed) if group.any() else None for group in (weak, ~weak)
        )
    _warn([(row.partner, row.mean_return, row.ceiling, row.beaten) for row in rows])
    overall = _over_partners(_ratios(returns, ceilings, clip)[0], seed)
    return Profile(overall, (float(low), float(high)), moderate, expert, rows)


def _ratios(returns: Any, ceilings: Any, clip: bool) -> tuple[np.ndarray, np.ndarray]:
    """Ratios and mean returns, both in the shape of the ceilings."""
    best, means = numbers("ceilings", ceilings), numbers("returns", returns)
    if best.ndim == 0:
        raise MeasureError(f"ceilings must hold one value per partner; got the single number {best}. Write [{best}].")
    if means.ndim == best.ndim + 1 and means.shape[:-1] == best.shape:
        means = means.mean(-1)
    if means.shape != best.shape:
        raise MeasureError(
            f"returns have shape {means.shape} and ceilings {best.shape}; returns must have the ceilings' shape, "
            "[partners], or one more axis at the end for the games, [partners, games]."
        )
    if (best < 0).any():
        raise MeasureError(
            f"ceilings holds {best.min():g}; a share of a negative ceiling means nothing. Shift returns and ceilings "
            "so that the worst possible game is 0."
        )
    if ((best == 0) & (means < 0)).any():
        raise MeasureError(
            f"a return of {means[best == 0].min():g} has no share of a ceiling of 0. Leave partners out whose best "
            "response earns nothing."
        )
    ratios = np.divide(means, best, out=np.ones_like(means), where=best > 0)
    return np.minimum(ratios, 1) if clip else ratios, means


def _is_beaten(mean: float, ceiling: float) -> bool:
    return bool(mean > ceiling * (1 + 1e-9) + 1e-12)


def _warn(rows: Sequence[tuple[str, float, float, bool]]) -> None:
    """rows: partner, mean return, ceiling, is it beaten?"""
    beaten = [row for row in rows if row[3]]
    if beaten:
        name, mean, ceiling, _ = max(beaten, key=lambda row: row[1] - row[2])
        warnings.warn(
            f"{len(beaten)} of {len(rows)} ceilings are beaten, most of all {name}: {mean:g} against {ceiling:g}. "
            "A best response that can be beaten is no ceiling; train it longer or take the better agent's return.",
            MeasureWarning,
            stacklevel=3,
        )
    empty = sum(ceiling == 0 for _, _, ceiling, _ in rows)
    if empty:
        warnings.warn(
            f"{empty} of {len(rows)} ceilings are 0 and count as reached. With such a partner nobody earns anything; "
            "leave it out.",
            MeasureWarning,
            stacklevel=3,
        )
