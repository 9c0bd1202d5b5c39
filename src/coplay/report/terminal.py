"""Evaluations and comparisons as plain tables, for the terminal and for files."""

from __future__ import annotations

from coplay.measure.evaluated.compare import Comparison
from coplay.measure.evaluated.proximity import Proximity
from coplay.measure.evaluated.several import Evaluations
from coplay.measure.evaluation import Evaluation
from coplay.measure.study.result import Rows
from coplay.report.html import counted, forfeited, interval, twin_words, with_interval


def print_evaluation(found: Evaluation) -> None:
    """The partners from best to worst, below them everything together."""
    run = found.run
    ranked = sorted(found.partners, key=lambda one: -one.mean.value)
    lines = [("(its own copies)", found.self_play), *((one.partner, one) for one in ranked)]
    lines.append(("all partners", found.overall))
    wide = max(len(name) for name, _ in lines)
    print(f"{run.agent}: {run.game}, {run.players} players, {counted(run.games, 'game')} per team\n")
    print(f"{'partner':<{wide}} {'mean':>7} {'95 %':>17} {'median':>7} {'zero':>7} {'perfect':>8}")
    for name, one in lines:
        perfect = "–" if one.perfect is None else f"{one.perfect:.1%}"
        print(
            f"{name:<{wide}} {one.mean.value:>7.2f} {interval(one.mean):>17}"
            f" {one.median.value:>7g} {one.zero:>7.1%} {perfect:>8}"
        )
    for words in twin_words(found.twins):
        print(words)
    _print_proximity(found.proximity)
    forfeits = found.self_play.forfeits + found.overall.forfeits
    if forfeits:
        print(forfeited(forfeits))


def _print_proximity(found: Proximity | None) -> None:
    if found is None:
        return
    count = counted(len(found.partners), "partner")
    print(f"BR-Prox {found.br_prox.value:.3f} ({with_interval(found.br_prox, 3)}) over {count} with a known ceiling")
    for words in found.warnings:
        print(f"warning: {words}")


def print_comparison(result: Comparison) -> None:
    """Means side by side, then the differences to the first run."""
    wide = max(len(line.partner) for line in result.lines)
    for number, name in enumerate(result.names):
        print(f"{chr(65 + number)}: {name}")
    heads = [f"{chr(65 + number):>8}" for number in range(len(result.names))]
    heads += [f"{chr(65 + number) + ' − A':>24}" for number in range(1, len(result.names))]
    print(f"\n{'partner':<{wide}} {''.join(heads)} {'pairs':>8}")
    for line in result.lines:
        means = "".join(f"{mean:>8.2f}" for mean in line.means)
        apart = "".join(f"{one.short('+.2f'):>24}" for one in line.differences)
        print(f"{line.partner:<{wide}} {means}{apart} {line.pairs:>8,}")
    if result.left_out:
        print(f"Left out, for not every run met them: {', '.join(result.left_out)}.")


def print_several(found: Evaluations) -> None:
    """A line per method, and a line per seed below it where there are several."""
    wide = max(len(name) + 2 for one in found.methods for name in (one.method, *one.agents))
    run = found.evaluations[0].run
    print(f"{run.game}, {run.players} players, {counted(len(found.partners), 'partner')} that all met\n")
    print(f"{'agent':<{wide}} {'seeds':>5} {'mean':>7} {'95 %':>17} {'alone':>7} {'zero':>7}")
    for one in found.methods:
        seeds, mean, alone = len(one.agents), one.mean, one.self_play.value
        print(f"{one.method:<{wide}} {seeds:>5} {mean.value:>7.2f} {interval(mean):>17} {alone:>7.2f} {one.zero:>7.1%}")
        for agent, mean in zip(one.agents, one.means, strict=True) if seeds > 1 else ():
            print(f"  {agent:<{wide - 2}} {'':>5} {mean:>7.2f}")
    if found.left_out:
        print(f"Left out, for not every agent met them: {', '.join(found.left_out)}.")


def print_runs(rows: Rows, place: str) -> None:
    """A line per run."""
    if not rows:
        print(f"{place} holds no runs.")
        return
    shown = [
        [row["folder"], row["kind"], row["state"], _score(row["score"]), row["made"][:10], row["what"]] for row in rows
    ]
    lines = [["folder", "kind", "state", "score", "made", "what"], *shown]
    wide = [max(len(line[place]) for line in lines) for place in range(5)]
    for line in lines:
        cells = [
            f"{cell:>{width}}" if at == 3 else f"{cell:<{width}}"
            for at, (cell, width) in enumerate(zip(line, wide, strict=False))
        ]
        print("  ".join([*cells, _clipped(line[5])]).rstrip())


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _clipped(words: str, room: int = 60) -> str:
    return words if len(words) <= room else f"{words[: room - 1]}…"
