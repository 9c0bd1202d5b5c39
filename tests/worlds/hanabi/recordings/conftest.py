"""Twenty games that travel with the tests, and the larger sets that lie beside a developer's checkout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from coplay.worlds.hanabi.recordings import Games, load_games

# coplay selfplay smartbot --players 3 --games 20 --seed 7 --save FILE, then coplay data convert FILE smartbot_3p…
SMARTBOT = Path(__file__).parent / "golden" / "smartbot_3p.safetensors"


@pytest.fixture(scope="session")
def smartbot() -> Path:
    return SMARTBOT


@pytest.fixture(scope="session")
def games() -> Games:
    return load_games(SMARTBOT)


@pytest.fixture
def altered(tmp_path: Path) -> Callable[..., Path]:
    """The file of the twenty games after `change(tensors)`, which alters the tensors in place."""

    def write(change: Callable[[dict[str, np.ndarray]], object]) -> Path:
        tensors = load_file(SMARTBOT)
        change(tensors)
        path = tmp_path / "altered.safetensors"
        save_file({name: np.array(value, order="C") for name, value in tensors.items()}, path)
        return path

    return write


@pytest.fixture(scope="session")
def recorded(shared: Path) -> Callable[[str], Path]:
    """A file of `../shared/data`; without it the test is skipped."""

    def find(name: str) -> Path:
        path = shared / "data" / name
        if not path.is_file():
            pytest.skip(f"needs the recorded games {name} (../shared/data)")
        return path

    return find
