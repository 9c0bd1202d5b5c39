"""Public names of a package that are imported on first use, so that `coplay --help` does not load JAX."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package; `places`: public name -> "module", or "module:its name there"."""

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, own = places[name].partition(":")
        return getattr(importlib.import_module(module), own or name)

    def names() -> list[str]:
        module = vars(sys.modules[package])
        return sorted({*module["__all__"], *places, *(name for name in module if name.startswith("__"))})

    return find, names
