"""How different are the members of a population? The volume their behaviour spans, and the subset that spans most.

From "Quantifying Zero-Shot Coordination Capability with Behavior Preferring Partners" (ZSC-Eval), section 4. The
kernel is the paper's: the plain dot product of behaviour features, K[i, j] = f_i . f_j, neither centred nor normed, so
det K is the squared volume of the box the features span. It is zero as soon as one member is a mixture of the others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from coplay.measure import MeasureError
from coplay.measure.dpp import greedy, improved, log_volumes, sample
from coplay.measure.study.validate import numbers, whole

EXHAUSTIVE = 50_000  # subsets that are all tried; about a second
STARTS = 12  # random starts beyond the greedy one where they cannot be


class CurveRow(NamedTuple):
    """The most diverse subset of one size."""

    size: int
    diversity: float
    members: tuple[int, ...]


class ComparisonRow(NamedTuple):
    """BR-Div of the subsets that two ways of choosing evaluation partners arrive at."""

    size: int
    by_partners: float  # partners chosen for their own diversity (P-Div)
    by_best_responses: float  # partners chosen for the diversity of their best responses (BR-Div)


def scaled(features: Any) -> np.ndarray:
    """Every column divided by its largest magnitude, so that no event counts more because it happens more often.

    ZSC-Eval's published scripts do this to event counts before the kernel.
    """
    rows = _features(features)
    top = np.abs(rows).max(0)
    return rows / np.where(top > 0, top, 1)


def population_diversity(features: Any) -> float:
    """det K of the members' features [members, features]: 0 for copies, mixtures, or more members than features."""
    rows = _features(features)
    if len(rows) > rows.shape[1]:
        return 0.0
    # From the singular values: det(F F^T) itself loses half of the digits and may come out negative.
    sizes = np.linalg.svd(rows, compute_uv=False)
    if sizes[-1] <= sizes[0] * max(rows.shape) * np.finfo(float).eps:
        return 0.0
    exponent = 2 * float(np.log(sizes).sum())
    return math.exp(exponent) if exponent < 709 else math.inf


def br_div(best_response_features: Any, partners: Iterable[int] | None = None) -> float:
    """BR-Div: the population diversity of the best responses to the partners, or to a subset of them."""
    rows = _features(best_response_features)
    return population_diversity(rows if partners is None else rows[_members(partners, len(rows))])


def select(features: Any, k: int, seed: int = 0) -> np.ndarray:
    """The k members with the largest diversity, as sorted indices int [k].

    All subsets are tried where there are at most 50,000. Otherwise a greedy choice and a dozen k-DPP samples
    are each improved by exchanging members until no exchange helps, and the best is kept. Beyond the number of
    independent features every diversity is 0; then the subset that comes nearest to spanning a volume is chosen.
    """
    rows = _features(features)
    count, k = len(rows), whole("k", k, 1)
    if k > count:
        raise MeasureError(f"k is {k}, but there are {count} members to choose from. Choose at most {count}.")
    kernel = rows @ rows.T
    # A floor far below any real difference orders subsets that are all flat: more dimensions first, then volume.
    kernel[np.diag_indices(count)] += 1e-12 * max(float(np.trace(kernel)) / count, np.finfo(float).tiny)
    if math.comb(count, k) <= EXHAUSTIVE:
        subsets = np.array(list(itertools.combinations(range(count), k)))
        return subsets[int(np.argmax(log_volumes(kernel, subsets)))]
    rng = np.random.default_rng(whole("seed", seed, 0))
    starts = [greedy(kernel, k)] + [sample(kernel, k, rng) for _ in range(STARTS)]
    finished = np.unique([np.sort(improved(kernel, start)) for start in starts], axis=0)
    return finished[int(np.argmax(log_volumes(kernel, finished)))]


def curve(features: Any, sizes: Iterable[int] | None = None, seed: int = 0) -> list[CurveRow]:
    """The largest diversity of every subset size: where it falls to 0, further members only repeat the others."""
    rows = _features(features)
    wanted = range(1, len(rows) + 1) if sizes is None else sizes
    chosen = [select(rows, size, seed) for size in wanted]
    return [
        CurveRow(len(subset), population_diversity(rows[subset]), tuple(int(i) for i in subset)) for subset in chosen
    ]


def compare(
    partner_features: Any, best_response_features: Any, sizes: Iterable[int] | None = None, seed: int = 0
) -> list[ComparisonRow]:
    """Figure 3: BR-Div of partners selected by their own features and by those of their best responses."""
    partners, responses = _features(partner_features), _features(best_response_features)
    if len(partners) != len(responses):
        raise MeasureError(
            f"there are {len(partners)} partners and {len(responses)} best responses; give one best response each."
        )
    wanted = range(1, len(partners) + 1) if sizes is None else list(sizes)
    return [
        ComparisonRow(
            size, br_div(responses, select(partners, size, seed)), br_div(responses, select(responses, size, seed))
        )
        for size in wanted
    ]


def _features(features: Any) -> np.ndarray:
    return numbers("features", features, 2)


def _members(members: Iterable[int], count: int) -> list[int]:
    indices = [whole("a member", member, 0) for member in members]
    if not indices or max(indices) >= count:
        raise MeasureError(f"members must be among 0 to {count - 1} and at least one; got {indices}.")
    return indices
