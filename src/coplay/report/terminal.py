"""Evaluations and comparisons as plain tables, for the terminal and for files."""

from __future__ import annotations

from typing import Any

from coplay.measure.compare import Comparison
from coplay.measure.stats import Estimate
from coplay.report.html import interval


def print_summary(summary: dict[str, Any]) -> None:
    """The partners from best to worst, below them everything together."""
    run = summary["run"]
    ranked = sorted(summary["partners"], key=lambda one: -one["mean"]["value"])
    lines = [("(its own copies)", summary["self_play"]), *((one["partner"], one) for one in ranked)]
    lines.append(("all partners", summary["overall"]))
    wide = max(len(name) for name, _ in lines)
    print(f"{run['agent']}: {run['game']}, {run['players']} players, {run['games']:,} games per team\n")
    print(f"{'partner':<{wide}} {'mean':>7} {'95 %':>17} {'median':>7} {'zero':>7} {'perfect':>8}")
    for name, one in lines:
        mean = one["mean"]
        perfect = "–" if one["perfect"] is None else f"{one['perfect']:.1%}"
        print(
            f"{name:<{wide}} {mean['value']:>7.2f} {interval(mean['low'], mean['high']):>17}"
            f" {one['median']['value']:>7g} {one['zero']:>7.1%} {perfect:>8}"
        )
    _print_proximity(summary["proximity"])
    forfeits = summary["self_play"]["forfeits"] + summary["overall"]["forfeits"]
    if forfeits:
        print(f"{forfeits} games were forfeited and count as 0; games.csv says why.")


def _print_proximity(found: dict[str, Any] | None) -> None:
    if found is None:
        return
    near = found["br_prox"]
    print(
        f"BR-Prox {near['value']:.3f} (95 % {interval(near['low'], near['high'], 3)}) "
        f"over {len(found['partners'])} partner(s) with a known ceiling"
    )
    for words in found["warnings"]:
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
        apart = "".join(f"{difference_text(one):>24}" for one in line.differences)
        print(f"{line.partner:<{wide}} {means}{apart} {line.pairs:>8,}")
    if result.left_out:
        print(f"Left out, for not every run met them: {', '.join(result.left_out)}.")


def difference_text(estimate: Estimate) -> str:
    """A difference with its sign and interval."""
    if estimate.low != estimate.low:  # NaN: one pair tells nothing about the spread
        return f"{estimate.value:+.2f}"
    return f"{estimate.value:+.2f} [{estimate.low:+.2f}, {estimate.high:+.2f}]"
