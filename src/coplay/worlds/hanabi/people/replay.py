"""A game of Hanabi to look at again: pictures of its positions, and where else it can be seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coplay.data import DataError
from coplay.faces import Story
from coplay.worlds.hanabi.people.draw import state_svg
from coplay.worlds.hanabi.recordings.hanablive import to_link

if TYPE_CHECKING:
    from coplay.rollouts.episode import Episodes
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import Hanabi


def picture(game: Hanabi, state: State, names: Sequence[str]) -> str:
    """The table with all hands open."""
    return state_svg(game, state, names)


def story(game: Hanabi, states: Sequence[State], actions: np.ndarray, names: Sequence[str]) -> Story:
    """The table says in words what happened, so there is nothing to add below it.

    A picture is one element a line, and from one move to the next few of them change: each is written once.
    """
    del actions
    svgs = [state_svg(game, state, names) for state in states]
    opening = re.match(r"<svg[^>]*>", svgs[0])
    assert opening is not None, "a picture begins with <svg"
    parts: dict[str, int] = {}
    frames = []
    for svg in svgs:
        lines = svg[svg.index(">") + 1 : svg.rindex("</svg>")].split("\n")
        frames.append([parts.setdefault(line, len(parts)) for line in lines if line])
    scores = np.asarray([int(game.score(state)) for state in states])
    return Story(
        picture=f'{opening.group()}<g id="moving"></g></svg>',
        parts=list(parts),
        frames=frames,
        captions=[""] * len(states),
        points=np.diff(scores, prepend=scores[0]).tolist(),
    )


def link(episodes: Episodes, index: int) -> str | None:
    """Where hanab.live shows this game; None if that site cannot."""
    actions = [int(action) for action in episodes.actions[index, : episodes.lengths[index]]]
    try:
        return to_link(episodes.game, episodes.decks[index], actions, int(episodes.starts.seat[index]))
    except DataError:
        return None
