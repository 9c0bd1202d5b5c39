"""The game to look at first: the worst one with the partner with whom it was least to be expected."""

from __future__ import annotations

import dataclasses
from html import escape
from typing import Any, NamedTuple

import numpy as np

from coplay.games.hanabi import Hanabi
from coplay.games.hanabi.draw import state_svg
from coplay.games.overcooked import Overcooked
from coplay.games.overcooked.draw import kitchen_svg
from coplay.measure.run_folder import GameRow, RunFolder
from coplay.measure.seatings import AGENT, Configuration
from coplay.play.episode import Episodes
from coplay.play.episode_file import load
from coplay.play.replay import states_of
from coplay.report.html import paragraph
from coplay.report.replay import page, unique


class WorstGame(NamedTuple):
    row: GameRow
    team: Configuration


def worst_game(teams: dict[tuple[str, str], list[GameRow]], partners: list[str]) -> WorstGame:
    """The lowest score with a partner; among equals the partner with the highest mean, then the shortest game."""
    means: dict[str, float] = {}
    for partner in partners:
        means[partner] = float(
            np.mean([row.score for (name, _), rows in teams.items() if name == partner for row in rows])
        )
    met = [row for (partner, _), rows in teams.items() if partner in means for row in rows]
    row = min(met, key=lambda row: (row.score, -means[row.partner], row.length, row.game))
    return WorstGame(row, Configuration(partners.index(row.partner) + 1, row.partner, row.seating))


def worst_game_html(folder: RunFolder, worst: WorstGame) -> str:
    """What happened in words, how it ended as a picture, and the game to step through."""
    row, team = worst
    lives = "" if row.strikes is None else f", {row.strikes} {'life' if row.strikes == 1 else 'lives'} lost"
    words = (
        f"Score {row.score:g} with {row.partner}, seating {row.seating}, game {row.game}: {row.length} turns{lives}."
    )
    parts = [paragraph(words)]
    if row.forfeit:
        parts.append(paragraph(f"Forfeited: {row.forfeit}", "bad"))
    file = folder / team.file
    if not file.is_file():
        return "".join([*parts, paragraph(f"The recording {team.file} is not in the folder.", "soft")])
    names = tuple(row.agent if letter == AGENT else row.partner for letter in row.seating)
    episodes = dataclasses.replace(load(file), names=names)
    parts.append(f'<div class="picture">{_last_picture(episodes, row.game)}</div>')
    # Links of a page in a frame would open in the frame.
    inner = escape(page(episodes, row.game).replace("<head>", '<head><base target="_blank">', 1))
    parts.append(
        "<details><summary>Step through the game</summary>"
        f'<iframe loading="lazy" title="replay of the worst game" srcdoc="{inner}"></iframe></details>'
    )
    command = f"coplay replay {team.file} --game {row.game}"
    parts.append(f'<p class="soft small">In this folder: <code>{escape(command)}</code></p>')
    return "".join(parts)


def _last_picture(episodes: Episodes, index: int) -> str:
    last: Any = states_of(episodes, index)[-1]
    game = episodes.game
    if isinstance(game, Hanabi):
        return state_svg(game, last, unique(episodes.names))
    assert isinstance(game, Overcooked)
    return kitchen_svg(game, last, unique(episodes.names))
