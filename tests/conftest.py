"""Paths that tests share. Files under ../shared are optional: what needs them skips and says so."""

from __future__ import annotations

import os
from pathlib import Path

# Compiled functions are kept between runs: most of a test's time is compilation.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parents[1] / ".jax_cache"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")

import pytest

GOLDEN = Path(__file__).parent / "golden"
SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def golden() -> Path:
    """Recorded vectors that travel with the repository."""
    return GOLDEN


@pytest.fixture(scope="session")
def shared() -> Path:
    """Larger recordings that lie beside a developer's checkout."""
    if not SHARED.is_dir():
        pytest.skip("needs the recordings beside the repository (../shared)")
    return SHARED
