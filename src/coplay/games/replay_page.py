"""One page that plays an episode, with slider and keys: opens from disk and loads nothing from anywhere."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple


class Story(NamedTuple):
    """An episode as pictures: what stays, and per step which moving parts are shown and what is said."""

    picture: str  # an SVG with an empty <g id="moving"></g>
    parts: Sequence[str]  # SVG pieces; few are different, so each is written once
    frames: Sequence[Sequence[int]]  # per step, the parts on show
    captions: Sequence[str]
    points: Sequence[int]  # per step, what it earned: marked on the slider


def replay_page(title: str, story: Story, speed: float = 1, link: str | None = None) -> str:
    """The page; `speed` is steps per second, `link` another place that shows the episode."""
    elsewhere = f'<a href="{html.escape(link)}">open it on {html.escape(link.split("/")[2])}</a>' if link else ""
    data = {name: getattr(story, name) for name in ("parts", "frames", "captions", "points")} | {"speed": speed}
    filled = {
        "TITLE": html.escape(title),
        "HEADING": html.escape(title),
        "PICTURE": story.picture,
        "ELSEWHERE": elsewhere,
        "STORY": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    page = resources.files("coplay.games").joinpath("replay_page.html").read_text(encoding="utf-8")
    for mark, text in filled.items():
        page = page.replace(f"<!--{mark}-->", text, 1)
    return page


def story_of(svgs: Sequence[str], captions: Sequence[str], points: Sequence[int]) -> Story:
    """A story whose every frame is a whole picture of the same size."""
    opening = re.match(r"<svg[^>]*>", svgs[0])
    assert opening is not None, "a frame must be an SVG"
    insides = [svg[svg.index(">") + 1 : svg.rindex("</svg>")] for svg in svgs]
    picture = f'{opening.group()}<g id="moving"></g></svg>'
    return Story(picture, insides, [[index] for index in range(len(insides))], captions, points)
