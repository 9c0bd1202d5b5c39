"""What is known to be possible with the partners of the shipped sets, and who got there.

Best responses are measured seat by seat, because in some kitchens a partner can do nothing in one of them. Where an
agent of the table passes one, the set says so, and the others are judged by what it scored.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from coplay.files import write_whole
from coplay.games import make
from coplay.nets.file import load_policy
from coplay.nets.policy import reader
from coplay.pool.sets import NOTE, Partner, PartnerSet, beyond, find_set, read_partner_set
from coplay.train.learner.partners import stacked
from coplay.train.pairs import play_pairs
from coplay.train.partner_set import figure
from studies.zsc.judge import Line

GAMES = 250  # in each seat
# A seat in which the best response gets less than this share of what is possible in the kitchen shows nothing.
WORTH = 0.2


def measured(folder: Path, games: int = GAMES) -> PartnerSet:
    """The set with the figures of its best responses in every seat, which are kept there."""
    found = read_partner_set(folder)
    if all(one.by_seat for one in found.partners):
        return found
    game = reader(make(found.game))
    answers, partners = (
        stacked([load_policy(str(folder / name), game, greedy=False, name="one") for name in names])
        for names in ([one.response for one in found.partners], [one.file for one in found.partners])
    )
    scores = play_pairs(game, answers, partners, games, seed=1).scores  # [partners, seats, episodes]
    kept = [
        dataclasses.replace(one, ceiling=figure(row), by_seat=tuple(map(figure, row)))
        for one, row in zip(found.partners, scores, strict=True)
    ]
    return _kept(folder, found, kept)


def marked(folder: Path, lines: Iterable[Line]) -> PartnerSet:
    """The set with the agents of the table that pass its best responses, which are kept there too."""
    found = read_partner_set(folder)
    agents: dict[str, list[list[Line]]] = {}
    key = lambda line: (line.partner, line.method, line.size, line.seed)  # noqa: E731
    for (partner, *_), rows in groupby(sorted(lines, key=key), key=key):
        agents.setdefault(partner, []).append(list(rows))
    return _kept(folder, found, [_with_best(one, agents.get(one.file, [])) for one in found.partners])


def _with_best(one: Partner, agents: Sequence[Sequence[Line]]) -> Partner:
    """Of the agents that pass its best response beyond the noise the one that scores most."""
    best = dataclasses.replace(one, best_known=None, known_by="", known_weights="")
    for rows in agents:
        error = math.sqrt(sum(row.noise**2 for row in rows)) / len(rows)
        mean = sum(row.mean for row in rows) / len(rows)
        met = (round(mean, 4), round(error, 4), sum(row.episodes for row in rows))
        if not beyond(met, one.ceiling) or (best.best_known and met[0] <= best.best_known[0]):
            continue
        who = f"{rows[0].method}{f' ({rows[0].size})' if rows[0].size else ''}, seed {rows[0].seed}"
        best = dataclasses.replace(best, best_known=met, known_by=who, known_weights=rows[0].weights)
    return best


def _kept(folder: Path, found: PartnerSet, partners: Sequence[Partner]) -> PartnerSet:
    after = dataclasses.replace(found, partners=tuple(partners))
    if after != found:
        write_whole(folder / NOTE, after.to_json())
    return after


Place = tuple[str, str, int]  # layout, partner, seat


def tops(lines: Sequence[Line]) -> dict[Place, float]:
    """What best responses score; NaN in seats where nobody shows anything."""
    found: dict[Place, float] = {(line.layout, line.partner, line.seat): line.ceiling for line in lines}
    highest: dict[str, float] = {}
    for (layout, *_), top in found.items():
        highest[layout] = max(top, highest.get(layout, 0))
    return {place: top if top >= WORTH * highest[place[0]] > 0 else math.nan for place, top in found.items()}


def passed(lines: Sequence[Line], known: Mapping[Place, float]) -> dict[Place, dict[str, float]]:
    """Where methods pass what best responses score, beyond the noise: the highest mean of an agent of each."""
    found: dict[Place, dict[str, float]] = {}
    for line in lines:
        place = (line.layout, line.partner, line.seat)
        if line.mean - 2 * line.noise > known[place]:  # never so where nobody shows anything
            here = found.setdefault(place, {})
            here[line.method] = max(line.mean, here.get(line.method, 0))
    return found


def judging(
    method: str, known: Mapping[Place, float], better: Mapping[Place, Mapping[str, float]]
) -> dict[Place, float]:
    """The ceilings of one method: the highest that is known and that it did not set itself."""
    return {
        place: max([top, *(mean for name, mean in better.get(place, {}).items() if name != method)])
        for place, top in known.items()
    }


def shipped(layout: str) -> Path:
    """The folder of a kitchen's set."""
    return find_set(f"zsc-{layout}")
