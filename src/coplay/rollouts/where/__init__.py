"""Where work is done that can be shared: in processes of this machine (`local:8`), on a Ray cluster (`ray`), in jobs
of Slurm (`slurm`).

Work is a list of tasks that know of nothing but what they are sent. Where they are done changes no result: a task is a
function of what it is sent, and one whose worker is lost is done again elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

Task = Callable[[], Any]  # no lambda: it has to travel
RAY, SLURM = "ray", "slurm"


class WhereError(ValueError):
    """Work cannot be done where it was asked for; the message says why and what to do."""


class WorkerLost(ValueError):
    """A task has lost worker after worker."""


class Where(Protocol):
    """A place with workers."""

    @property
    def alone(self) -> bool:
        """Is it this process alone, which needs to send nothing?"""
        ...

    def share(self, tasks: Sequence[Task], aside: Task | None = None) -> Iterator[Any]:
        """What the tasks come to, as they end. `aside` is done meanwhile, on this machine whatever the place."""
        ...


On = Where | int | str


def where(on: On) -> Where:
    """The place that `on` names: a number of processes, `local:8`, `local` (all cores), `ray`, `ray://host:10001`,
    `ray?gpus=1`, `slurm`, `slurm?jobs=64&minutes=30&partition=short`."""
    from coplay.rollouts.where.cluster import cluster
    from coplay.rollouts.where.local import Local
    from coplay.rollouts.where.slurm import slurm

    if not isinstance(on, int | str):
        return on
    text = str(on).strip()
    if text.partition("?")[0] == RAY or text.startswith(f"{RAY}://"):
        return cluster(text)
    if text == SLURM or text.startswith(f"{SLURM}?"):
        return slurm(text)
    number = str(os.cpu_count() or 1) if text == "local" else text.removeprefix("local:")
    if isinstance(on, bool) or not number.isdecimal() or not int(number):
        raise WhereError(
            f"{on!r} is no place to play: give a number of processes (8 or local:8; local: one per core), ray, "
            "ray://HOST:PORT of a cluster, or slurm."
        )
    return Local(int(number))
