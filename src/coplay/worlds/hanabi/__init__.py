"""Hanabi, bit for bit as the Hanabi Learning Environment plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy
from coplay.registry import World

if TYPE_CHECKING:
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import SMALL, VERY_SMALL, Hanabi
    from coplay.worlds.hanabi.view import View

_HERE = "coplay.worlds.hanabi"
WORLD = World(
    name="hanabi",
    games={
        "hanabi": f"{_HERE}.settings:Hanabi",
        "hanabi-small": f"{_HERE}.settings:HANABI_SMALL",
        "hanabi-very-small": f"{_HERE}.settings:HANABI_VERY_SMALL",
    },
    agents={
        "smartbot": f"{_HERE}.bots.smartbot:SmartBot",
        "holmesbot": f"{_HERE}.bots.holmesbot:HolmesBot",
        "valuebot": f"{_HERE}.bots.valuebot:ValueBot",
        "simplebot": f"{_HERE}.bots.simplebot:SimpleBot",
        "hatbot": f"{_HERE}.bots.hatbot:HatBot",
        "information": f"{_HERE}.bots.information.bot:InformationBot",
        "hgroup": f"{_HERE}.bots.hgroup.agent:HGroup",
        "fireflower": f"{_HERE}.bots.fireflower.agent:FireFlower",
        "internal": f"{_HERE}.bots.walton_rivers.internal:internal",
        "outer": f"{_HERE}.bots.walton_rivers.outer:outer",
        "iggi": f"{_HERE}.bots.walton_rivers.iggi:iggi",
        "piers": f"{_HERE}.bots.walton_rivers.piers:piers",
        "flawed": f"{_HERE}.bots.walton_rivers.flawed:flawed",
        "van-den-bergh": f"{_HERE}.bots.walton_rivers.van_den_bergh:van_den_bergh",
    },
    loaders={
        "obl": f"{_HERE}.published.obl:load_obl",
        "sad": f"{_HERE}.published.sad:load_sad",
        "jaxmarl": f"{_HERE}.published.jaxmarl:load_jaxmarl",
    },
    formats={
        "ah2ac2": f"{_HERE}.recordings.formats:AH2AC2",
        "hanablive": f"{_HERE}.recordings.formats:HANABLIVE",
    },
    datasets={"ah2ac2": f"{_HERE}.recordings.fetch:fetch"},
    recorded={
        "community": f"{_HERE}.recordings.challenge:community",
        "hgroup": f"{_HERE}.recordings.challenge:hgroup",
        "fireflower": f"{_HERE}.recordings.challenge:fireflower",
    },
    guides={"rules": f"{_HERE}.people.guides:RULES", "h-group": f"{_HERE}.people.guides:H_GROUP"},
    demo=f"{_HERE}.people.demo:run",
)
__all__ = ["SMALL", "VERY_SMALL", "WORLD", "Hanabi", "State", "View"]

_PLACES = {
    "Hanabi": f"{_HERE}.settings",
    "SMALL": f"{_HERE}.settings",
    "VERY_SMALL": f"{_HERE}.settings",
    "State": f"{_HERE}.rules",
    "View": f"{_HERE}.view",
}
__getattr__, __dir__ = lazy(__name__, _PLACES)
