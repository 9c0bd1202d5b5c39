"""Subsets with a large determinant: greedy choice, exchange, and exact samples of a determinantal point process.

Kulesza and Taskar, "Determinantal Point Processes for Machine Learning" (2012), sections 5.2.2 (k-DPP sampling)
and 4.2.1 (the greedy mode). A kernel is a symmetric positive matrix [n, n]; a subset's weight is its minor.
"""

from __future__ import annotations

import numpy as np


def log_volumes(kernel: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """log det of the kernel's minors: subsets int [s, k] -> float [s]; flat ones are minus infinity."""
    parts = np.array_split(subsets, max(1, subsets.size * subsets.shape[1] // 4_000_000))
    minors = (np.linalg.slogdet(kernel[part[:, :, None], part[:, None, :]]) for part in parts)
    return np.concatenate([np.where(sign > 0, size, -np.inf) for sign, size in minors])


def greedy(kernel: np.ndarray, k: int) -> np.ndarray:
    """int [k]: each time the member that adds most volume to those already chosen."""
    left = np.diag(kernel).astype(np.float64)  # squared distance of each member to the span of the chosen
    spanned = np.zeros((0, len(kernel)))
    chosen: list[int] = []
    for _ in range(k):
        best = int(np.argmax(np.where(np.isin(np.arange(len(kernel)), chosen), -np.inf, left)))
        row = (kernel[best] - spanned[:, best] @ spanned) / np.sqrt(max(left[best], np.finfo(float).tiny))
        spanned = np.vstack([spanned, row])
        left = left - row**2
        chosen.append(best)
    return np.array(chosen)


def improved(kernel: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """int [k]: the subset after the best exchange of one member, again and again, until none adds volume."""
    chosen = chosen.copy()
    volume = log_volumes(kernel, chosen[None])[0]
    while np.isfinite(volume):
        outside = np.setdiff1d(np.arange(len(kernel)), chosen)
        if not len(outside):
            break
        inverse = np.linalg.inv(kernel[np.ix_(chosen, chosen)])
        reach = inverse @ kernel[np.ix_(chosen, outside)]  # [k, outside]
        gap = np.diag(kernel)[outside] - (kernel[np.ix_(chosen, outside)] * reach).sum(0)
        gain = np.diag(inverse)[:, None] * gap + reach**2  # by how much each exchange multiplies the determinant
        place, other = np.unravel_index(int(np.argmax(gain)), gain.shape)
        swapped = chosen.copy()
        swapped[place] = outside[other]
        after = log_volumes(kernel, swapped[None])[0]
        if not after > volume + 1e-9:
            break
        chosen, volume = swapped, after
    return chosen


def sample(kernel: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """int [k]: a subset drawn with probability proportional to its minor."""
    values, vectors = np.linalg.eigh(kernel)
    basis = vectors[:, _eigenvectors(np.maximum(values, 0) / values[-1], k, rng)]  # [n, k]
    chosen = []
    for size in range(k, 0, -1):
        weights = np.maximum((basis**2).sum(1), 0)
        weights[chosen] = 0
        member = int(rng.choice(len(kernel), p=weights / weights.sum()))
        chosen.append(member)
        # The remaining basis is orthogonal to the member just drawn.
        pivot = int(np.argmax(np.abs(basis[member])))
        basis = basis - np.outer(basis[:, pivot], basis[member] / basis[member, pivot])
        basis = np.linalg.qr(np.delete(basis, pivot, 1))[0] if size > 1 else basis
    return np.array(chosen)


def _eigenvectors(values: np.ndarray, k: int, rng: np.random.Generator) -> list[int]:
    """Which k eigenvectors span the sample: one after the other, by elementary symmetric polynomials."""
    count = len(values)
    sums = np.zeros((k + 1, count + 1))  # sums[j, m]: of all products of j among the first m values
    sums[0] = 1
    for m in range(1, count + 1):
        sums[1:, m] = sums[1:, m - 1] + values[m - 1] * sums[:-1, m - 1]
    chosen: list[int] = []
    for m in range(count, 0, -1):
        needed = k - len(chosen)
        if needed == 0:
            break
        forced = m == needed  # all that are left are needed
        total = sums[needed, m]
        if forced or (total > 0 and rng.random() < values[m - 1] * sums[needed - 1, m - 1] / total):
            chosen.append(m - 1)
    return chosen
