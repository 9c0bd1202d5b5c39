"""Where a result comes from: when it was made, by which program, on what machine, and what was typed."""

from __future__ import annotations

import dataclasses
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import jax

import coplay


@dataclasses.dataclass(frozen=True)
class Made:
    """What run.json says under `made`; a run that goes on keeps what its beginning wrote."""

    date: str
    command: str
    coplay: str
    commit: str | None  # of the checkout that the package runs from; None where it is installed
    python: str
    jax: str
    device: str


def provenance() -> Made:
    """Of what is made now and here."""
    device = jax.devices()[0]
    return Made(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        command=shlex.join([_program(Path(sys.argv[0])), *sys.argv[1:]]),
        coplay=coplay.__version__,
        commit=_commit(Path(coplay.__file__).parent),
        python=".".join(map(str, sys.version_info[:3])),
        jax=jax.__version__,
        device=device.device_kind,
    )


def _program(begun: Path) -> str:
    """What people type to begin it: `python -m coplay` runs `coplay/__main__.py`."""
    return begun.parent.name if begun.name == "__main__.py" else begun.name or "python"


def _commit(package: Path) -> str | None:
    try:
        words = ["git", "-C", str(package), "rev-parse", "--show-toplevel", "HEAD"]
        found = subprocess.run(words, capture_output=True, text=True, timeout=5, check=True).stdout.split("\n")
    except (OSError, subprocess.SubprocessError):
        return None
    return found[1] if Path(found[0]) / "src" / "coplay" == package else None
