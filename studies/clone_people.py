"""How well do clones predict people they have not seen? Every game is judged once, by a clone that learned from others.

usage: python studies/clone_people.py GAMES OUT [--start run:CLONE] [--folds 5] [--epochs 8] [--rates 1e-4,3e-4]
           [--symmetries 8]

GAMES are recorded games of people, cut into folds by deal. For every fold a clone learns from the other games (`coplay
train bc --set fold=NUMBER/FOLDS`), from nothing or, with `--start`, from a clone of many other games. The table has the
loss over all games after every epoch: nats per decision, per seat and turn (AH2AC2's unit), accuracy. How many epochs
and which rate are best is read off the same table, so the best line is a little too good; with so few choices by much
less than a standard error. With `--symmetries` the kept clones of every rate are judged once more, looking at each game
through so many symmetries at once. What was trained is kept in OUT, and the same command goes on after a kill.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay import predict
from coplay.data import folds, read
from coplay.train import train

# A clone of many games is moved a little by few games; a new network needs more of everything.
TUNE = {"dropout": 0.1, "batch": 16}


class Line(NamedTuple):
    """All games after so many epochs, each judged by the clone that did not learn from it."""

    rate: float
    epoch: int
    loss: float  # per decision
    per_seat_turn: float
    accuracy: float
    decisions: int


def folded(games: str, out: Path, count: int, rate: float, settings: dict[str, Any]) -> list[Line]:
    """The lines of one rate, an epoch each."""
    game = read(games, check=False).game
    runs = []
    for number in range(1, count + 1):
        place = folder(out, rate, number, count)
        given = {"data": games, "fold": f"{number}/{count}", "learning_rate": rate, **settings}
        runs.append(train("bc", game, place, resume=True, **given).metrics)
    return [pooled(rate, lines) for lines in zip(*runs, strict=True)]


def folder(out: Path, rate: float, number: int, count: int) -> Path:
    """Where the clone lies that did not learn from this fold."""
    return out / f"rate-{rate:g}" / f"fold-{number}-of-{count}"


def looked_through(games: str, out: Path, count: int, rate: float, symmetries: int) -> str:
    """The figures of the kept clones with so many symmetries, over all games."""
    found = []
    for number, (_, unseen) in enumerate(folds(read(games, check=False), count), 1):
        clone = folder(out, rate, number, count) / "agent-0.safetensors"
        found.append(predict(unseen, f"run:{clone}?symmetries={symmetries}").result)
    weights = [one.cross_entropy.n for one in found]
    figures = [(one.cross_entropy, one.paper_cross_entropy, one.accuracy) for one in found]
    loss, unit, right = np.average([[part.value for part in parts] for parts in figures], axis=0, weights=weights)
    return f"rate {rate:g}, {symmetries} symmetries: {loss:.3f} nats, {unit:.3f} per seat-turn, {right:.1%}"


def pooled(rate: float, lines: tuple[dict[str, Any], ...]) -> Line:
    """One epoch of all folds: a mean over decisions, wherever they were made."""
    decisions = np.array([line["held_out_decisions"] for line in lines])
    loss, unit, right = (
        float((decisions * [line[name] for line in lines]).sum() / decisions.sum())
        for name in ("held_out_loss", "held_out_loss_per_seat_turn", "held_out_accuracy")
    )
    return Line(rate, lines[0]["epoch"], loss, unit, right, int(decisions.sum()))


def table(lines: list[Line]) -> str:
    """The best line is marked."""
    best = min(lines, key=lambda line: line.loss)
    rows = [f"{'rate':>8}{'epoch':>7}{'nats':>8}{'seat-turn':>11}{'accuracy':>10}"]
    for line in lines:
        mark = "  <" if line is best else ""
        rows.append(
            f"{line.rate:>8g}{line.epoch:>7}{line.loss:>8.3f}{line.per_seat_turn:>11.3f}{line.accuracy:>10.1%}{mark}"
        )
    return "\n".join([f"{best.decisions} decisions", *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games")
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", default="", help="a trained clone: run:FILE or pool:ID")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--rates", default="1e-4")
    parser.add_argument("--symmetries", type=int, default=1)
    options = parser.parse_args()
    settings: dict[str, Any] = {"epochs": options.epochs, **TUNE, "start": options.start}
    lines = []
    for rate in options.rates.split(","):
        given = {**settings, "final_rate": float(rate) / 10}
        lines += folded(options.games, options.out, options.folds, float(rate), given)
    print(table(lines))
    for rate in options.rates.split(",") if options.symmetries > 1 else []:
        print(looked_through(options.games, options.out, options.folds, float(rate), options.symmetries))


if __name__ == "__main__":
    main()
