"""Self-play as files: a table with a row per agent, the scores behind it, and a histogram of each agent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coplay.files import csv_text, write_whole
from coplay.measure.selfplay import SelfPlay
from coplay.report.charts import histogram, score_bins, standalone


def write_selfplay(results: Sequence[SelfPlay], out: str | Path) -> list[Path]:
    """FILE.csv, FILE-scores.csv with the share of games at every score, a picture per agent; returns the paths."""
    out = Path(out)
    rows = [row for result in results for row in result.rows()]
    write_whole(out, csv_text([list(rows[0]), *([*row.values()] for row in rows)]))
    scores: list[list[Any]] = [["agent", "score", "games", "share"]]
    files = [out, out.with_name(f"{out.stem}-scores.csv")]
    for result in results:
        values, counts = np.unique(result.scores, return_counts=True)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            scores.append([result.agent, value, count, count / len(result.scores)])
        files.append(out.with_name(f"{out.stem}{_suffix(result.agent, len(results))}.svg"))
        write_whole(files[-1], standalone(selfplay_figure(result)))
    write_whole(files[1], csv_text(scores))
    return files


def selfplay_figure(result: SelfPlay) -> str:
    """How often each score was reached; zero stands by itself."""
    return histogram(score_bins(result.scores.tolist(), [], result.episodes.game.max_score))


def _suffix(agent: str, agents: int) -> str:
    return "" if agents == 1 else "-" + re.sub(r"[^A-Za-z0-9._-]+", "-", agent)
