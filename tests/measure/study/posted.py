"""A place to play that is this process, which everything travels to and back from as to another machine."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from coplay.rollouts.where import Task


class Posted:
    """Nothing gets there but what can be sent."""

    alone = False

    def __init__(self) -> None:
        self.done = 0  # tasks

    def share(self, tasks: Sequence[Task], aside: Task | None = None) -> Iterator[Any]:
        for task in [*tasks, *([] if aside is None else [aside])]:
            found = pickle.dumps(pickle.loads(pickle.dumps(task))())
            self.done += 1
            if task is not aside:
                yield pickle.loads(found)
