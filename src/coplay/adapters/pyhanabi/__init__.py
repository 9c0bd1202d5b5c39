"""`pyhanabi` of the Hanabi Learning Environment over our game: the same calls, on our rules.

    from coplay.adapters import pyhanabi

Class and method names, and what they return, are the reference's. There is no C++ library to load, so what leads to it
(`ffi`, `lib`, `c_game`, `c_move`) is not here, and a mistake that would abort the process is a ValueError.
"""

from __future__ import annotations

from typing import Any

from coplay.adapters.pyhanabi.cards import (
    COLOR_CHAR,
    HanabiCard,
    HanabiCardKnowledge,
    color_char_to_idx,
    color_idx_to_char,
)
from coplay.adapters.pyhanabi.encoder import ObservationEncoder, ObservationEncoderType
from coplay.adapters.pyhanabi.game import AgentObservationType, HanabiGame
from coplay.adapters.pyhanabi.history import HanabiHistoryItem
from coplay.adapters.pyhanabi.moves import CHANCE_PLAYER_ID, HanabiMove, HanabiMoveType
from coplay.adapters.pyhanabi.observation import HanabiObservation
from coplay.adapters.pyhanabi.state import HanabiEndOfGameType, HanabiState

__all__ = [
    "CHANCE_PLAYER_ID",
    "COLOR_CHAR",
    "AgentObservationType",
    "HanabiCard",
    "HanabiCardKnowledge",
    "HanabiEndOfGameType",
    "HanabiGame",
    "HanabiHistoryItem",
    "HanabiMove",
    "HanabiMoveType",
    "HanabiObservation",
    "HanabiState",
    "ObservationEncoder",
    "ObservationEncoderType",
    "cdef_loaded",
    "color_char_to_idx",
    "color_idx_to_char",
    "lib_loaded",
    "try_cdef",
    "try_load",
]


def try_cdef(header: str = "", prefixes: Any = ()) -> bool:
    """True: there is no header to read, and the arguments are accepted for code that names one."""
    return True


def try_load(library: Any = None, prefixes: Any = ()) -> bool:
    """True: there is no library to load."""
    return True


def cdef_loaded() -> bool:
    return True


def lib_loaded() -> bool:
    return True
