"""coplay: how well does an agent play with partners it has never met?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from coplay.agents.agent import Agent, AgentError
    from coplay.agents.spec import agent
    from coplay.games.game import GameError
    from coplay.games.registry import make
    from coplay.play.play import play

# Public names and where they live; imported on first use, so that `coplay --help` does not load JAX.
_PUBLIC = {
    "make": "coplay.games.registry",
    "GameError": "coplay.games.game",
    "agent": "coplay.agents.spec",
    "Agent": "coplay.agents.agent",
    "AgentError": "coplay.agents.agent",
    "play": "coplay.play.play",
}
__all__ = ["Agent", "AgentError", "GameError", "__version__", "agent", "make", "play"]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'coplay' has no attribute {name!r}")
