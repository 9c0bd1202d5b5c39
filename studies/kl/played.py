"""What the learners of all weights come to: with each other, with the clone, on recorded games, while learning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coplay.data.formats import read
from coplay.game import Game
from coplay.measure.crossplay import CrossPlay, crossplay
from coplay.measure.predict import Prediction, predict_all
from coplay.measure.study.runner import tell
from coplay.train.settings import TrainError
from coplay.worlds.hanabi.recordings import to_episodes
from coplay.worlds.hanabi.recordings.challenge import COMMUNITIES, challenge_games

CLONE = "clone.safetensors"


class LogLine(NamedTuple):
    """A moment of learning; one figure per learner."""

    turns: float
    score: Sequence[float]
    kl: Sequence[float]  # from the clone, before its weight


class Played(NamedTuple):
    """Everything the page is made from; the first agent is the clone."""

    weights: tuple[float, ...]
    pairs: CrossPlay
    foreseen: tuple[Prediction, ...]
    log: tuple[LogLine, ...]
    max_score: float
    command: str


def played(game: Game, runs: Path, data: str, games: int, jobs: int) -> Played:
    """Plays what is missing."""
    about = json.loads((runs / "run.json").read_text(encoding="utf-8"))
    weights = tuple(float(part) for part in about["settings"]["kl"].split(","))
    files = {"clone": runs / CLONE, **{f"{kl:g}": runs / f"agent-{i}.safetensors" for i, kl in enumerate(weights)}}
    missing = [str(file) for file in files.values() if not file.is_file()]
    if missing:
        raise TrainError(f"{missing[0]} is missing; train first: coplay study kl train --runs {runs}.")
    agents = {name: f"run:{file}" for name, file in files.items()}
    pairs = crossplay(game, agents, games, out=runs / "pairs", on=jobs, say=tell)
    held_out = to_episodes(challenge_games(data, game.players, "val")) if data in COMMUNITIES else read(data)
    foreseen = predict_all(held_out, agents, out=runs / "foreseen", say=tell).agents
    log = tuple(_log_line(line) for line in (runs / "metrics.jsonl").read_text().splitlines())
    top = float("nan") if game.max_score is None else game.max_score
    return Played(weights, pairs, foreseen, log, top, about["command"])


def _log_line(text: str) -> LogLine:
    line = json.loads(text)
    return LogLine(np.max(line["turns"]).item(), line["score"], line["kl"])
