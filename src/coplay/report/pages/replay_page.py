"""One page that plays an episode, with slider and keys: opens from disk and loads nothing from anywhere."""

from __future__ import annotations

import html
import json
from importlib import resources

from coplay.faces import Story


def replay_page(title: str, story: Story, link: str | None = None) -> str:
    """The page; `link` is another place that shows the episode."""
    elsewhere = f'<a href="{html.escape(link)}">open it on {html.escape(link.split("/")[2])}</a>' if link else ""
    data = {name: getattr(story, name) for name in ("parts", "frames", "captions", "points", "speed")}
    filled = {
        "TITLE": html.escape(title),
        "HEADING": html.escape(title),
        "PICTURE": story.picture,
        "ELSEWHERE": elsewhere,
        "STORY": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    page = empty_page()
    for mark, text in filled.items():
        page = page.replace(f"<!--{mark}-->", text, 1)
    return page


def empty_page() -> str:
    """The page before a game is told in it."""
    return resources.files("coplay.report.pages").joinpath("replay_page.html").read_text(encoding="utf-8")
