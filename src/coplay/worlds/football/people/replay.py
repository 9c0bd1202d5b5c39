"""A match to look at again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coplay.faces import Story
from coplay.worlds.football.actions import PASS, SHOOT, TACKLE
from coplay.worlds.football.people.draw import frame, moving, picture, score_board
from coplay.worlds.football.people.scene import TEAMS, Scene, clock, scene_of

if TYPE_CHECKING:
    from coplay.rollouts.episode import Episodes
    from coplay.worlds.football.rules import State
    from coplay.worlds.football.settings import Football

__all__ = ["link", "picture", "story"]
SPEED = 20.0  # steps per second


def story(game: Football, states: Sequence[State], actions: np.ndarray, names: Sequence[str]) -> Story:
    """Every step a frame; goals are marked."""
    scenes = [scene_of(state) for state in states]
    parts: dict[str, int] = {}
    frames = [
        [parts.setdefault(piece, len(parts)) for piece in (*moving(scene), *score_board(game, scene))]
        for scene in scenes
    ]
    moves = np.asarray(actions)
    told = [_told(game, scenes[0])]
    told += [_told(game, scene, before, moves[step], names) for step, (before, scene) in enumerate(pairwise(scenes))]
    totals = np.asarray([sum(scene.goals) for scene in scenes])
    return Story(
        picture=frame(names, '<g id="moving"></g>'),
        parts=list(parts),
        frames=frames,
        captions=told,
        points=np.diff(totals, prepend=totals[0]).tolist(),
        speed=SPEED,
    )


def _told(
    game: Football,
    scene: Scene,
    before: Scene | None = None,
    moves: np.ndarray | None = None,
    names: Sequence[str] = (),
) -> str:
    """The time, and what was remarkable about the step."""
    said = [clock(game, scene.time)]
    if before is not None and moves is not None and before.time > 0:
        for seat, action in enumerate(moves.tolist()):
            if action >= PASS:
                verb = "tackles" if action == TACKLE else "shoots" if action >= SHOOT else "passes"
                said.append(f"{names[seat]} ({TEAMS[seat % 2]} {seat // 2 + 1}) {verb}")
        said += [f"goal for {TEAMS[team]}!" for team in (0, 1) if scene.goals[team] > before.goals[team]]
    return "; ".join(said)


def link(episodes: Episodes, index: int) -> str | None:
    """No other place shows these matches."""
    del episodes, index
    return None
