"""A cross-play matrix as a coloured table, a CSV file and a picture."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coplay.files import csv_text, write_whole
from coplay.measure.crossplay import CrossPlay
from coplay.measure.team_play import TeamPlay, TeamScores
from coplay.report.html import shortened


def print_matrix(result: CrossPlay) -> None:
    """The mean scores on the terminal, self-play in bold on the diagonal."""
    games = result.scores.shape[-1]
    _print(f"Mean score of {games} games. Row: seat 0. Column: all other seats.", result.names, result.mean)


def print_teams(result: TeamPlay, most: int = 10) -> None:
    """Who does well with whom, then the best and the worst teams."""
    games = result.teams[0].scores.shape[-1]
    title = f"Mean score of all teams with both in them, {games} games per seating. Diagonal: copies alone."
    _print(title, result.names, result.together)
    ranked = sorted(result.teams, key=lambda team: -team.mean)
    shown = ranked if len(ranked) <= 2 * most else [*ranked[:most], None, *ranked[-most:]]
    wide = max(len(result.name_of(team)) for team in result.teams)
    print(f"\n{'team':<{wide}} {'mean':>7} {'s.e.':>6} {'median':>7} {'zero':>7} {'seatings':>9}")
    for team in shown:
        if team is None:
            print(f"… {len(ranked) - 2 * most} more")
            continue
        print(
            f"{result.name_of(team):<{wide}} {team.mean:>7.2f} {team.standard_error:>6.3f} {team.median:>7g}"
            f" {team.zero:>7.1%} {len(team.seatings):>9}"
        )


def _print(title: str, names: Sequence[str], values: np.ndarray) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    low, high = min(float(np.nanmin(values)), 0.0), float(np.nanmax(values))
    span = max(high - low, 1e-9)
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    for i, name in enumerate(names):
        cells = [
            Text(f"{value:.2f}", style=f"{_shade((float(value) - low) / span)}{' bold underline' if i == j else ''}")
            if value == value  # NaN: no team has both
            else Text("–")
            for j, value in enumerate(values[i])
        ]
        table.add_row(Text(name), *cells)
    # As wide as its names in a file or a pipe, where nobody sees a window.
    wide = max(80, 4 + max(map(len, names)) + sum(3 + max(len(name), 6) for name in names))
    (Console() if sys.stdout.isatty() else Console(width=wide)).print(table)


def _shade(share: float) -> str:
    """From red to green in steps that also differ in brightness."""
    steps = ["rgb(215,80,60)", "rgb(225,140,60)", "rgb(215,185,70)", "rgb(150,190,90)", "rgb(80,190,120)"]
    return steps[min(int(max(share, 0) * len(steps)), len(steps) - 1)]


def save_matrix(result: CrossPlay, path: str | Path) -> None:
    """Writes PATH as CSV (mean, standard error and median per ordered pair) and a heat map beside it."""
    target, games = Path(path), result.scores.shape[-1]
    rows: list[list[object]] = [["seat 0", "other seats", "games", "mean", "standard error", "median"]]
    for one in result.pairs:
        rows.append([one.first, one.others, games, f"{one.mean:.4f}", f"{one.standard_error:.4f}", f"{one.median:g}"])
    write_whole(target, csv_text(rows))
    save_heat_map(result, _picture(target))


def save_teams(result: TeamPlay, path: str | Path) -> None:
    """Writes PATH as CSV, a row per team; beside it a row per seating, and a heat map of who sits with whom."""
    target = Path(path)
    rows: list[list[object]] = [
        ["team", "different agents", "seatings", "games", "mean", "standard error", "median", "zero"]
    ]
    ways: list[list[object]] = [["team", "seats", "games", "mean", "standard error", "median"]]
    for team in result.teams:
        name, games = result.name_of(team), team.scores.shape[-1]
        error = f"{team.standard_error:.4f}"
        counts = [len(set(team.members)), len(team.seatings), games * len(team.seatings)]
        rows.append([name, *counts, f"{team.mean:.4f}", error, f"{team.median:g}", f"{team.zero:.4f}"])
        for way, scores in zip(team.seatings, team.scores, strict=True):
            alone = TeamScores.of([way], scores[None])
            seats = " ".join(result.names[agent] for agent in way)
            ways.append([name, seats, games, f"{alone.mean:.4f}", f"{alone.standard_error:.4f}", f"{alone.median:g}"])
    write_whole(target, csv_text(rows))
    write_whole(target.with_name(f"{target.stem}-seatings.csv"), csv_text(ways))
    _heat_map(result.names, result.together, _picture(target), ("in the team", "in the team"))


def _picture(target: Path) -> Path:
    return target.with_name(f"{target.stem}.svg" if target.suffix != ".svg" else f"{target.stem}-map.svg")


def clustered(values: np.ndarray) -> list[int]:
    """An order of the agents that puts those next to each other who play well with each other."""
    if len(values) < 3:
        return list(range(len(values)))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    filled = np.where(np.isnan(values), np.nanmin(values), values)
    apart = filled.max() - (filled + filled.T) / 2
    np.fill_diagonal(apart, 0)
    return leaves_list(linkage(squareform(apart, checks=False), "average", optimal_ordering=True)).tolist()


def save_heat_map(result: CrossPlay, path: Path) -> None:
    """The matrix as a picture."""
    _heat_map(result.names, result.mean, path, ("in all other seats", "in seat 0"))


def _heat_map(names: Sequence[str], values: np.ndarray, path: Path, axes_names: tuple[str, str]) -> None:
    """The matrix as a picture, neighbours by cluster, with the number in every cell and self-play framed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Rectangle

    count, order = len(names), clustered(values)
    names, values = [shortened(names[agent], 24) for agent in order], values[np.ix_(order, order)]
    words = 0.06 * max(map(len, names))  # inches that the names take
    figure, axes = plt.subplots(figsize=(1.4 + words + 0.62 * count, 1.1 + words + 0.5 * count), layout="constrained")
    low, high = min(float(np.nanmin(values)), 0.0), float(np.nanmax(values))
    image = axes.imshow(values, cmap="viridis", vmin=low, aspect="auto")
    axes.set_xticks(range(count), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(count), names)
    axes.set_xlabel(axes_names[0])
    axes.set_ylabel(axes_names[1])
    middle, form = low + 0.6 * (high - low), ".2f" if high - low < 2 else ".1f"
    for i in range(count):
        axes.add_patch(Rectangle((i - 0.5, i - 0.5), 1, 1, fill=False, edgecolor="white", linewidth=1.5))
        for j in range(count):
            value = float(values[i, j])
            if value == value:  # NaN: no team has both
                color = "black" if value > middle else "white"
                axes.text(j, i, f"{value:{form}}", ha="center", va="center", fontsize=8, color=color)
    figure.colorbar(image, ax=axes, label="mean score", shrink=0.8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
