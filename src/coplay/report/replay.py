"""An episode to look at: in the terminal, or as a page that opens from disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from coplay.faces import faces_of
from coplay.game import GameError
from coplay.report.pages.replay_page import replay_page
from coplay.rollouts.episode import Episodes, joint_actions
from coplay.rollouts.people.by_number import plain_frame
from coplay.rollouts.replay import states_of


def can_be_drawn(episodes: Episodes) -> bool:
    return faces_of(episodes.game).drawing is not None


def page(episodes: Episodes, index: int, number: int | None = None) -> str:
    """The episode as a self-contained HTML page; `number` is what the game is called where it comes from."""
    drawing = faces_of(episodes.game).drawing
    if drawing is None:
        raise GameError(f"{episodes.game.name} has no pictures; watch its games in the terminal.")
    called = f"game {index if number is None else number}"
    title = f"{episodes.game.name}: {', '.join(episodes.names)}, {called}, score {episodes.scores[index]:g}"
    actions = episodes.actions[index, : episodes.lengths[index]]
    story = drawing.story(episodes.game, states_of(episodes, index), actions, unique(episodes.names))
    return replay_page(title, story, drawing.link(episodes, index))


def picture(episodes: Episodes, index: int) -> str:
    """How a game ended, as SVG; empty where its world has no pictures."""
    drawing = faces_of(episodes.game).drawing
    if drawing is None:
        return ""
    return drawing.picture(episodes.game, states_of(episodes, index)[-1], unique(episodes.names))


def terminal_frames(episodes: Episodes, index: int) -> Iterator[Any]:
    """Something that `rich` prints, per state."""
    names, terminal, game = unique(episodes.names), faces_of(episodes.game).terminal, episodes.game
    states = states_of(episodes, index)
    if terminal is not None:
        yield from (terminal.frame(game, state, names) for state in states)
        return
    yield f"start\n{plain_frame(game, states[0])}"
    actions = joint_actions(episodes[index])[0]
    for before, joint, state in zip(states, actions, states[1:], strict=False):
        movers = np.flatnonzero(np.asarray(game.turn(before))).tolist()
        did = ", ".join(f"{names[seat]}: action {joint[seat]}" for seat in movers)
        yield f"{did}\n{plain_frame(game, state)}"


def link(episodes: Episodes, index: int) -> str | None:
    """Another place that shows this game; None if there is none."""
    drawing = faces_of(episodes.game).drawing
    return None if drawing is None else drawing.link(episodes, index)


def unique(names: tuple[str, ...]) -> list[str]:
    """Names told apart: a team of copies becomes smartbot 1, smartbot 2."""
    if len(set(names)) == len(names):
        return list(names)
    return [f"{name} {seat + 1}" for seat, name in enumerate(names)]
