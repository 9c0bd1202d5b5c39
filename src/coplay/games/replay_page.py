"""One self-contained HTML page that plays frames: opens from disk, needs no network, works by mouse, keys and touch."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import NamedTuple


class Frame(NamedTuple):
    """A picture and what is said under it."""

    svg: str
    caption: str


def replay_page(title: str, frames: Sequence[Frame], link: str | None = None, seconds: float = 1.0) -> str:
    """The page; `seconds` is how long a frame stays when it plays by itself, `link` another place that shows it."""
    elsewhere = f'<a href="{html.escape(link)}">Open it on {html.escape(link.split("/")[2])}</a>.' if link else ""
    data = json.dumps([[frame.svg, frame.caption] for frame in frames]).replace("</", "<\\/")
    return (
        _PAGE.replace("@TITLE@", html.escape(title))
        .replace("@ELSEWHERE@", elsewhere)
        .replace("@LAST@", str(len(frames) - 1))
        .replace("@DELAY@", str(int(1000 * seconds)))
        .replace("@FRAMES@", data)
    )


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; }
  h1 { font-size: 1.2rem; margin: 0 0 .5rem; }
  #picture svg { width: 100%; height: auto; max-height: 70vh; }
  #caption:empty { display: none; }
  .bar { display: flex; gap: .5rem; align-items: center; }
  .bar input { flex: 1; }
  button { font: inherit; min-width: 2.6rem; min-height: 2.6rem; }
  .notes { opacity: .75; }
  @media print { .bar { display: none; } }
</style>
</head>
<body>
<h1>@TITLE@</h1>
<div id="picture"></div>
<div class="bar">
  <button id="back" aria-label="One step back">&#9664;</button>
  <button id="play" aria-label="Play or pause">&#9654;</button>
  <button id="next" aria-label="One step on">&#9654;|</button>
  <input id="slider" type="range" min="0" max="@LAST@" value="0" aria-label="Step">
  <output id="step"></output>
</div>
<p id="caption" aria-live="polite"></p>
<p class="notes">Keys: left and right arrow step, space plays, Home and End jump. @ELSEWHERE@</p>
<script>
const frames = @FRAMES@, last = @LAST@, byId = (id) => document.getElementById(id);
let now = 0, timer = null;
function show(step) {
  now = Math.max(0, Math.min(last, step));
  byId("picture").innerHTML = frames[now][0];
  byId("caption").textContent = frames[now][1];
  byId("slider").value = now;
  byId("step").textContent = now + " / " + last;
  if (now === last) stop();
}
function stop() { clearInterval(timer); timer = null; byId("play").innerHTML = "&#9654;"; }
function toggle() {
  if (timer) return stop();
  if (now === last) show(0);
  timer = setInterval(() => show(now + 1), @DELAY@);
  byId("play").textContent = "II";
}
byId("back").onclick = () => { stop(); show(now - 1); };
byId("next").onclick = () => { stop(); show(now + 1); };
byId("play").onclick = toggle;
byId("slider").oninput = (event) => { stop(); show(+event.target.value); };
document.addEventListener("keydown", (event) => {
  const jump = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
  if (event.key === " ") toggle(); else if (jump !== undefined) { stop(); show(jump); } else return;
  event.preventDefault();
});
show(0);
</script>
</body>
</html>
"""
