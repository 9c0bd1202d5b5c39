"""docs/kl.md: the ablation of AH2AC2's appendix A.7 with our clone, and which of its patterns hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coplay.files import write_whole
from coplay.report.charts import standalone
from coplay.report.curve import Curve, curve
from coplay.report.matrix import save_heat_map
from studies.kl.played import LogLine, Played
from studies.results.page import section_text
from studies.results.work import Section, Table

WEIGHTS = (0, 0.01, 0.08, 0.13, 0.2, 0.3, 0.5, 0.7)  # the paper's
PRINTED = {  # weight -> (perfect games, games at zero, least score) of 5,000: the paper's Table 12
    0: (143, 0, 13),
    0.01: (247, 0, 14),
    0.08: (1351, 0, 14),
    0.13: (1599, 0, 13),
    0.2: (1821, 0, 15),
    0.3: (1564, None, 0),
    0.5: (1280, None, 0),
    0.7: (1166, None, 0),
}
TEXT = (
    "One clone, learned on from with different weights of the divergence from it (`kl` of [`hdr_ippo`](training.md)): "
    "appendix A.7 of the AH2AC2 paper with our [community](data.md#recording) in the place of people. `coplay study kl "
    "train` trains the learners side by side, `coplay study kl page` plays the games and writes this page.",
    "**What differs from the paper.** Its clone learned from people, ours from programs, and its learners had 20,000 "
    "million turns. So figures cannot be compared one by one; the patterns can.",
)
PLACES = 13  # of a learning curve


def write_page(out: Path, found: Played) -> None:
    """The page and its figures beside it."""
    images = out.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    save_heat_map(found.pairs, images / "kl-matrix.svg")
    for name, axis in (("score", "training score"), ("kl", "divergence from the clone")):
        write_whole(images / f"kl-{name}.svg", standalone(_curves(found, name, axis)))
    turns = f"Every learner had {found.log[-1].turns / 1e6:,.0f} million turns: `{found.command}`."
    parts = ["# How near to the clone?", *TEXT, turns, *(section_text(one) for one in _sections(found))]
    write_whole(out, "\n\n".join(parts))


def _sections(found: Played) -> list[Section]:
    matrix = ["![Mean scores of all pairs](images/kl-matrix.svg)"]
    curves = [
        "![Training score over turns](images/kl-score.svg)",
        "![Divergence over turns](images/kl-kl.svg)",
        "The divergence is the mean of KL(clone || learner) over the learner's own decisions, in nats, before its "
        "weight.",
    ]
    return [
        Section("patterns", "Which patterns hold", ["\n".join(f"- {line}" for line in patterns(found))], []),
        Section("matrix", "Cross-play", matrix, [_scores(found)]),
        Section("games", "Best and worst games, held-out games", [], [_games(found)]),
        Section("curves", "While learning", curves, []),
    ]


def together(found: Played) -> np.ndarray:
    """float [agents, agents]: the mean over who sits first."""
    return (found.pairs.mean + found.pairs.mean.T) / 2


def _scores(found: Played) -> Table:
    names = found.pairs.names
    rows = [[name, *(f"{value:.2f}" for value in line)] for name, line in zip(names, together(found), strict=True)]
    caption = f"{found.pairs.scores.shape[-1]:,} games in each seat, greedy; the diagonal is self-play."
    return Table(caption, ["weight", *names], rows)


def _games(found: Played) -> Table:
    rows = []
    for number, (name, said) in enumerate(zip(found.pairs.names, found.foreseen, strict=True)):
        scores, result = found.pairs.scores[number, number], said.result
        counts = [(scores == found.max_score).sum(), (scores == 0).sum(), f"{scores.min():g}"]
        unit = f"{result.paper_cross_entropy.value:.3f}"
        right = "" if result.accuracy is None else f"{result.accuracy.value:.1%}"
        rows.append([name, *map(str, counts), unit, right, _printed(name)])
    caption = f"Self-play, of {found.pairs.scores.shape[-1]:,} games; recorded games that nobody learned from."
    head = ["weight", "perfect", "at zero", "least", "loss per seat and turn", "accuracy", "printed, of 5,000"]
    return Table(caption, head, rows)


def _printed(name: str) -> str:
    if name == "clone" or float(name) not in PRINTED:
        return ""
    perfect, zero, least = PRINTED[float(name)]
    return f"{perfect} perfect, {'some' if zero is None else zero} at zero, least {least}"


def patterns(found: Played) -> list[str]:
    """What the paper sees in its figures, and whether it is so here."""
    scores, weights = together(found), found.weights
    own, clone = np.diag(scores)[1:], scores[0, 0]
    errors = np.diag(found.pairs.standard_error)[1:]
    best = int(np.argmax(own))
    gap = min(own[best] - own[0], own[best] - own[-1])
    clear = gap > 2 * float(np.hypot(errors[best], max(errors[0], errors[-1])))
    with_clone = scores[0, 1:]
    loose = [score for kl, score in zip(weights, with_clone, strict=True) if kl <= 0.01]
    held = [score for kl, score in zip(weights, with_clone, strict=True) if kl > 0.01]
    free = scores[1, 2:]
    right = {kl: said.result.accuracy for kl, said in zip(weights, found.foreseen[1:], strict=True)}
    lines = [
        _said("all learners score more with themselves than the clone", own.min() > clone, own, (clone,)),
        _said("self-play is best between the ends", 0 < best < len(own) - 1 and clear, own[[best]], own[[0, -1]]),
        _said("self-play is worst at both ends", set(np.argsort(own)[:2]) == {0, len(own) - 1}, own[[0, -1]], own),
        _said("held learners score more with the clone than the clone does", min(held) > clone, held, (clone,)),
        _said("those that are not held score less with it", max(loose, default=np.inf) < clone, loose, (clone,)),
        _said("who is not held does worse the nearer its partner is to the clone", _falls(free), free, ()),
    ]
    first, second = right.get(0), right.get(0.08)
    if first is not None and second is not None:
        gain = second.value - first.value
        lines.append(f"from 0 to 0.08 accuracy rises by 20 points or more: {_word(gain >= 0.2)} ({100 * gain:.0f})")
    return lines


def _said(pattern: str, holds: bool, here: Sequence[float] | np.ndarray, beside: Sequence[float] | np.ndarray) -> str:
    figures, others = (" / ".join(f"{value:.2f}" for value in part) for part in (here, beside))
    return f"{pattern}: {_word(holds)} ({figures}{f' against {others}' if others else ''})"


def _word(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _falls(values: np.ndarray) -> bool:
    """Does it fall from one end to the other, but for single steps?"""
    steps = np.diff(values)
    return bool(values[-1] < values[0] and (steps < 0).mean() > 0.5)


def _curves(found: Played, what: str, axis: str) -> str:
    chosen = [found.log[place] for place in np.unique(np.linspace(0, len(found.log) - 1, PLACES).astype(int))]
    lines = [Curve(f"{kl:g}", [_value(line, what, i) for line in chosen]) for i, kl in enumerate(found.weights)]
    return curve(lines, [round(line.turns / 1e6, 1) for line in chosen], ("million turns", axis))


def _value(line: LogLine, what: str, learner: int) -> float:
    return float(getattr(line, what)[learner])
