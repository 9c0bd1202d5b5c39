"""coplay: how well does an agent play with partners it has never met?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from coplay.games.game import GameError
    from coplay.games.registry import make

# Public names and where they live; imported on first use, so that `coplay --help` does not load JAX.
_PUBLIC = {
    "make": "coplay.games.registry",
    "GameError": "coplay.games.game",
}
__all__ = ["GameError", "__version__", "make"]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'coplay' has no attribute {name!r}")
