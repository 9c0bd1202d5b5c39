"""Trains the learners of a job: every population, several seeds of each, in one program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from coplay.files import write_whole
from coplay.train import train
from studies.robustness.plan import LEARNER, WHOLE, Job, Scale, populations

RECIPE = "file:studies/robustness/side_by_side.py"


def settings_of(job: Job, scale: Scale, given: Mapping[str, Any]) -> dict[str, Any]:
    """Of one run; what is given goes before everything else."""
    casts = [",".join(one.partners(job.place)) for one in populations(scale)]
    settings = {**LEARNER, "total_turns": scale.turns, "shaping": scale.turns / 2, **scale.learn, **given}
    if job.starts == "diverse":
        settings["starts"] = str(job.place.games)
    return {**settings, "populations": ";".join(casts)}


def learn(job: Job, scale: Scale, given: Mapping[str, Any] | None = None) -> None:
    """Goes on where it was stopped; a run that is whole is left as it is."""
    if job.is_whole:
        return
    names = [one.name for one in populations(scale)]
    settings = settings_of(job, scale, given or {})
    learners = len(names) * scale.seeds
    run = train(RECIPE, job.place.game, job.folder, seeds=learners, resume=True, **settings)
    numbers = {name: list(range(first * scale.seeds, (first + 1) * scale.seeds)) for first, name in enumerate(names)}
    turns = run.metrics[-1]["turns"]
    write_whole(job.folder / WHOLE, json.dumps({"learners": numbers, "turns": turns}))
