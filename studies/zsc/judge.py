"""What the agents of a run score with the partners of their layout: a line per agent, partner and seat.

A line says what its agent learned with and which file it was, so agents that were trained anew are played anew, and
those of older settings can be told from the others.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.files import csv_text, digest_of, write_whole
from coplay.game import Game
from coplay.nets.file import load_policy, read_safetensors
from coplay.nets.policy import reader
from coplay.pool.sets import Partner, PartnerSet, find_set, read_partner_set, sets_of
from coplay.train.learner.partners import stacked
from coplay.train.pairs import play_pairs
from coplay.train.partner_set import figure
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
    ceiling: float  # what the partner's best response, or its own copy, scores in this seat
    self_play: float  # of the partner
    shaping: float = math.nan  # turns over which the agent's shaped reward was annealed; NaN: nobody wrote it down
    weights: str = ""  # the first digits of the hash of the agent's file
    error: float = math.nan  # of the mean

    @property
    def noise(self) -> float:
        """The error; where an older line does not say it, a wide guess: episodes that spread as far as their mean."""
        return self.mean / math.sqrt(self.episodes) if math.isnan(self.error) else self.error


def judge(root: Path, job: Job, scale: Scale) -> list[Line]:
    """Plays what is missing; ceilings are what the set says now."""
    file = job.folder(root) / "scores.csv"
    wanted = {digest_of(agent)[:8] for agent in _agents(root, job)}
    if not file.exists() or {line.weights for line in read_lines(file)} != wanted:
        write_lines(file, _played(root, job, scale))
    return with_ceilings(read_lines(file), partners_of(root, job.layout, job.game)[1])


def with_ceilings(lines: Iterable[Line], found: PartnerSet) -> list[Line]:
    """The lines with what this set says of its partners."""
    known = {one.file: one for one in found.partners}
    return [
        line._replace(
            ceiling=top_of(known[line.partner], line.seat), self_play=round(known[line.partner].self_play[0], 3)
        )
        for line in lines
    ]


def top_of(one: Partner, seat: int) -> float:
    """What is scored with a partner by its best response in this seat, or by its own copy."""
    best = one.by_seat[seat] if one.by_seat else one.ceiling
    return round(max(best[0], one.self_play[0]), 3)


def partners_of(root: Path, layout: str, game: Game) -> tuple[Path, PartnerSet]:
    """The set that was made here, or the one of the pool."""
    made = partners_folder(root, layout)
    folder = made if (made / "set.json").is_file() else find_set(sets_of(game)[0])
    return folder, read_partner_set(folder)


def _agents(root: Path, job: Job) -> list[Path]:
    return [job.folder(root) / f"agent-{seed}.safetensors" for seed in range(job.seeds)]


def _played(root: Path, job: Job, scale: Scale) -> list[Line]:
    game = reader(job.game)
    folder, found = partners_of(root, job.layout, job.game)
    files = _agents(root, job)
    agents, partners = (
        [load_policy(str(place), game, greedy=False, name="one") for place in places]
        for places in (files, [folder / one.file for one in found.partners])
    )
    scores = _scores(game, agents, partners, scale.episodes)
    return [
        _line(job, seed, file, one, seat, scores[seed, number, seat])
        for seed, file in enumerate(files)
        for number, one in enumerate(found.partners)
        for seat in range(game.players)
    ]


def _line(job: Job, seed: int, file: Path, one: Partner, seat: int, scores: np.ndarray) -> Line:
    made = json.loads(read_safetensors(file)[1]["made"])
    mean, error, episodes = figure(scores)
    about = (job.layout, job.method.name, job.size, seed, round(made["turns"]), one.file, one.level, seat)
    tops = (top_of(one, seat), round(one.self_play[0], 3))
    return Line(*about, mean, episodes, *tops, made["settings"]["shaping"], digest_of(file)[:8], error)


def _scores(game: Game, agents: Sequence[Any], partners: Sequence[Any], episodes: int) -> np.ndarray:
    """float [agents, partners, seats, episodes]; every agent meets all partners in one program."""
    company = stacked(partners)
    found = []
    for one in agents:
        arrays, fixed = eqx.partition(one, eqx.is_array)
        copies = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(partners), *leaf.shape)), arrays)
        found.append(play_pairs(game, eqx.combine(copies, fixed), company, episodes, SEED).scores)
    return np.stack(found)


def write_lines(file: Path, lines: Iterable[Line]) -> None:
    write_whole(file, csv_text([list(Line._fields), *(list(line) for line in lines)]))


def add_lines(file: Path, lines: Sequence[Line]) -> None:
    """Lines of other runs that stand there already stay."""
    runs = {line[:3] for line in lines}
    before = read_lines(file) if file.is_file() else []
    write_lines(file, [*(line for line in before if line[:3] not in runs), *lines])


def read_lines(file: Path) -> list[Line]:
    """As they were written; what older files do not say is unknown."""
    kinds = get_type_hints(Line)
    with file.open(encoding="utf-8", newline="") as rows:
        return [
            Line(**{name: kinds[name](value or ("nan" if kinds[name] is float else "")) for name, value in row.items()})
            for row in csv.DictReader(rows)
        ]
