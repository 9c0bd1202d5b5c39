"""An episode of Overcooked to look at again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coplay.faces import Story
from coplay.worlds.overcooked.people.draw import kitchen_svg, svg_frame, svg_shapes
from coplay.worlds.overcooked.people.sketch import Names, sketch
from coplay.worlds.overcooked.rules import ACTIONS

if TYPE_CHECKING:
    from coplay.rollouts.episode import Episodes
    from coplay.worlds.overcooked.rules import State
    from coplay.worlds.overcooked.settings import Overcooked

SPEED = 8.0  # steps per second


def picture(game: Overcooked, state: State, names: Names = None) -> str:
    """The kitchen."""
    return kitchen_svg(game, state, names)


def story(game: Overcooked, states: Sequence[State], actions: np.ndarray, names: Names = None) -> Story:
    """A chef on a cell, a pot at a tick: few parts are different."""
    pictures = [sketch(game, state, names) for state in states]
    parts: dict[str, int] = {}
    frames = [[parts.setdefault(svg_shapes(group), len(parts)) for group in one.moving] for one in pictures]
    scores = np.asarray([int(state.score) for state in states])
    did = [", ".join(f"{seat} {ACTIONS[action]}" for seat, action in enumerate(row)) for row in np.asarray(actions)]
    return Story(
        picture=svg_frame(pictures[0], svg_shapes(pictures[0].fixed), '<g id="moving"></g>'),
        parts=list(parts),
        frames=frames,
        captions=["start", *did][: len(states)],
        points=np.diff(scores, prepend=scores[0]).tolist(),
        speed=SPEED,
    )


def link(episodes: Episodes, index: int) -> str | None:
    """No other place shows kitchens."""
    del episodes, index
    return None
