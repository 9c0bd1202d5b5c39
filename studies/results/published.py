"""Numbers that papers print, for the tables that stand beside ours."""

from __future__ import annotations

from typing import NamedTuple


class Baseline(NamedTuple):
    """A line of the AH2AC2 leaderboard: with its hidden proxies, and on its closed test games."""

    name: str
    mean: float
    median: float
    cross_entropy: float  # per seat and turn


# (how an agent of our pool was made, players) -> what the AH2AC2 paper prints for that method (its Table 4); FCP is in
# the ICML version only.
AH2AC2: dict[tuple[str, int], Baseline] = {
    ("obl", 2): Baseline("OBL (L4)", 21.04, 22, 1.33),
    ("br_bc", 2): Baseline("BR-BC", 19.41, 20, 10.82),
    ("fcp", 2): Baseline("FCP", 14.01, 16, 3.52),
    ("other_play", 2): Baseline("OP", 13.91, 19, 7.81),
    ("hdr_ippo", 2): Baseline("HDR-IPPO", 12.76, 15, 0.96),
    ("ippo", 2): Baseline("IPPO", 10.16, 14, 12.60),
    ("bc", 2): Baseline("BC", 2.12, 0, 0.86),
    ("hdr_ippo", 3): Baseline("HDR-IPPO", 14.03, 16, 0.80),
    ("other_play", 3): Baseline("OP", 12.87, 18, 6.40),
    ("br_bc", 3): Baseline("BR-BC", 11.89, 12, 29.89),
    ("fcp", 3): Baseline("FCP", 11.55, 6, 5.97),
    ("ippo", 3): Baseline("IPPO", 6.34, 0, 8.60),
    ("bc", 3): Baseline("BC", 3.31, 0, 0.70),
}
PROXIES = {2: Baseline("human proxies", 22.76, 23, 0.54), 3: Baseline("human proxies", 20.86, 21, 0.62)}

# Knott et al. 2021, unit tests in kitchens: state, agent, memory.
KNOTT = {"theory-of-mind": (0.86, 0.95, 0.75), "theory-of-mind?params=fitted": (0.81, 0.74, 0.53)}
KNOTT_CLONE = (0.21, 0.45, 0.29)
