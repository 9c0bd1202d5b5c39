"""Who takes part in the paper's two challenges, and what it printed about them."""

from __future__ import annotations

from typing import NamedTuple

SLOW = 60  # per cent of their pace with the ball: nobody of the first challenge outruns others who have it not
GAME = f"football?dribble={SLOW}"


class Cast(NamedTuple):
    """One challenge: a normal player and one with poor teamwork (PT) at some speeds."""

    name: str
    says: str
    normal: tuple[int, ...]  # per cent of the full speed
    poor: tuple[int, ...]
    reference: tuple[int, ...] = ()  # normal players that are known to have equal teamwork
    printed: dict[str, tuple[float, float, float]] = {}  # skillAGD, dropinAGD, teamworkAGD  # noqa: RUF012

    @property
    def agents(self) -> list[str]:
        return [*(normal(speed) for speed in self.normal), *(poor(speed) for speed in self.poor)]


def normal(speed: int) -> str:
    """Our player for the paper's Agent100, Agent90, …"""
    return "supporter" if speed == 100 else f"supporter?speed={speed}"


def poor(speed: int) -> str:
    return "intruder" if speed == 100 else f"intruder?speed={speed}"


def called(agent: str) -> str:
    """What the paper calls a player."""
    name, _, speed = agent.partition("?speed=")
    return f"{'PT' if name == 'intruder' else ''}Agent{speed or 100}"


SPEEDS = (100, 90, 80, 70, 60)
GOALS = {  # Table 1: goal differences of teams of copies
    (100, 90): 0.24, (100, 80): 0.78, (100, 70): 1.36, (100, 60): 1.73, (90, 80): 0.45,
    (90, 70): 0.94, (90, 60): 1.32, (80, 70): 0.52, (80, 60): 0.71, (70, 60): 0.16,
}  # fmt: skip
NEAR = Cast(
    "near",
    "Five speeds from 100 to 60 %, a normal player and one with poor teamwork of each",
    SPEEDS,
    SPEEDS,
    printed={
        "Agent100": (0.183, 0.204, 0.021), "Agent90": (0.110, 0.123, 0.013), "Agent80": (0.000, 0.087, 0.087),
        "Agent70": (-0.118, 0.017, 0.135), "Agent60": (-0.174, -0.055, 0.119), "PTAgent100": (0.183, 0.109, -0.074),
        "PTAgent90": (0.110, -0.018, -0.128), "PTAgent80": (0.000, -0.101, -0.101),
        "PTAgent70": (-0.118, -0.169, -0.051), "PTAgent60": (-0.174, -0.196, -0.022),
    },
)  # fmt: skip
WIDE = Cast(
    "wide",
    "Speeds from 100 to 40 %, three players with poor teamwork among them",
    (100, 85, 70, 55, 40, 90, 50),
    (90, 70, 50),
    (100, 85, 70, 55, 40),
    printed={
        "Agent100": (0.412, 0.416, 0.004), "Agent90": (0.296, 0.259, -0.037), "Agent85": (0.245, 0.176, -0.069),
        "Agent70": (0.028, -0.005, -0.033), "Agent55": (-0.142, -0.081, 0.061), "Agent50": (-0.226, -0.129, 0.097),
        "Agent40": (-0.710, -0.270, 0.440), "PTAgent90": (0.296, 0.043, -0.253), "PTAgent70": (0.028, -0.179, -0.207),
        "PTAgent50": (-0.226, -0.230, -0.004),
    },
)  # fmt: skip
CASTS = (NEAR, WIDE)
# Table 8: skillAGD and teamworkAGD in the challenge of 2015, with five of the paper's own agents of equal teamwork.
CHALLENGE = {
    "UTAustinVilla": (0.932, 0.246), "FCPortugal": (0.384, -0.122), "magmaOffenburg": (0.038, -0.085),
    "Agent100": (1.095, -0.064), "Agent80": (0.772, -0.195), "Agent65": (0.355, -0.264), "Agent50": (-0.278, 0.149),
    "Agent30": (-1.456, 1.019), "BahiaRT": (0.328, -0.357), "RoboCanes": (0.178, -0.377), "FUT-K": (0.520, -0.491),
    "Apollo3D": (-0.533, 0.027), "HfutEngine3D": (-1.124, 0.654), "CIT3D": (-0.574, -0.015),
    "Nexus3D": (-0.676, -0.087),
}  # fmt: skip
HALF = 63  # of 126 matches: what Tables 6 and 7 predict the others from


class Variant(NamedTuple):
    """The first challenge once more, with one thing changed."""

    name: str
    title: str
    dribble: int
    keeps: bool  # do PT players keep the ball from unknown mates?

    def played(self, agent: str) -> str:
        """Who plays under this name."""
        poor_one = agent.startswith("intruder") and not self.keeps
        return f"{agent}{'&' if '?' in agent else '?'}keeps=false" if poor_one else agent


VARIANTS = (
    Variant("usual", "With dribblers at 90 % of their pace", 90, True),
    Variant("kicks-on", "With PT players that kick the ball on", SLOW, False),
)
