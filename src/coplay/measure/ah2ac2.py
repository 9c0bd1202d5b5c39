"""The protocol of the Ad-Hoc Human-AI Coordination Challenge (AH2AC2), with proxies that are at hand.

A candidate plays with the proxies in every configuration: each seat is taken by the candidate or by any of the
proxies, and at least one by each side. Two players and two proxies make 4 configurations; three players 18, in 6 of
which the candidate holds two seats. Every configuration plays the same number of games, on deals of its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.measure import MeasureError, stats
from coplay.measure.partners import check_partners, one_per_family
from coplay.measure.plain import plain
from coplay.measure.run_folder import Folder
from coplay.measure.run_settings import run_settings
from coplay.measure.validate import whole
from coplay.play.play import play
from coplay.pool.pool import of_game

CANDIDATE, PROXIES = "A", "BCDEFGHIJKLMNOPQRSTUVWXYZ"
# Kinds of the pool that stand for a community of people, the likest first: what is meant for it; a clone that went on
# learning without forgetting its people, as the challenge's own proxies; a bare clone.
PROXY_KINDS = ("proxy", "hdr_ippo", "bc")
METHOD = (
    "Every configuration plays the same number of games, each on its own deal. Means and shares: 95 % percentile "
    "bootstrap over games; medians: the exact interval of the sign test. The figures speak of these proxies only."
)


class ProxyGame(NamedTuple):
    """A line of games.csv."""

    candidate: str
    seating: str  # a letter per seat: A the candidate, B, C, … the proxies in their order
    game: int  # of this configuration
    deal: int  # same seed and number, same deal
    score: float
    length: int
    forfeit: str


class ProxyFolder(Folder[ProxyGame]):
    """The folder of games with proxies."""

    format, what, command = "coplay ah2ac2 1", "run of the AH2AC2 protocol", "coplay ah2ac2 CANDIDATE"
    fields = ProxyGame._fields

    def read(self, cells: list[str]) -> ProxyGame:
        candidate, seating, game, deal, score, length, forfeit = cells
        return ProxyGame(candidate, seating, int(game), int(deal), float(score), int(length), forfeit)

    def team(self, row: ProxyGame) -> tuple[str]:
        return (row.seating,)

    def game(self, row: ProxyGame) -> int:
        return row.game


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
    )


def ah2ac2(
    game: Game,
    candidate: str,
    out: str | Path,
    proxies: Sequence[str] | None = None,
    games: int = 1000,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> ProxyFolder:
    """Plays at least `games` games, rounded up to the same number per configuration, unless `out` holds them."""
    whole("games", games, 1)
    whole("seed", seed, 0)
    names = tuple(default_proxies(game, candidate) if proxies is None else check_partners(candidate, proxies))
    made = {CANDIDATE: make_agent(candidate, game)}
    made |= {PROXIES[i]: make_agent(proxy, game) for i, proxy in enumerate(names)}
    ways = seatings(game.players, len(names))
    each = -(-games // len(ways))
    folder = ProxyFolder(out)
    folder.begin(run_settings(folder.format, game, candidate, names) | {"games": each, "seed": seed})
    with folder.alone():
        done = folder.complete(each)
        folder.keep(done.values())
        for number, way in enumerate(ways):
            if (way,) in done:
                continue
            begun = time.monotonic()
            deals = range(number * each, (number + 1) * each)
            team = [made[letter] for letter in way]
            # In lock-step a policy compiles once for all the teams and seats it plays in.
            played = play(game, team, seed=seed, deals=deals, engine="lockstep", progress=False)
            broken = {one.game: f"turn {one.turn}, seat {one.seat}: {one.reason}" for one in played.forfeits}
            folder.append(
                [
                    ProxyGame(candidate, way, i, deal, float(score), int(length), broken.get(i, "").partition("\n")[0])
                    for i, (deal, score, length) in enumerate(zip(deals, played.scores, played.lengths, strict=True))
                ]
            )
            seconds = time.monotonic() - begun
            say(f"[{number + 1}/{len(ways)}] {way}: mean {played.scores.mean():.2f} ({seconds:.1f} s)")
    return folder


def summarise_ah2ac2(folder: ProxyFolder) -> dict[str, Any]:
    """What summary.json holds: all games, by the company the candidate was in, by seating."""
    run = folder.settings()
    ways = seatings(run["players"], len(run["partners"]))
    done = folder.complete(run["games"])
    missing = [way for way in ways if (way,) not in done]
    if missing:
        raise MeasureError(
            f"{folder.path} is not finished: {len(missing)} of {len(ways)} configurations are missing. "
            "Repeat its coplay ah2ac2 command; it goes on where it stopped."
        )
    company: dict[str, list[str]] = {}
    for way in ways:
        company.setdefault("".join(sorted(way)), []).append(way)

    def of(ways: Sequence[str]) -> dict[str, Any]:
        return _describe([row for way in ways for row in done[(way,)]])

    letters = {CANDIDATE: run["agent"]} | dict(zip(PROXIES, run["partners"], strict=False))
    return {
        "run": run,
        "method": METHOD,
        "letters": letters,
        "configurations": len(ways),
        "overall": of(ways),
        "company": [{"members": members, "seatings": len(found), **of(found)} for members, found in company.items()],
        "seatings": [{"seating": way, **of([way])} for way in ways],
    }


def _describe(rows: Sequence[ProxyGame]) -> dict[str, Any]:
    scores = np.array([row.score for row in rows])
    return {
        "n": len(rows),
        "mean": plain(stats.bootstrap(scores, np.mean)),
        "median": plain(stats.median(scores)),
        "zero": plain(stats.bootstrap((scores == 0).astype(float), np.mean)),
        "sd": float(scores.std(ddof=1)) if len(scores) > 1 else None,
        "forfeits": sum(bool(row.forfeit) for row in rows),
    }
