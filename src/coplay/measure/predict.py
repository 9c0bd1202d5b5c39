"""`coplay.predict`: how surely does an agent foresee the moves of recorded games?"""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Literal, NamedTuple

import jax
import numpy as np
from safetensors.numpy import load_file
from safetensors.numpy import save as pack
from scipy import optimize

from coplay.data.people import counting_seats
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.foresee import foresee_episodes
from coplay.measure.prediction import ActionPrediction, action_prediction
from coplay.measure.study.cast import Cast, Named, Several, cast, names_of
from coplay.measure.study.folder import Folder, place_for
from coplay.measure.study.playing import Part, place_of, share_parts
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import MOVE_SECONDS, GameRun
from coplay.measure.study.runner import DoneJob, Job, Say, carry_on, quiet
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import file_of, load
from coplay.rollouts.team import Player
from coplay.rollouts.where import On, Where

DOUBT = 0.05
Smoothing = float | Literal["fit"] | None


class Decisions(NamedTuple):
    """What an agent expected at the recorded decisions that count, [decisions]."""

    log_prob: np.ndarray  # float32: of the action that was taken
    hit: np.ndarray  # bool: the likeliest action was the one taken
    legal: np.ndarray  # int32: how many actions were legal
    game: np.ndarray  # int32: which game it belongs to


@dataclasses.dataclass(frozen=True, kw_only=True)
class PredictionRun(GameRun):
    """What was asked."""

    agents: tuple[str, ...]
    games: int
    contents: str  # a hash of the recorded games

    @property
    def jobs(self) -> list[Job]:
        """The plan: a job for every agent."""
        return [
            Job((name,), name, (name,), self.seed, range(self.games), f"foreseen/{number:03d}.safetensors")
            for number, name in enumerate(self.agents)
        ]


class ForeseenGame(NamedTuple):
    """A line of games.csv."""

    agent: str
    game: int
    decisions: int
    right: int
    nats: float  # what the agent was surprised by: -log p of the moves that were made


class PredictionFolder(Folder[ForeseenGame, PredictionRun]):
    """The folder of action prediction."""

    format, what, command = "coplay prediction 1", "action prediction", "coplay predict AGENT…"
    row, asked, key = ForeseenGame, PredictionRun, ("agent",)


@dataclasses.dataclass(frozen=True, repr=False)
class Prediction(Result):
    """How surely an agent foresaw recorded moves, and the share of uniform play that was mixed into its words."""

    result: ActionPrediction
    smoothing: float
    agent: str = "agent"

    @property
    def title(self) -> str:
        right = "" if self.result.accuracy is None else f", {self.result.accuracy.value:.1%} right"
        return f"{self.agent} foresees moves at {self.result.cross_entropy.short('.3f')} nats{right}"

    def rows(self) -> Rows:
        """One line of a table."""
        entropy, right = self.result.cross_entropy, self.result.accuracy
        return [
            {
                "agent": self.agent,
                "decisions": entropy.n,
                "cross_entropy": entropy.value,
                "low": entropy.low,
                "high": entropy.high,
                "uniform": self.result.uniform,
                "paper_cross_entropy": self.result.paper_cross_entropy.value,
                "paper_uniform": self.result.paper_uniform,
                "accuracy": None if right is None else right.value,
                "smoothing": self.smoothing,
                "impossible": self.result.impossible,
            }
        ]


@dataclasses.dataclass(frozen=True, repr=False)
class Predictions(Result):
    """Several agents on the same recorded games."""

    run: PredictionRun
    agents: tuple[Prediction, ...]
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        best = min(self.agents, key=lambda one: one.result.cross_entropy.value)
        return f"{len(self.agents)} agents foresee {self.run.games:,} games; the surest: {best.title}"

    def rows(self) -> Rows:
        """A row per agent."""
        return [row for one in self.agents for row in one.rows()]


def predict(
    games: Episodes,
    agent: Named,
    smoothing: Smoothing = None,
    seed: int = 0,
    *,
    move_seconds: float = MOVE_SECONDS,
) -> Prediction:
    """How surely the agent foresees the moves of recorded games; only people's where the file marks their seat.

    smoothing: the share of uniform play to mix in; "fit": the share with the least cross-entropy on these games; None:
    nothing for a network, `DOUBT` for players who never doubt and whose every miss would cost infinitely much.
    """
    name = names_of([agent])[0][0]
    player = cast(games.game, {name: agent}).players[name]
    return _judged(name, player, _decisions(games, player, seed, move_seconds), games.game.players, smoothing, seed)


def predict_all(
    games: Episodes,
    agents: Several,
    smoothing: Smoothing = None,
    seed: int = 0,
    *,
    out: str | Path | None = None,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    say: Say = quiet,
) -> Predictions:
    """The same for several agents, in a folder in which the same call goes on."""
    everyone = cast(games.game, agents)
    asked = {"agents": everyone.names, "games": len(games), "contents": contents_of(games), "seed": seed}
    run = PredictionRun.of(games.game, everyone, format=PredictionFolder.format, move_seconds=move_seconds, **asked)
    folder = PredictionFolder(place_for(out))
    carry_on(folder, run, run.jobs, _foreseeing(games, everyone, move_seconds, on), say)
    found = tuple(
        _judged(name, everyone.players[name], _read(folder / job.file), run.players, smoothing, seed)
        for name, job in zip(run.agents, run.jobs, strict=True)
    )
    return Predictions(folder.run(), found, folder.path)


def contents_of(games: Episodes) -> str:
    """A hash of recorded games."""
    found = hashlib.sha256()
    for leaf in (*jax.tree.leaves(games.starts), games.actions, games.lengths):
        found.update(np.ascontiguousarray(leaf).tobytes())
    return f"sha256:{found.hexdigest()}"


def _foreseeing(games: Episodes, everyone: Cast, move_seconds: float, on: On) -> Any:
    """A function that does jobs, for `carry_on`; elsewhere a worker has one agent."""
    place = place_of(on, everyone.has_objects)
    if place.alone:
        return partial(_foresee_jobs, games, move_seconds, games.game, everyone)
    return partial(_share, place, games, move_seconds, everyone)


def _share(place: Where, games: Episodes, move_seconds: float, everyone: Cast, jobs: list[Job]) -> Iterator[DoneJob]:
    parts = [Part(games.game, everyone.specs, [job]) for job in jobs]
    yield from share_parts(place, parts, partial(_foresee_jobs, file_of(games), move_seconds))


def _foresee_jobs(
    games: Episodes | bytes, move_seconds: float, game: Game, everyone: Cast, jobs: list[Job]
) -> Iterator[DoneJob]:
    recorded = _unpacked(games, game) if isinstance(games, bytes) else games
    for job in jobs:
        begun = time.monotonic()
        (name,) = job.key
        found = _decisions(recorded, everyone.players[name], job.seed, move_seconds)
        rows = [_row(name, one, found) for one in range(len(recorded))]
        says = f"{found.hit.mean():.3f} of {len(found.hit):,} right"
        yield DoneJob(job, rows, time.monotonic() - begun, says, games=pack(found._asdict()))


@lru_cache(maxsize=1)
def _unpacked(games: bytes, game: Game) -> Episodes:
    """On a worker, once for all its agents."""
    with NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(games)
        file.flush()
        return load(file.name, game)


def _row(name: str, game: int, found: Decisions) -> ForeseenGame:
    mine = found.game == game
    nats = -float(found.log_prob[mine].astype(np.float64).sum())
    return ForeseenGame(name, game, int(mine.sum()), int(found.hit[mine].sum()), nats)


def _read(file: Path) -> Decisions:
    arrays: Mapping[str, Any] = load_file(file)
    return Decisions(*(arrays[name] for name in Decisions._fields))


def _decisions(games: Episodes, player: Player, seed: int, move_seconds: float) -> Decisions:
    """Those that count."""
    found = foresee_episodes(games, player, seed, move_seconds)
    counts = found.decides
    counts = counts & counting_seats(games.extra, len(games), games.game.players)[:, None]
    if not counts.any():
        raise MeasureError("no recorded move counts: the file marks seats of people that nobody sits in.")
    game = np.nonzero(counts)[0].astype(np.int32)
    return Decisions(found.log_prob[counts], found.hit[counts], found.legal[counts], game)


def _judged(name: str, player: Player, found: Decisions, players: int, smoothing: Smoothing, seed: int) -> Prediction:
    logs = found.log_prob.astype(np.float64)
    if smoothing == "fit":
        smoothing = fitted_smoothing(logs, found.legal)
    elif smoothing is None:
        smoothing = 0.0 if hasattr(player, "think") else DOUBT
    result = action_prediction(logs, found.legal, players, found.hit, found.game, smoothing, seed)
    return Prediction(result, smoothing, name)


def fitted_smoothing(log_probs: np.ndarray, legal: np.ndarray) -> float:
    """The share of uniform play with the least cross-entropy: one number, fitted to the decisions it is judged by."""
    said = np.exp(log_probs)

    def cost(share: float) -> float:
        return -float(np.log((1 - share) * said + share / legal).mean())

    found: Any = optimize.minimize_scalar(cost, bounds=(1e-6, 1 - 1e-6), method="bounded")
    return float(found.x)
