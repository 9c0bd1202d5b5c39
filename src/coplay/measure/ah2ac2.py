"""The protocol of the Ad-Hoc Human-AI Coordination Challenge (AH2AC2), with proxies that are at hand.

A candidate plays with the proxies in every configuration: each seat is taken by the candidate or by any of the
proxies, and at least one by each side. Two players and two proxies make 4 configurations; three players 18, in 6 of
which the candidate holds two seats. Every configuration plays the same number of games, on deals of its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.game import Game
from coplay.games import make
from coplay.measure import MeasureError, stats
from coplay.measure.stats import Estimate
from coplay.measure.study.cast import Named, Several, cast, names_of
from coplay.measure.study.endings import Ending
from coplay.measure.study.folder import Folder, Key, place_for
from coplay.measure.study.partners import check_partners, one_per_family
from coplay.measure.study.playing import Venue, playing
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import MOVE_SECONDS, GameRun
from coplay.measure.study.runner import Job, Say, carry_on, finished, quiet
from coplay.measure.study.validate import whole
from coplay.pool.pool import of_game
from coplay.pool.sources import missing
from coplay.rollouts.where import On

CANDIDATE, PROXIES = "A", "BCDEFGHIJKLMNOPQRSTUVWXYZ"
# Kinds of the pool that stand for a community of people, the likest first: what is meant for it; a clone that went on
# learning without forgetting its people, as the challenge's own proxies; a bare clone.
PROXY_KINDS = ("proxy", "hdr_ippo", "bc")
METHOD = (
    "Every configuration plays the same number of games, each on its own deal. Means and shares: 95 % percentile "
    "bootstrap over games; medians: the exact interval of the sign test. The figures speak of these proxies only."
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ProxyRun(GameRun):
    """What was asked."""

    agent: str
    partners: tuple[str, ...]  # the proxies
    games: int  # of every configuration

    @property
    def letters(self) -> dict[str, str]:
        """Who is behind a letter of a seating."""
        return {CANDIDATE: self.agent} | dict(zip(PROXIES, self.partners, strict=False))

    @property
    def jobs(self) -> list[Job]:
        """The plan: every configuration, each on deals of its own."""
        letters, each = self.letters, self.games
        return [
            Job(
                key=(way,),
                says=way,
                members=tuple(letters[letter] for letter in way),
                seed=self.seed,
                deals=range(number * each, (number + 1) * each),
            )
            for number, way in enumerate(seatings(self.players, len(self.partners)))
        ]


class ProxyGame(NamedTuple):
    """A line of games.csv."""

    candidate: str
    seating: str  # a letter per seat: A the candidate, B, C, … the proxies in their order
    game: int  # of this configuration
    deal: int  # same seed and number, same deal
    score: float
    length: int
    forfeit: str


class ProxyFolder(Folder[ProxyGame, ProxyRun]):
    """The folder of games with proxies."""

    format, what, command = "coplay ah2ac2 1", "run of the AH2AC2 protocol", "coplay ah2ac2 CANDIDATE"
    row, asked, key = ProxyGame, ProxyRun, ("seating",)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ProxyScores:
    """What some games came to."""

    n: int
    mean: Estimate
    median: Estimate
    zero: Estimate  # share of games that end with nothing
    sd: float  # of single games; NaN for one
    forfeits: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class MixedTeamScores(ProxyScores):
    """Of teams with the same members, whoever sits where."""

    members: str  # letters
    seatings: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class SeatedScores(ProxyScores):
    """Of one configuration."""

    seating: str


@dataclasses.dataclass(frozen=True, repr=False)
class ProxyPlay(Result):
    """A candidate with proxies of people, by the protocol of AH2AC2."""

    run: ProxyRun
    method: str
    letters: Mapping[str, str]
    configurations: int
    overall: ProxyScores
    teams: tuple[MixedTeamScores, ...]
    seatings: tuple[SeatedScores, ...]
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        one = self.overall
        where = f"{one.n:,} games in {self.configurations} configurations"
        return f"{self.run.agent} with proxies: {one.mean.short()} in {where}, {one.zero.value:.1%} at zero"

    def rows(self) -> Rows:
        """A row per mixed team, then everything."""
        lines = [*((one.members, one) for one in self.teams), ("all", self.overall)]
        return [
            {
                "team": name,
                "games": one.n,
                "mean": one.mean.value,
                "low": one.mean.low,
                "high": one.mean.high,
                "median": one.median.value,
                "zero": one.zero.value,
                "forfeits": one.forfeits,
            }
            for name, one in lines
        ]


def seatings(players: int, proxies: int) -> list[str]:
    """Every configuration, those with the fewest candidates first; candidates and proxies never play alone."""
    if not 1 <= proxies <= len(PROXIES):
        raise MeasureError(f"{proxies} proxies: give 1 to {len(PROXIES)}.")
    ways = ["".join(way) for way in product(CANDIDATE + PROXIES[:proxies], repeat=players)]
    mixed = [way for way in ways if 0 < way.count(CANDIDATE) < players]
    return sorted(mixed, key=lambda way: way.count(CANDIDATE))


def default_proxies(game: Game, candidate: str = "") -> list[str]:
    """The pool's partners that stand for communities of people, never the candidate itself.

    All that are meant for it; of other kinds one per family, if it plays well enough to be company.
    """
    meant, *others = PROXY_KINDS
    if found := [spec for spec in of_game(game, [meant]) if spec != candidate]:
        return found
    for kind in others:
        if found := one_per_family(game, of_game(game, [kind]), candidate):
            return found
    raise MeasureError(
        f"the pool has no proxies for {game.name} with {game.players} players; name some: --proxies a,b."
        f" {missing()}".rstrip()
    )


def ah2ac2(
    game: Any,
    candidate: Named,
    proxies: Several | None = None,
    games: int = 1000,
    seed: int = 0,
    *,
    out: str | Path | None = None,
    name: str | None = None,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    say: Say = quiet,
) -> ProxyPlay:
    """Plays at least `games` games, rounded up to the same number per configuration; `out` keeps them."""
    game = make(game)
    whole("games", games, 1)
    whole("seed", seed, 0)
    called = name or names_of([candidate])[0][0]
    others = default_proxies(game, candidate if isinstance(candidate, str) else "") if proxies is None else proxies
    names = tuple(other for other, _ in names_of(others))
    check_partners(called, names)
    everyone = cast(game, {called: candidate, **dict(names_of(others))})
    each = -(-games // len(seatings(game.players, len(names))))
    asked = {"agent": called, "partners": names, "games": each, "seed": seed}
    run = ProxyRun.of(game, everyone, format=ProxyFolder.format, move_seconds=move_seconds, **asked)
    folder = ProxyFolder(place_for(out))
    venue = Venue(game, everyone, partial(_row, called), move_seconds)
    done = carry_on(folder, run, run.jobs, playing(venue, on), say)
    return _sum_up(folder, folder.run(), done)


def read_ah2ac2(where: ProxyFolder | str | Path) -> ProxyPlay:
    """The result of a run folder."""
    folder = where if isinstance(where, ProxyFolder) else ProxyFolder(where)
    run = folder.run()
    return _sum_up(folder, run, finished(folder, run.jobs))


def _row(candidate: str, job: Job, ending: Ending) -> ProxyGame:
    (way,), deal = job.key, job.deals[ending.game]
    return ProxyGame(candidate, way, ending.game, deal, ending.score, ending.length, ending.forfeit)


def _sum_up(folder: ProxyFolder, run: ProxyRun, done: Mapping[Key, list[ProxyGame]]) -> ProxyPlay:
    """All games, by who sat together, by seating."""
    ways = [way for (way,) in done]
    teams: dict[str, list[str]] = {}
    for way in ways:
        teams.setdefault("".join(sorted(way)), []).append(way)

    def of(ways: Sequence[str]) -> ProxyScores:
        return _describe([row for way in ways for row in done[way,]])

    return ProxyPlay(
        run=run,
        method=METHOD,
        letters=run.letters,
        configurations=len(ways),
        overall=of(ways),
        teams=tuple(
            MixedTeamScores(members=members, seatings=len(found), **vars(of(found))) for members, found in teams.items()
        ),
        seatings=tuple(SeatedScores(seating=way, **vars(of([way]))) for way in ways),
        folder=folder.path,
    )


def _describe(rows: Sequence[ProxyGame]) -> ProxyScores:
    scores = np.array([row.score for row in rows])
    return ProxyScores(
        n=len(rows),
        mean=stats.bootstrap(scores, np.mean),
        median=stats.median(scores),
        zero=stats.bootstrap((scores == 0).astype(float), np.mean),
        sd=float(scores.std(ddof=1)) if len(scores) > 1 else math.nan,
        forfeits=sum(bool(row.forfeit) for row in rows),
    )
