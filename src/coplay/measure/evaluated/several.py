"""Several evaluations as one: agents side by side, and what a way to train comes to over its seeds.

Every agent is evaluated in a folder of its own below one folder. Agents of one training run (`run:DIR`), or of one
family of a pool, are seeds of one method. An interval of a method draws its seeds, the partners and the deals anew, so
it speaks of other seeds than these, too.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coplay.files import write_whole
from coplay.game import Game
from coplay.measure import MeasureError, stats
from coplay.measure.evaluated.compare import check_alike
from coplay.measure.evaluation import Evaluation, evaluate, read_evaluation
from coplay.measure.proximity import over_seeds
from coplay.measure.stats import Estimate
from coplay.measure.study.cast import Several, names_of
from coplay.measure.study.folder import place_for
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows, to_json
from coplay.measure.study.seatings import AGENT
from coplay.pool.pool import entries
from coplay.provenance import provenance
from coplay.specs import parse

FORMAT = "coplay evaluations 1"
NONE_SHARED = "the agents share no partner; name --partners that all of them meet."
METHOD = (
    "95 % percentile bootstrap, 1,000 resamples. Agents, partners and deals are drawn anew, each on their own; every "
    "team (partner and seating) counts the same. Only partners that every agent met count. With fewer than about ten "
    "seeds the intervals are too short."
)
RESAMPLES = 1000


@dataclasses.dataclass(frozen=True)
class MethodScores:
    """Agents that were made alike, from different seeds, among the partners that all met."""

    method: str
    agents: tuple[str, ...]
    mean: Estimate  # with partners
    self_play: Estimate
    zero: float  # share of the games with partners that end with nothing
    br_prox: Estimate | None  # None where no partner has a known best response
    partners: Mapping[str, Estimate]
    means: tuple[float, ...]  # of every agent, with partners


@dataclasses.dataclass(frozen=True, repr=False)
class Evaluations(Result):
    """Agents among the same partners on the same deals."""

    method: str
    methods: tuple[MethodScores, ...]  # in the order in which they were named
    partners: tuple[str, ...]  # those that every agent met
    left_out: tuple[str, ...]
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    evaluations: tuple[Evaluation, ...] = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        told = ", ".join(f"{one.method} {one.mean.short()}" for one in self.methods)
        return f"{self.evaluations[0].run.game}, {len(self.partners)} partners: {told}"

    def rows(self) -> Rows:
        """A row per method."""
        return [
            {
                "agent": one.method,
                "seeds": len(one.agents),
                "mean": one.mean.value,
                "low": one.mean.low,
                "high": one.mean.high,
                "alone": one.self_play.value,
                "zero": one.zero,
                "br_prox": None if one.br_prox is None else one.br_prox.value,
            }
            for one in self.methods
        ]


def evaluate_several(
    game: str | Game,
    agents: Several,
    partners: Several | None = None,
    games: int = 1000,
    seed: int = 0,
    *,
    out: str | Path | None = None,
    **settings: Any,
) -> Evaluations:
    """`coplay.evaluate` for every agent, each in a folder of its own in `out`, and what they come to together.

    `agents` is a list or a dict from names to agents; `run:DIR` stands for all agents of a training run. An agent that
    is among the partners does not meet itself. `settings` are those of `coplay.evaluate`.
    """
    named, root = dict(names_of(agents)), place_for(out)
    check_shared(named, partners)
    check_alone(settings)
    folders = begin_several(root, named)
    for name, agent in named.items():
        called = {} if name == agent else {"name": name}
        met = others(name, partners)
        evaluate(game, agent, met, games, seed, out=folders[name], **called, **settings)
    return read_several(root)


def others(name: str, partners: Several | None) -> dict[str, Any] | None:
    """The partners without the agent itself."""
    return None if partners is None else {other: one for other, one in names_of(partners) if other != name}


def check_shared(names: Iterable[str], partners: Several | None) -> None:
    """Before anything is played: an agent does not meet itself, and only partners that all meet count."""
    if partners is not None and not {name for name, _ in names_of(partners)} - set(names):
        raise MeasureError(NONE_SHARED)


def check_alone(settings: Mapping[str, Any]) -> None:
    """Agents that are compared play as many games each."""
    if settings.get("until") is not None:
        raise MeasureError("until: an evaluation that ends by itself is of one agent; several play --games each.")


def begin_several(root: str | Path, names: Iterable[str]) -> dict[str, Path]:
    """Where each agent is evaluated; a folder that was begun for others is refused."""
    root, names = Path(root), list(names)
    words = [re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[-80:] for name in names]
    folders = {
        name: word if words.count(word) == 1 else f"{i}-{word}"
        for i, (name, word) in enumerate(zip(names, words, strict=True))
    }
    file = root / "run.json"
    if file.is_file():
        there = json.loads(file.read_text(encoding="utf-8"))
        if there.get("format") != FORMAT or there["agents"] != folders:
            raise MeasureError(
                f"{root} holds something else than the evaluations of {', '.join(names)}; choose another --out."
            )
    elif root.exists() and any(root.iterdir()):
        raise MeasureError(f"{root} exists and is not a folder of these evaluations; choose another --out.")
    else:
        root.mkdir(parents=True, exist_ok=True)
        told = {"format": FORMAT, "agents": folders, "made": to_json(provenance())}
        write_whole(file, json.dumps(told, indent=1) + "\n")
    return {name: root / folder for name, folder in folders.items()}


def read_several(root: str | Path) -> Evaluations:
    """The result of a folder of several evaluations; all must be finished."""
    told = json.loads((Path(root) / "run.json").read_text(encoding="utf-8"))
    found = [read_evaluation(Path(root) / folder) for folder in told["agents"].values()]
    return sum_up_several(found, Path(root))


def sum_up_several(found: Sequence[Evaluation], root: Path) -> Evaluations:
    """What evaluations on the same deals come to, method by method."""
    for one in found[1:]:
        check_alike(found[0].folder, found[0].run, one.folder, one.run)
        if (one.run.games, one.run.seatings) != (found[0].run.games, found[0].run.seatings):
            raise MeasureError(f"{one.folder} and {found[0].folder} differ in --games or --seatings; play them alike.")
    met = dict.fromkeys(name for one in found for name in one.run.partners)
    shared = tuple(name for name in met if all(name in one.run.partners for one in found))
    if not shared:
        raise MeasureError(NONE_SHARED)
    methods: dict[str, list[Evaluation]] = {}
    for one in found:
        methods.setdefault(method_of(one.run.spec_of(one.run.agent), one.run.agent), []).append(one)
    return Evaluations(
        method=METHOD,
        methods=tuple(_scores(name, mine, shared) for name, mine in methods.items()),
        partners=shared,
        left_out=tuple(name for name in met if name not in shared),
        folder=root,
        evaluations=tuple(found),
    )


def method_of(spec: str, name: str = "") -> str:
    """What an agent is a seed of: its training run, or its family in a pool; else itself."""
    read = parse(spec)
    if name and name != spec:
        return name
    if read.prefix == "run" and re.fullmatch(r"agent-\d+\.safetensors", Path(read.place).name):
        return f"run:{Path(read.place).parent}"
    if read.prefix == "pool" and read.place in entries():
        return f"pool:{entries()[read.place].family}"
    return spec


def _scores(method: str, seeds: Sequence[Evaluation], partners: Sequence[str]) -> MethodScores:
    ways = [way for name, way in seeds[0].games if name == partners[0]]
    scores = np.array(
        [[[[row.score for row in one.games[name, way]] for way in ways] for name in partners] for one in seeds]
    )
    means = scores.mean(2)  # [seeds, partners, deals]: all seatings of a deal belong together
    own = np.array([[row.score for row in next(iter(one.games.values()))] for one in seeds])
    return MethodScores(
        method=method if len(seeds) > 1 else seeds[0].run.agent,
        agents=tuple(one.run.agent for one in seeds),
        mean=_estimate(means),
        self_play=_estimate(own),
        zero=float((scores == 0).mean()),
        br_prox=_br_prox(seeds, partners),
        partners={name: _estimate(means[:, number]) for number, name in enumerate(partners)},
        means=tuple(float(mean) for mean in means.mean((1, 2))),
    )


def _estimate(values: np.ndarray) -> Estimate:
    """Of values [a, b, …]: everything along an axis is drawn together, every axis on its own."""
    places = np.indices(values.shape).reshape(values.ndim, -1)
    return stats.bootstrap(values.ravel(), np.mean, clusters=tuple(places), resamples=RESAMPLES)


def _br_prox(seeds: Sequence[Evaluation], partners: Sequence[str]) -> Estimate | None:
    """Over seeds and the partners with a known best response, from games in which the agent sat alone."""
    if any(one.proximity is None for one in seeds):
        return None
    ceilings = {line.partner: line.ceiling for line in seeds[0].proximity.partners}  # pyright: ignore[reportOptionalMemberAccess]
    known = [name for name in partners if name in ceilings]
    if not known:
        return None
    returns = [
        [
            [
                row.score
                for (met, way), rows in one.games.items()
                if met == name and way.count(AGENT) == 1
                for row in rows
            ]
            for name in known
        ]
        for one in seeds
    ]
    return over_seeds(returns, [ceilings[name] for name in known]).iqm
