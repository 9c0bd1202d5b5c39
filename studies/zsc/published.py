"""What ZSC-Eval's released runs come to: mean return and BR-Prox (IQM) with its own partners.

Read from its published files, best responses assigned to the partners they were trained with and ratios clipped at 1.
`RELEASED`: with trained and half-trained partners, of the population sizes the one with the highest mean return;
`HALF`: with the half-trained ones, of every size. Other partners and longer training than ours.
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

# Of every run: mean return, BR-Prox, population.
_HALF: dict[str, dict[str, tuple[tuple[float, float, int], ...]]] = {
    "coordination_ring": {
        "SP": ((66.9, 0.299, 0),),
        "E3T": ((141.3, 0.687, 0),),
        "FCP": ((156.3, 0.752, 12), (140.5, 0.671, 24), (152.3, 0.723, 36)),
        "MEP": ((165.2, 0.791, 12), (150.7, 0.714, 24), (156.3, 0.757, 36)),
        "TrajeDi": ((158.5, 0.761, 12), (150.0, 0.715, 24), (146.6, 0.701, 36)),
        "HSP": ((140.5, 0.683, 12), (127.9, 0.619, 24), (136.0, 0.679, 36)),
        "COLE": ((108.9, 0.498, 25), (114.3, 0.521, 50), (136.6, 0.646, 75)),
    },
    "counter_circuit": {
        "SP": ((24.1, 0.138, 0),),
        "E3T": ((85.4, 0.572, 0),),
        "FCP": ((83.5, 0.602, 12), (58.3, 0.408, 24), (90.9, 0.659, 36)),
        "MEP": ((100.9, 0.745, 12), (73.8, 0.533, 24), (94.2, 0.685, 36)),
        "TrajeDi": ((97.5, 0.732, 12), (65.8, 0.493, 24), (76.9, 0.552, 36)),
        "HSP": ((80.7, 0.6, 12), (76.2, 0.535, 24), (80.6, 0.59, 36)),
        "COLE": ((61.2, 0.426, 25), (79.8, 0.563, 50), (77.1, 0.549, 75)),
    },
    "blocked_corridor": {
        "SP": ((10.1, 0.101, 0),),
        "E3T": ((41.7, 0.624, 0),),
        "FCP": ((28.5, 0.429, 12), (16.7, 0.168, 24), (29.0, 0.44, 36)),
        "MEP": ((49.7, 0.808, 12), (23.7, 0.355, 24), (43.7, 0.738, 36)),
        "TrajeDi": ((52.4, 0.832, 12), (42.8, 0.723, 24), (45.9, 0.742, 36)),
        "HSP": ((28.9, 0.425, 12), (32.9, 0.479, 24), (23.0, 0.318, 36)),
        "COLE": ((16.7, 0.204, 25), (47.4, 0.728, 50), (30.6, 0.487, 75)),
    },
}
HALF: dict[str, dict[str, tuple[Printed, ...]]] = {
    layout: {method: tuple(Printed(*row) for row in rows) for method, rows in methods.items()}
    for layout, methods in _HALF.items()
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
