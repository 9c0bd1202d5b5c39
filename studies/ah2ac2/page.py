"""docs/ah2ac2.md: every candidate with the proxies, three seeds each, beside the published rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coplay.game import Game
from coplay.games import make
from coplay.measure.ah2ac2 import default_proxies
from coplay.nets.file import read_safetensors
from coplay.pool.pool import entry
from studies.ah2ac2.rows import ROWS, Row
from studies.results.page import section_text
from studies.results.published import AH2AC2, PROXIES, Baseline
from studies.results.runs import Recorded, foresight, with_proxies
from studies.results.work import Section, Table, Work

TEXT = (
    "The candidates of the AH2AC2 paper's Table 4 with *our* community and *our* proxies. `python -m studies.ah2ac2 "
    "train` makes the candidates, `python -m studies.ah2ac2 page` plays the games and writes this page.",
    "**What differs from the paper.** Its proxies are hidden and made from 101,096 and 46,525 games of people; ours "
    "are open and made from as many games of a [community of programs](data.md#recording) that was fitted to games of "
    "people. Its candidates learned from 1,000 games of people, ours from 1,000 games of that community, which none of "
    "the proxies has seen, and they learned for far fewer turns. The figures cannot be compared one by one; the order "
    "can.",
    "Means are over the seeds, ± the standard error between them. Cross-entropy is in the paper's unit, on 500 "
    "validation games of the community; scripted and greedy players give most moves no chance, so theirs is high. "
    "† shares its clone with the proxies.",
)


class Found(NamedTuple):
    """What the seeds of one row came to."""

    name: str
    learned_from: str
    turns: float  # for which each seed learned; 0: not by playing
    means: np.ndarray  # of each seed
    median: float
    zeros: float
    cross_entropy: float
    published: Baseline | None

    @property
    def mean(self) -> float:
        return float(self.means.mean())

    @property
    def error(self) -> float:
        return float(self.means.std(ddof=1) / len(self.means) ** 0.5) if len(self.means) > 1 else float("nan")


def page_text(work: Work, runs: Path) -> str:
    """The whole page."""
    parts = ["# With proxies: the AH2AC2 table", *TEXT]
    for players in work.players:
        parts.append(section_text(_section(work, make("hanabi", players=players), runs)))
    return "\n\n".join(parts)


def _section(work: Work, game: Game, runs: Path) -> Section:
    proxies = default_proxies(game)
    rows = [row for row in ROWS if (row.folder(runs, game.players) / "agent-0.safetensors").is_file()]
    found = [_found(work, game, row, runs, proxies) for row in rows]
    found.append(_proxies(work, game, proxies))
    found.sort(key=lambda one: -one.mean)
    missing = [row.name for row in ROWS if row not in rows]
    text = [f"Proxies: {', '.join(f'`{name}`' for name in proxies)}."]
    if missing:
        text.append(f"Not trained yet: {', '.join(missing)}.")
    caption = f"{work.size.games:,} games or a few more of every seed, in all configurations."
    head = ["candidate", "learned from", "turns, M", "seeds"]
    head += ["mean ± error", "median", "at zero", "cross-entropy", "published"]
    table = Table(caption, head, [_line(one) for one in found])
    return Section(f"{game.players}p", f"{game.players} players", [*text, *relations(found, game.players)], [table])


def _found(work: Work, game: Game, row: Row, runs: Path, proxies: list[str]) -> Found:
    files = sorted(row.folder(runs, game.players).glob("agent-*.safetensors"))
    label = f"{row.name}{' †' if row.relative else ''}"
    published = AH2AC2.get((row.recipe, game.players)) if row.printed else None
    return _of_specs(work, game, label, row.learned_from, [f"run:{file}" for file in files], proxies, published)


def _proxies(work: Work, game: Game, proxies: list[str]) -> Found:
    """Each proxy with the others."""
    ones = [with_proxies(work, game, one, [other for other in proxies if other != one]) for one in proxies]
    recorded = Recorded("community", game.players)
    unit = [foresight(work, recorded, one)["paper"] for one in proxies]
    means = np.array([one.mean.value for one in ones])
    median, zeros = np.mean([one.median.value for one in ones]), np.mean([one.zero.value for one in ones])
    words = "all games of the community; each with the others"
    turns = float(np.mean([_turns(one) for one in proxies]))
    return Found(BEST, words, turns, means, float(median), float(zeros), float(np.mean(unit)), PROXIES[game.players])


def _turns(spec: str) -> float:
    """For how many turns an agent of the pool or of a file learned."""
    prefix, _, place = spec.partition(":")
    if prefix == "pool":
        return entry(place).turns
    return float(json.loads(read_safetensors(place)[1]["made"]).get("turns", 0))


def _of_specs(
    work: Work, game: Game, label: str, source: str, specs: list[str], proxies: list[str], published: Baseline | None
) -> Found:
    ones = [with_proxies(work, game, spec, proxies) for spec in specs]
    unit = [foresight(work, Recorded("community", game.players), spec)["paper"] for spec in specs]
    return Found(
        label,
        source,
        float(np.mean([_turns(spec) for spec in specs])),
        np.array([one.mean.value for one in ones]),
        float(np.median([one.median.value for one in ones])),
        float(np.mean([one.zero.value for one in ones])),
        float(np.mean(unit)),
        published,
    )


def _line(one: Found) -> list[str]:
    theirs = one.published
    told = "" if theirs is None else f"{theirs.name} {theirs.mean:.2f} / {theirs.median:g} / {theirs.cross_entropy:.2f}"
    error = "" if np.isnan(one.error) else f" ± {one.error:.2f}"
    figures = [f"{one.mean:.2f}{error}", f"{one.median:g}", f"{one.zeros:.1%}", f"{one.cross_entropy:.2f}"]
    turns = f"{one.turns / 1e6:,.0f}" if one.turns else "–"
    return [one.name, one.learned_from, turns, str(len(one.means)), *figures, told]


# Names of rows, the better one first, as the paper's table has them.
BEST, OBL, ANSWER = "the proxies †", "OBL level 4", "BR-BC"
RELATIONS = {
    2: (
        (BEST, OBL),
        (OBL, ANSWER),
        (ANSWER, "FCP"),
        (ANSWER, "HDR-IPPO"),
        ("Other-Play", "IPPO"),
        ("HDR-IPPO", "IPPO"),
        ("IPPO", "BC"),
    ),
    3: ((BEST, "HDR-IPPO"), ("HDR-IPPO", "Other-Play"), ("Other-Play", "IPPO"), (ANSWER, "IPPO"), ("IPPO", "BC")),
}


def relations(found: list[Found], players: int) -> list[str]:
    """Which of the published orders hold, with the difference and its error."""
    by_name = {one.name: one for one in found}
    lines = []
    for better, worse in RELATIONS[players]:
        if better in by_name and worse in by_name:
            one, other = by_name[better], by_name[worse]
            gap = one.mean - other.mean
            error = float(np.hypot(np.nan_to_num(one.error), np.nan_to_num(other.error)))
            word = "holds" if gap > 2 * error else ("does not hold" if gap < -2 * error else "cannot be told")
            lines.append(f"- {better} above {worse}: {word} ({gap:+.2f} ± {error:.2f})")
    return ["Of the paper's order:", "\n".join(lines)] if lines else []
