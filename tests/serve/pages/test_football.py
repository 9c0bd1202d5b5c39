"""A match in the browser: one person among agents, on a screen and on a phone."""

from __future__ import annotations

import json
import re
from typing import Any

from coplay.serve.ledger.people import new_table
from tests.serve.pages.conftest import Site

LOWEST = "(parts) => Math.max(...parts.map((one) => one.getBoundingClientRect().bottom))"
SIZES = "(buttons) => buttons.flatMap((one) => [one.offsetWidth, one.offsetHeight])"
MOVED = "(before) => document.querySelector('#moving g').getAttribute('transform') !== before"


def test_mates_and_opponents_sit_where_their_sides_are(site: Site) -> None:
    """The form asks for mates first; which seats those are depends on one's own."""
    asked = site.client.get("/play?game=football&per_side=2").text
    assert re.findall(r"<label>([A-Z]\w+(?: \d)?)<select name=\"partner\"", asked) == [
        "Mate",
        "Opponent 1",
        "Opponent 2",
    ]
    form = {"game": "football", "per_side": "2", "partner": ["keeper", "chaser", "passer"], "seat": "1"}
    table = site.client.post("/play", data=form, follow_redirects=True).text
    about = json.loads(re.search(r'id="about">(.*?)</script>', table)[1])  # pyright: ignore[reportOptionalSubscript]
    assert about["names"] == ["chaser", "you", "passer", "keeper"]


def test_a_person_plays_a_match_to_its_end_and_watches_it_again(site: Site, tab: Any) -> None:
    """On the second side: the pitch is drawn as the player sees it, who attacks to the right."""
    with site.server.database.write() as transaction:
        seat = new_table(transaction, "football", {"per_side": 2, "half": 8}, ["chaser", "chaser", "keeper"], seat=1)
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    tab.wait_for_selector("#status:has-text('Step 0 of 16')")
    assert "You are red 1" in tab.inner_text("#status")
    for width, height in ((1280, 900), (390, 844)):
        tab.set_viewport_size({"width": width, "height": height})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.eval_on_selector_all("#pitch svg, #pad button, #deeds button", LOWEST) <= height
        assert min(tab.eval_on_selector_all("#pad button, #deeds button", SIZES)) >= 44
    before = tab.locator("#moving g").first.get_attribute("transform")
    assert tab.locator("#moving g").first.get_attribute("data-seat") == "1"
    tab.keyboard.press("ArrowRight")  # plays four steps, as every key does while the match waits
    tab.wait_for_selector("#status:has-text('Step 4 of')")
    tab.wait_for_function(MOVED, arg=before)
    tab.locator("#pad .north").dispatch_event("pointerdown")
    tab.wait_for_selector("#status:has-text('Step 8 of')")
    assert re.search(r"blue \d+ : \d+ red", tab.locator("#result").text_content())
    tab.select_option("#pace", "10")  # now time goes on by itself, to the end
    tab.click("#replay")
    tab.frame_locator("iframe").locator("#moving *").first.wait_for(state="attached")
