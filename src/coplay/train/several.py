"""Many runs of one recipe, each for itself: several seeds, several settings, on one machine or on many.

`train(seeds=8)` learns eight side by side in one program, which is what one GPU is best at. Here every seed and every
setting is a run of its own, in a run folder of its own, and a job that any place can do (`coplay.rollouts.where`).
"""

from __future__ import annotations

import itertools
import pickle
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from coplay.game import Game
from coplay.games import can_be_made_again, make, spec_of
from coplay.rollouts.where import On, where
from coplay.rollouts.where.folders import FolderWork, write_folders
from coplay.train.run import Run, open_run, train, values_of
from coplay.train.settings import TrainError


class Planned(NamedTuple):
    """One of the runs."""

    name: str  # of its folder
    seed: int
    settings: Mapping[str, Any]  # what it does not share with the others


def planned(seeds: int, seed: int, vary: Mapping[str, Sequence[Any]]) -> list[Planned]:
    """Every combination of the settings, with every seed."""
    if seeds < 1:
        raise TrainError(f"seeds={seeds}: train at least one.")
    empty = [name for name, values in vary.items() if not values]
    if empty:
        raise TrainError(f"vary={empty[0]}: give at least one value.")
    found = []
    for values in itertools.product(*vary.values()):
        settings = dict(zip(vary, values, strict=True))
        words = [f"{name}-{value}" for name, value in settings.items()]
        for one in range(seed, seed + seeds):
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join([*words, f"seed-{one}"]))
            found.append(Planned(name, one, settings))
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TrainError(f"two runs would be kept in {twice}; give every value once.")
    return found


def train_each(
    recipe: str,
    game: Game | str,
    out: str | Path,
    *,
    on: On = 1,
    seeds: int = 1,
    seed: int = 0,
    vary: Mapping[str, Sequence[Any]] | None = None,
    resume: bool = False,
    log_to: str = "",
    say: Callable[[str], None] = lambda line: None,
    **settings: Any,
) -> list[Run]:
    """Trains a run for every seed and every combination of the settings in `vary`, each in a folder of its own in
    `out`; `on` says where (`ray?gpus=1`: each on a GPU of a cluster)."""
    made, home, place = make(game), Path(out), where(on)
    runs = planned(seeds, seed, vary or {})
    for one in runs:
        values_of(recipe, made, {**settings, **one.settings})  # mistakes show before anything is begun
        if (home / one.name / "run.json").exists() and not resume:
            raise TrainError(f"{home / one.name} already holds a run; go on with --resume, or choose another folder.")
    # The class of a game from somebody's file is not known elsewhere, but its spec makes it again.
    sent = pickle.dumps(spec_of(made) if can_be_made_again(made) else made)
    quiet = False if len(runs) > 1 or not place.alone else None
    works = [
        (one.name, partial(_train, recipe, sent, one.seed, {**settings, **one.settings}, log_to, quiet)) for one in runs
    ]
    done = _here(home, works) if place.alone else write_folders(place, home, works)
    for number, (name, told) in enumerate(done, 1):
        say(f"[{number}/{len(runs)}] {home / name}: {told}")
    return [open_run(home / one.name, made) for one in runs]


def _here(home: Path, works: Sequence[tuple[str, FolderWork]]) -> Iterator[tuple[str, Any]]:
    return ((name, work(home / name)) for name, work in works)


def _train(
    recipe: str, game: bytes, seed: int, settings: dict[str, Any], log_to: str, progress: bool | None, folder: Path
) -> str:
    """On a worker. It goes on where a worker that was lost stopped, if it sees the same folder."""
    begun = time.monotonic()
    run = train(
        recipe, make(pickle.loads(game)), folder, seed=seed, resume=True, progress=progress, log_to=log_to, **settings
    )
    last = run.metrics[-1] if run.metrics else {}
    shown = ", ".join(f"{name} {last[name]}" for name in ("turns", "score", "held_out_loss") if name in last)
    return f"{shown or 'done'} ({time.monotonic() - begun:.0f} s)"
