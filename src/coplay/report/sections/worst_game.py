"""The game to look at first: the worst one with the partner with whom it was least to be expected."""

from __future__ import annotations

import dataclasses
from html import escape
from typing import NamedTuple

import numpy as np

from coplay.faces import faces_of
from coplay.measure.evaluated.folder import GameRow
from coplay.measure.evaluation import Evaluation
from coplay.measure.study.seatings import AGENT, Configuration
from coplay.report.html import counted, paragraph
from coplay.report.replay import can_be_drawn
from coplay.report.sections.watched import watched
from coplay.rollouts.episode_file import load


class WorstGame(NamedTuple):
    row: GameRow
    team: Configuration


def worst_game(found: Evaluation) -> WorstGame:
    """The lowest score with a partner; among equals the partner with the highest mean, then the shortest game."""
    partners, teams = found.run.partners, found.games
    means = {
        partner: float(np.mean([row.score for (name, _), rows in teams.items() if name == partner for row in rows]))
        for partner in partners
    }
    met = [row for (partner, _), rows in teams.items() if partner in means for row in rows]
    row = min(met, key=lambda row: (row.score, -means[row.partner], row.length, row.game))
    return WorstGame(row, Configuration(partners.index(row.partner) + 1, row.partner, row.seating))


def worst_game_html(found: Evaluation, worst: WorstGame) -> str:
    """What happened in words, how it ended as a picture, and the game to step through."""
    row, team = worst
    words = faces_of(found.run.make_game()).fact_words
    facts = "".join(f", {words[name]}: {value:g}" for name, value in row.facts.items() if name in words)
    turns = counted(row.length, "turn")
    parts = [
        paragraph(f"Score {row.score:g} with {row.partner}, seating {row.seating}, game {row.game}: {turns}{facts}.")
    ]
    if row.forfeit:
        parts.append(paragraph(f"Forfeited: {row.forfeit}", "bad"))
    file = found.folder / team.file
    if not file.is_file():
        return "".join([*parts, paragraph(f"The recording {team.file} is not in the folder.", "soft")])
    names = tuple(row.agent if letter == AGENT else row.partner for letter in row.seating)
    episodes = dataclasses.replace(load(file), names=names)
    if can_be_drawn(episodes):
        parts += watched(episodes, row.game, "replay of the worst game")
    # The path from where the evaluation was run: a game from a file is looked for there, too.
    command = f"coplay replay {file} --game {row.game}"
    parts.append(f'<p class="soft small">Where it was evaluated: <code>{escape(command)}</code></p>')
    return "".join(parts)
