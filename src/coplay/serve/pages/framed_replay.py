"""A replay as `coplay replay --html` writes it, in a frame of the site."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache

from fastapi.responses import HTMLResponse

from coplay.report.pages.replay_page import empty_page

FRAMED = "frame-ancestors 'self'; form-action 'none'; base-uri 'none'"


def framed_replay(text: str, keep: bool) -> HTMLResponse:
    """The page with its own policy; the browser may `keep` it for a while. Links open outside the frame."""
    text = text.replace("<head>", '<head><base target="_blank">', 1)
    headers = {"Content-Security-Policy": _policy(), "Cache-Control": "private, max-age=3600" if keep else "no-store"}
    return HTMLResponse(text, headers=headers)


@cache
def _policy() -> str:
    """Script and style are allowed by their hashes: those of the empty page, so that no text of a game can add one."""
    empty = empty_page()
    scripts = re.findall(r"<script>(.*?)</script>", empty, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", empty, re.DOTALL)
    return f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; img-src data:; {FRAMED}"


def _hashes(blocks: list[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in blocks)
