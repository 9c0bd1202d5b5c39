"""What the agents of a run score with the partners of their layout: a line per agent, partner and seat."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.files import csv_text, write_whole
from coplay.game import Game
from coplay.nets.file import load_policy
from coplay.nets.policy import reader
from coplay.pool.sets import PartnerSet, find_set, read_partner_set, sets_of
from coplay.train.learner.partners import stacked
from coplay.train.pairs import play_pairs
from studies.zsc.plan import Job, Scale, partners_folder

SEED = 7  # of the episodes; agents and partners never saw it


class Line(NamedTuple):
    """A line of scores.csv."""

    layout: str
    method: str
    size: int
    seed: int
    turns: int  # for which the agent learned
    partner: str
    level: str  # final or half
    seat: int  # of the agent
    mean: float
    episodes: int
    ceiling: float  # the most that is known to be possible with this partner
    self_play: float  # of the partner


def judge(root: Path, job: Job, scale: Scale) -> list[Line]:
    """Plays what is missing."""
    file = job.folder(root) / "scores.csv"
    if not file.exists():
        write_lines(file, _played(root, job, scale))
    return read_lines(file)


def partners_of(root: Path, layout: str, game: Game) -> tuple[Path, PartnerSet]:
    """The set that was made here, or the one of the pool."""
    made = partners_folder(root, layout)
    folder = made if (made / "set.json").is_file() else find_set(sets_of(game)[0])
    return folder, read_partner_set(folder)


def _played(root: Path, job: Job, scale: Scale) -> list[Line]:
    game = reader(job.game)
    folder, found = partners_of(root, job.layout, job.game)
    files = [job.folder(root) / f"agent-{seed}.safetensors" for seed in range(job.seeds)]
    agents, partners = (
        [load_policy(str(place), game, greedy=False, name="one") for place in places]
        for places in (files, [folder / one.file for one in found.partners])
    )
    scores = _means(game, agents, partners, scale.episodes)
    turns = round(job.method.turns(scale, job.size))
    return [
        Line(
            *(job.layout, job.method.name, job.size, seed, turns, one.file, one.level, seat),
            round(float(scores[seed, number, seat]), 3),
            scale.episodes,
            round(max(one.ceiling[0], one.self_play[0]), 3),
            round(one.self_play[0], 3),
        )
        for seed in range(job.seeds)
        for number, one in enumerate(found.partners)
        for seat in range(game.players)
    ]


def _means(game: Game, agents: Sequence[Any], partners: Sequence[Any], episodes: int) -> np.ndarray:
    """float [agents, partners, seats]; every agent meets all partners in one program."""
    company = stacked(partners)
    found = []
    for one in agents:
        arrays, fixed = eqx.partition(one, eqx.is_array)
        copies = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(partners), *leaf.shape)), arrays)
        found.append(play_pairs(game, eqx.combine(copies, fixed), company, episodes, SEED).scores.mean(2))
    return np.stack(found)


def write_lines(file: Path, lines: Iterable[Line]) -> None:
    write_whole(file, csv_text([list(Line._fields), *(list(line) for line in lines)]))


def read_lines(file: Path) -> list[Line]:
    """As they were written."""
    kinds = get_type_hints(Line)
    with file.open(encoding="utf-8", newline="") as rows:
        return [Line(**{name: kinds[name](value) for name, value in row.items()}) for row in csv.DictReader(rows)]
