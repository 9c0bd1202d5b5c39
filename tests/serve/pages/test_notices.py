"""Sounds and notices of the browser are really asked for, by whoever has switched them on."""

from __future__ import annotations

from typing import Any

from coplay.serve.ledger.people import new_table
from tests.serve.pages.conftest import Site
from tests.serve.serving import wait_for

HEARD = """
window.heard = [], window.shown = [], window.asked = 0, window.resumed = 0;
window.AudioContext = class {
  constructor() { this.currentTime = 0; this.destination = {}; this.state = "suspended"; }
  resume() { this.state = "running"; window.resumed += 1; }
  createOscillator() {
    const tone = { frequency: {}, connect: (to) => to, stop() {} };
    tone.start = () => window.heard.push(tone.frequency.value);
    return tone;
  }
  createGain() {
    return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (to) => to };
  }
};
window.Notification = class {
  static permission = "granted";
  static requestPermission() { window.asked += 1; }
  constructor(title, options) { window.shown.push(options.body); }
};
Object.defineProperty(document, "hidden", { get: () => true });
"""
TURN = [660, 880]


def table(site: Site) -> str:
    """Where a person moves first."""
    with site.server.database.write() as transaction:
        laid = new_table(transaction, "hanabi-very-small", {"players": 2}, ["random"])
    return f"/play/{laid.attempt}#{laid.key}"


def test_whoever_wants_sounds_and_notices_gets_them_when_it_is_their_turn(site: Site, tab: Any) -> None:
    tab.add_init_script(HEARD)
    tab.goto(table(site))
    wait_for(lambda: tab.title().startswith("●"))
    assert tab.evaluate("[heard, shown, asked]") == [[], [], 0]  # nothing that was not asked for
    tab.check("#sounds")
    tab.check("#notices")
    assert tab.evaluate("[heard, asked]") == [TURN, 1]  # the sound is played for trial

    tab.goto(table(site))  # the choice is kept, and this page makes its sounds before anything is clicked on it
    wait_for(lambda: tab.evaluate("shown.length") > 0)
    assert tab.evaluate("[heard, shown]") == [TURN, ["It is your turn."]]
    assert tab.evaluate("resumed") >= 1
