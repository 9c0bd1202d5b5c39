"""Parameters fitted to recorded games, as a table in the terminal and a page with the chains."""

from __future__ import annotations

from html import escape

import numpy as np

from coplay.files import write_whole
from coplay.report.curve import Curve, curve
from coplay.report.html import document, listing, paragraph, section, table
from coplay.train.fitting import Fit, Line

PLACES = 13  # of a chain, that a picture shows
LIKELIHOOD = "log-likelihood of a move, above that of the shares alone"
ENDS = (5, 95)  # per cent of the samples lie below and above


def print_fit(found: Fit) -> None:
    """Every parameter, how well it explains the moves, and the agent's name."""
    for row in _rows(found):
        print("".join(f"{cell:<18}" for cell in row).rstrip())
    print(f"\nlog-likelihood of a move: {found.best.likelihood / found.moves:.4f}")
    print(f"  of {found.agent}: {found.before / found.moves:.4f}; of shares alone: {found.usual / found.moves:.4f}")
    print(f"\n{found.spec}")


def write_fit(found: Fit) -> None:
    """report.html beside the trace."""
    write_whole(found.folder / "report.html", fit_page(found))


def fit_page(found: Fit) -> str:
    """The page as text."""
    how = [
        ["game", found.game],
        ["moves explained", f"{found.moves:,}"],
        ["read off the moves", ", ".join(f"{name} {value:.3g}" for name, value in found.fixed.items())],
        ["chains", str(found.chains)],
        ["steps of each", f"{len(found.lines) // found.chains:,}"],
        ["accepted", f"{np.mean([line.accepted for line in found.lines]):.0%}"],
    ]
    per_move = [
        ["the most likely sample", f"{found.best.likelihood / found.moves:.4f}"],
        [f"{found.agent}, before", f"{found.before / found.moves:.4f}"],
        ["the shares of the actions alone", f"{found.usual / found.moves:.4f}"],
    ]
    head, *rows = _rows(found)
    words = "The interval holds the middle 90 % of the samples of all chains after the first half of each."
    body = [
        f'<header><p class="soft small">Fitted to recorded games</p><h1>{escape(found.agent)}</h1></header>',
        section("The most likely one", f"<pre>{escape(found.spec)}</pre>", table(head, rows), paragraph(words, "soft")),
        section("How well it explains the moves", table(["", "log-likelihood of a move"], per_move)),
        section("The chains", *(_trace(found, name) for name in (LIKELIHOOD, *found.best.values))),
        section("How it was made", listing(how)),
    ]
    return document(f"{found.agent}: fitted", "\n".join(body))


def _rows(found: Fit) -> list[list[str]]:
    """Head and body of the table of parameters."""
    settled = found.settled()
    rows = [["parameter", "most likely", "mean", "90 %"]]
    for name, value in found.best.values.items():
        samples = np.asarray([line.values[name] for line in settled])
        low, high = np.percentile(samples, ENDS)
        rows.append([name, f"{value:.3f}", f"{samples.mean():.3f}", f"{low:.3f} to {high:.3f}"])
    return rows


def _trace(found: Fit, name: str) -> str:
    """A line per chain: a parameter at some of its steps, or the likelihood of a move."""
    steps = len(found.lines) // found.chains
    places = sorted({round(place) for place in np.linspace(0, steps - 1, min(PLACES, steps))})
    lines = []
    for chain in range(found.chains):
        mine = [line for line in found.lines if line.chain == chain]
        told = [_gain(found, line) if name == LIKELIHOOD else line.values[name] for line in mine]
        lines.append(Curve(f"chain {chain + 1}", [told[place] for place in places]))
    return curve(lines, places, ("step", name), height=180)


def _gain(found: Fit, line: Line) -> float:
    """How much better a sample explains a move than the bare shares of the actions do."""
    return (line.likelihood - found.usual) / found.moves
