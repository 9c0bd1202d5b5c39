"""The match of a tournament to look at: the clearest win of the agent that leads."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from coplay.measure.dropin.plan import COPIES
from coplay.measure.dropin.play import played_tournament
from coplay.measure.dropin.results import Tournament
from coplay.measure.study.runner import Job
from coplay.report.html import paragraph, section
from coplay.report.replay import can_be_drawn
from coplay.report.sections.watched import watched
from coplay.rollouts.episode_file import load


class _Won(NamedTuple):
    lead: float  # of the leader's team
    score: float
    job: Job
    deal: int


def match_to_watch(result: Tournament) -> Iterator[str]:
    """Nothing where teams do not play against each other, or nobody can draw the game."""
    if result.run.sides == 1:
        return
    won = _clearest(result)
    file = result.folder / won.job.file
    if not file.is_file():
        return
    episodes = load(file)
    if not can_be_drawn(episodes):
        return
    first, second = (", ".join(won.job.members[side::2]) for side in (0, 1))
    told = f"{first} against {second}: the first side leads by {won.score:g}. The clearest win of the agent that leads."
    # The path from where the tournament was held: a game from a file is looked for there, too.
    command = f"coplay replay {file} --game {won.deal}"
    yield section(
        "A match to watch",
        paragraph(told),
        *watched(episodes, won.deal, "replay of a match"),
        f'<p class="soft small">Where it was held: <code>{escape(command)}</code></p>',
    )


def _clearest(result: Tournament) -> _Won:
    leader = result.standings[0].agent
    played = played_tournament(result.folder)
    found = [
        _Won(row.score * (1 if leader in job.members[::2] else -1), row.score, job, row.game)
        for job in played.jobs
        if job.key[1] != COPIES and leader in job.members
        for row in played.teams[job.key]
    ]
    return max(found, key=lambda won: won.lead)
