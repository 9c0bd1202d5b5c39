"""Who sits where: the teams in which an agent (A) meets a partner (P).

| players | `each`: the agent alone among copies of one partner | `all`: every way to seat two different agents |
|---|---|---|
| 2 | AP PA | the same two |
| 3 | APP PAP PPA | these, and with two copies of the agent: AAP APA PAA |
| 4 | 4 seatings | 14: the agent in one, two or three seats |
| 5 | 5 seatings | 30: the agent in one to four seats |

Self-play (AA, AAA, …) is always measured beside them and never mixed with them.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from coplay.measure import MeasureError

AGENT, PARTNER = "A", "P"
KINDS = ("each", "all")


class Configuration(NamedTuple):
    """One team: `seating` has a letter per seat, A for the agent and P for the partner."""

    number: int  # of the partner: 0 is the agent itself
    partner: str  # spec; for self-play the agent's own
    seating: str

    @property
    def is_selfplay(self) -> bool:
        return self.number == 0

    @property
    def file(self) -> str:
        """Where the run folder keeps the games themselves."""
        return f"games/{self.number:02d}-{self.seating}.safetensors"


def seatings(players: int, kind: str = "each") -> list[str]:
    """The seatings of agent and partner, those with the fewest copies of the agent first."""
    if kind not in KINDS:
        raise MeasureError(f"unknown seatings {kind!r}; choose one of {', '.join(KINDS)}.")
    if players < 2:
        raise MeasureError(f"a game for {players} player has no seat for a partner; make it with 2 players or more.")
    ways = ["".join(way) for way in product(AGENT + PARTNER, repeat=players)]
    most = 1 if kind == "each" else players - 1
    return sorted((way for way in ways if 1 <= way.count(AGENT) <= most), key=lambda way: way.count(AGENT))


def configurations(agent: str, partners: tuple[str, ...], players: int, kind: str = "each") -> list[Configuration]:
    """Every team of an evaluation: self-play first, then partner by partner."""
    teams = [Configuration(0, agent, AGENT * players)]
    for number, partner in enumerate(partners, 1):
        teams += [Configuration(number, partner, way) for way in seatings(players, kind)]
    return teams
