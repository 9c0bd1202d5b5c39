"""What ZSC-Eval's released runs come to: mean return and BR-Prox (IQM) with its own partners.

Read from its published files, best responses assigned to the partners they were trained with and ratios clipped at 1;
of the population sizes the one with the highest mean return. Other partners and longer training than ours.
"""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    mean: float
    iqm: float
    size: int = 0


METHODS = ("SP", "FCP", "MEP", "TrajeDi", "HSP", "COLE", "E3T")
_ROWS = {
    "forced_coordination": ((72, 0.85, 0), (78, 0.86, 36), (80, 0.85, 12), (74, 0.84, 24), (87, 0.86, 12),
                            (75, 0.82, 25), (73, 0.83, 0)),
    "bothway_coordination": ((119, 0.68, 0), (124, 0.74, 24), (117, 0.67, 24), (107, 0.62, 12), (136, 0.79, 24),
                             (125, 0.72, 75), (126, 0.77, 0)),
    "coordination_ring": ((62, 0.27, 0), (159, 0.72, 12), (169, 0.75, 12), (159, 0.71, 12), (148, 0.66, 12),
                          (134, 0.61, 75), (128, 0.60, 0)),
    "counter_circuit": ((21, 0.09, 0), (89, 0.59, 36), (100, 0.67, 12), (97, 0.66, 12), (87, 0.55, 36),
                        (75, 0.48, 50), (77, 0.51, 0)),
    "blocked_corridor": ((12, 0.07, 0), (32, 0.43, 36), (54, 0.76, 12), (55, 0.76, 12), (43, 0.56, 24),
                         (49, 0.68, 50), (44, 0.58, 0)),
    "asymmetric_advantages": ((181, 0.42, 0), (304, 0.95, 36), (305, 0.95, 36), (299, 0.94, 36), (290, 0.89, 36),
                              (253, 0.80, 50), (275, 0.87, 0)),
}  # fmt: skip
RELEASED: dict[tuple[str, str], Printed] = {
    (layout, method): Printed(*row) for layout, rows in _ROWS.items() for method, row in zip(METHODS, rows, strict=True)
}

# The paper's Table 4: in how many per cent of the cases a method was first, second, …, sixth.
RANKS: dict[str, tuple[float, ...]] = {
    "SP": (0.0, 5.56, 11.11, 5.56, 5.56, 72.22),
    "FCP": (5.56, 16.67, 44.44, 5.56, 22.22, 5.56),
    "MEP": (38.89, 22.22, 22.22, 5.56, 11.11, 0.0),
    "TrajeDi": (11.11, 16.67, 16.67, 33.33, 5.56, 16.67),
    "COLE": (0.0, 11.11, 0.0, 27.78, 55.56, 5.56),
    "HSP": (44.44, 27.78, 5.56, 22.22, 0.0, 0.0),
}
