"""How agents are made: one learner, many recipes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coplay.train.run import Run, train

__all__ = ["Run", "train"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from coplay.train import run

        return getattr(run, name)
    raise AttributeError(f"module 'coplay.train' has no attribute {name!r}")
