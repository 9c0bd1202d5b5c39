"""A cross-play matrix as a coloured table, a CSV file and a picture."""

from __future__ import annotations

import csv
from pathlib import Path

from coplay.measure.crossplay import CrossPlay


def print_matrix(result: CrossPlay) -> None:
    """The mean scores on the terminal, self-play in bold on the diagonal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    best = max(float(result.mean.max()), 1e-9)
    games = result.scores.shape[-1]
    table = Table(title=f"Mean score of {games} games. Row: seat 0. Column: all other seats.", title_justify="left")
    table.add_column("")
    for name in result.names:
        table.add_column(name, justify="right")
    for i, name in enumerate(result.names):
        cells = [
            Text(f"{value:.2f}", style=f"{_shade(float(value) / best)}{' bold underline' if i == j else ''}")
            for j, value in enumerate(result.mean[i])
        ]
        table.add_row(Text(name), *cells)
    Console(width=max(80, 12 + 12 * len(result.names))).print(table)


def _shade(share: float) -> str:
    """From red to green in steps that also differ in brightness."""
    steps = ["rgb(215,80,60)", "rgb(225,140,60)", "rgb(215,185,70)", "rgb(150,190,90)", "rgb(80,190,120)"]
    return steps[min(int(max(share, 0) * len(steps)), len(steps) - 1)]


def save_matrix(result: CrossPlay, path: str) -> None:
    """Writes PATH as CSV (mean and standard error per ordered pair) and a heat map beside it."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["seat 0", "other seats", "games", "mean", "standard error"])
        for i, first in enumerate(result.names):
            for j, other in enumerate(result.names):
                mean, error = result.mean[i, j], result.standard_error[i, j]
                rows.writerow([first, other, result.scores.shape[-1], f"{mean:.4f}", f"{error:.4f}"])
    save_heat_map(
        result, target.with_name(f"{target.stem}.svg" if target.suffix != ".svg" else f"{target.stem}-map.svg")
    )


def save_heat_map(result: CrossPlay, path: Path) -> None:
    """The matrix as a picture, with the number in every cell and self-play framed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Rectangle

    count = len(result.names)
    figure, axes = plt.subplots(figsize=(1.8 + 0.62 * count, 1.5 + 0.5 * count), layout="constrained")
    image = axes.imshow(result.mean, cmap="viridis", vmin=0, aspect="auto")
    axes.set_xticks(range(count), result.names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(count), result.names)
    axes.set_xlabel("in all other seats")
    axes.set_ylabel("in seat 0")
    middle = float(result.mean.max()) * 0.6
    for i in range(count):
        axes.add_patch(Rectangle((i - 0.5, i - 0.5), 1, 1, fill=False, edgecolor="white", linewidth=1.5))
        for j in range(count):
            value = float(result.mean[i, j])
            color = "black" if value > middle else "white"
            axes.text(j, i, f"{value:.1f}", ha="center", va="center", fontsize=8, color=color)
    figure.colorbar(image, ax=axes, label="mean score", shrink=0.8)
    figure.savefig(path)
    plt.close(figure)
