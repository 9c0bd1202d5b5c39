"""An episode to look at: in the terminal, or as a page that opens from disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coplay.data import DataError
from coplay.data.hanablive import to_link
from coplay.games.hanabi import Hanabi
from coplay.games.hanabi import terminal as hanabi_terminal
from coplay.games.hanabi.draw import state_svg
from coplay.games.overcooked import Overcooked
from coplay.games.overcooked import terminal as kitchen_terminal
from coplay.games.overcooked.animate import replay_html
from coplay.games.replay_page import replay_page, story_of
from coplay.play.episode import Episodes
from coplay.play.replay import states_of


def page(episodes: Episodes, index: int, number: int | None = None) -> str:
    """The episode as a self-contained HTML page; `number` is what the game is called where it comes from."""
    called = f"game {index if number is None else number}"
    title = f"{episodes.game.name}: {', '.join(episodes.names)}, {called}, score {episodes.scores[index]:g}"
    states = states_of(episodes, index)
    if isinstance(episodes.game, Overcooked):
        actions = episodes.actions[index, : episodes.lengths[index]]
        return replay_html(episodes.game, states[0], actions, unique(episodes.names), title=title)
    assert isinstance(episodes.game, Hanabi)
    svgs = [state_svg(episodes.game, state, unique(episodes.names)) for state in states]
    scores = [int(episodes.game.score(state)) for state in states]
    points = [after - before for before, after in zip([0, *scores], scores, strict=False)]
    # The table itself says in words what happened, so there is nothing to add below it.
    return replay_page(title, story_of(svgs, [""] * len(svgs), points), 1, link(episodes, index))


def terminal_frames(episodes: Episodes, index: int) -> Iterator[Any]:
    """A rich renderable per state."""
    names = unique(episodes.names)
    for state in states_of(episodes, index):
        if isinstance(episodes.game, Overcooked):
            yield kitchen_terminal.state_terminal(episodes.game, state, names)
        elif isinstance(episodes.game, Hanabi):
            yield hanabi_terminal.state_terminal(episodes.game, state, names)


def link(episodes: Episodes, index: int) -> str | None:
    """Where hanab.live shows this game; None if that site cannot."""
    if not isinstance(episodes.game, Hanabi):
        return None
    actions = [int(action) for action in episodes.actions[index, : episodes.lengths[index]]]
    try:
        return to_link(episodes.game, episodes.decks[index], actions, int(episodes.starts.seat[index]))
    except DataError:
        return None


def unique(names: tuple[str, ...]) -> list[str]:
    """Names told apart: a team of copies becomes smartbot 1, smartbot 2."""
    if len(set(names)) == len(names):
        return list(names)
    return [f"{name} {seat + 1}" for seat, name in enumerate(names)]
