"""Draws the pictures of docs/pool.md and docs/training.md from docs/data.

python docs/draw_training.py
python docs/draw_training.py add "Hanabi 2p ippo" DIR/metrics.jsonl   # puts a run's curve in place of the old one
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt

plt.switch_backend("svg")
plt.rcParams["svg.hashsalt"] = "coplay"  # the same numbers give the same file
HERE = Path(__file__).parent
PANELS = {  # title -> runs, by the start of their names
    "Hanabi, two players": ("Hanabi 2p ippo", "Hanabi 2p high-entropy", "Hanabi 2p other-play"),
    "Hanabi, three players": ("Hanabi 3p ippo", "Hanabi 3p high-entropy", "Hanabi 3p other-play"),
    "Best responses, two players": ("Hanabi 2p best response",),
    "Best responses, three players (hatbot: five)": ("Hanabi 3p best response", "Hanabi 5p best response"),
    "From clones: hdr_ippo, br_bc": ("Hanabi 2p hdr", "Hanabi 3p hdr", "Hanabi 2p br_bc", "Hanabi 3p br_bc"),
    "Kitchens": tuple(
        f"{layout} ippo"
        for layout in (
            *("cramped_room", "asymmetric_advantages", "coordination_ring"),
            *("forced_coordination", "counter_circuit"),
        )
    ),
}


def read(name: str) -> list[dict[str, str]]:
    with open(HERE / "data" / name, newline="") as file:
        return list(csv.DictReader(file))


def curves() -> None:
    """Training score over turns, one line per learner."""
    lines: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in read("learning-curves.csv"):
        lines[row["run"]][row["learner"]].append((float(row["turns"]) / 1e6, float(row["score"])))
    figure, axes = plt.subplots(3, 2, figsize=(11, 12), layout="constrained")
    for axis, (title, starts) in zip(axes.flat, PANELS.items(), strict=True):
        runs = [run for run in lines if run.startswith(starts)]
        for number, run in enumerate(runs):
            for learner, points in enumerate(lines[run].values()):
                label = run.partition("best response (")[2].rstrip(")") or run
                axis.plot(*zip(*points, strict=True), color=f"C{number}", lw=1.2, label=None if learner else label)
        axis.set(title=title, xlabel="turns per learner (millions)", ylabel="training score")
        axis.legend(fontsize=7, framealpha=0.8, edgecolor="none")
    figure.savefig(HERE / "images" / "learning-curves.svg", metadata={"Date": None})


def add(run: str, metrics: str, points: int = 60) -> None:
    """Takes about so many points of every learner of a run into the table."""
    lines = [json.loads(line) for line in Path(metrics).read_text().splitlines()]
    kept = lines[:: max(len(lines) // points, 1)]
    new = [
        {"run": run, "learner": learner, "turns": line["turns"], "score": round(score, 3)}
        for line in kept
        for learner, score in enumerate(line["score"])
    ]
    rows = [row for row in read("learning-curves.csv") if row["run"] != run] + new
    with open(HERE / "data" / "learning-curves.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["run", "learner", "turns", "score"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def ablation() -> None:
    """What holding a learner near its clone costs and keeps."""
    rows = read("kl-ablation.csv")
    clone, held = rows[0], rows[1:]
    weights = [float(row["kl"]) for row in held]
    wanted = (
        ("held-out loss per decision", "held_out_loss"),
        ("self-play, greedy", "self_play"),
        ("cross-play with the clone, greedy", "with_clone"),
    )
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for axis, (title, column) in zip(axes, wanted, strict=True):
        axis.plot(weights, [float(row[column]) for row in held], "o-", color="C0", label="hdr_ippo")
        if clone[column]:
            axis.axhline(float(clone[column]), color="C1", ls="--", label="the clone")
        axis.set(title=title, xlabel="weight of the clone (kl)")
        axis.legend(fontsize=8, frameon=False)
    figure.savefig(HERE / "images" / "kl-ablation.svg", metadata={"Date": None})


if __name__ == "__main__":
    if sys.argv[1:2] == ["add"]:
        add(*sys.argv[2:4])
    curves()
    ablation()
