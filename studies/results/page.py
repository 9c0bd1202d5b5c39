"""docs/results.md: the sections one below the other. A section that is not made anew is taken as it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from coplay import __version__
from coplay.files import write_whole
from coplay.measure import MeasureError
from coplay.pool.reference import reference, reference_name, reference_text
from coplay.rollouts.where import On, where
from studies.results.jobs import jobs_of, share_out
from studies.results.runs import met, proximity_games
from studies.results.tables import SECTIONS, prediction_section
from studies.results.work import FULL, Section, Work


def write_results(
    out: Path, work: Work, only: Sequence[str] | None = None, people: Sequence[Path] = (), on: On = 1
) -> None:
    """Makes the sections in `only` (None: all) and writes the page with every section there is."""
    unknown = [name for name in only or () if name not in SECTIONS]
    if unknown:
        raise MeasureError(f"no section {unknown[0]!r}; the sections are {', '.join(SECTIONS)}.")
    for file in people:
        if not file.exists():
            raise MeasureError(f"--people {file}: there is no such file; `coplay data fetch ah2ac2` downloads games.")
    kept = work.cache / "sections"
    if not where(on).alone:
        wanted = [name for name in SECTIONS if only is None or name in only]
        share_out(work, [job for name in wanted for job in jobs_of(work, name, people)], on)
    for name, make in SECTIONS.items():
        if only is None or name in only:
            made = partial(prediction_section, people=people) if make is prediction_section else make
            write_whole(kept / f"{name}.md", section_text(made(work)))
    if only is None or "proximity" in only:
        write_reference(work.cache / "reference", work)
    sections = [
        (kept / f"{name}.md").read_text(encoding="utf-8") for name in SECTIONS if (kept / f"{name}.md").exists()
    ]
    write_whole(out, "\n".join([_head(work, people), *sections]))


def write_reference(folder: Path, work: Work) -> None:
    """What everybody scored with everybody, as the tables that come with the package.

    What these already know of the same weights from more games stays.
    """
    for game in proximity_games(work):
        before, now = reference(game), met(work, game)
        better = {pair: old for pair, old in before.items() if pair not in now or old.games > now[pair].games}
        write_whole(folder / reference_name(game), reference_text({**now, **better}))


def section_text(section: Section) -> str:
    """Markdown."""
    parts = [f"## {section.title}", *section.text]
    for table in section.tables:
        parts.append(table.caption)
        if table.rows:
            lines = [f"| {' | '.join(table.head)} |", "|" + "---|" * len(table.head)]
            parts.append("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in table.rows)]))
    return "\n\n".join(parts) + "\n"


def _head(work: Work, people: Sequence[Path]) -> str:
    fields = [field.name for field in dataclasses.fields(work.size)]
    changed = [name for name in fields if getattr(work.size, name) != getattr(FULL, name)]
    quick = any(getattr(work.size, name) < getattr(FULL, name) for name in fields)
    words = [f"--{name} {getattr(work.size, name)}" for name in changed] + [f"--people {file.name}" for file in people]
    command = " ".join(["python -m studies.results --out docs/results.md", *words])
    return (
        "# Results\n\n"
        f"The agents that come with the package, judged by strangers. Made by `{command}` (coplay {__version__}, seed "
        "0); what was played is kept, so the command adds new agents without playing the old ones again."
        f"{' A **quick look**: fewer games than the measures ask for.' if quick else ''} Intervals are 95 % bootstrap "
        "intervals; *made by* is the recipe of a trained agent ([the pool](pool.md)) or *scripted* "
        "([agents](agents.md)).\n"
    )
