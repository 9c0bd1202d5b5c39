"""A game to look at inside a page."""

from __future__ import annotations

from html import escape

from coplay.report.replay import page, picture
from coplay.rollouts.episode import Episodes


def watched(episodes: Episodes, game: int, title: str) -> list[str]:
    """The end as a picture, and the game to step through."""
    # Links of a page in a frame would open in the frame.
    inner = escape(page(episodes, game).replace("<head>", '<head><base target="_blank">', 1))
    return [
        f'<div class="picture">{picture(episodes, game)}</div>',
        "<details><summary>Step through the game</summary>"
        f'<iframe loading="lazy" title="{escape(title)}" srcdoc="{inner}"></iframe></details>',
    ]
