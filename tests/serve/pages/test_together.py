"""Several people at one table, in browsers of their own: they are invited, play to the end, are watched, and what they
leave is cloned from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coplay.data.people import counting_seats
from coplay.rollouts.episode_file import load
from coplay.serve.engine.game_clock import GameClock
from coplay.serve.engine.party import START
from coplay.serve.ledger.people import Seat, answer_consent, new_person, new_table
from coplay.serve.pages import consent
from coplay.serve.pages.export import export_people
from coplay.serve.store.places import Customs
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_cloned_kitchen import SMALL, command
from tests.serve.serving import wait_for
from tests.serve.timing import HandMoved

ON_TURN = ".hand.own.on-turn button.card:enabled"


@pytest.fixture
def tabs(browser: Any, site: Site) -> Iterator[list[Any]]:
    """Three people, each in a browser of their own; a script that breaks fails the test."""
    contexts = [browser.new_context(viewport={"width": 1366, "height": 768}, base_url=site.url) for _ in range(3)]
    broken: list[str] = []
    pages = []
    for context in contexts:
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.on("console", lambda message: broken.append(message.text) if "Content Security" in message.text else None)
        pages.append(page)
    yield pages
    for context in contexts:
        context.close()
    assert broken == []


def invitation(tab: Any) -> str:
    """The link that whoever laid the table is shown."""
    tab.wait_for_selector("#company li[data-seat='1'] input")
    return tab.input_value("#company li[data-seat='1'] input")


def accept(tab: Any, link: str) -> None:
    tab.goto(link)
    tab.check("[name=agreed]")
    tab.click("button:has-text('Sit down')")


def watch(host: Any, spectator: Any) -> None:
    host.click("#watch")
    spectator.goto(host.input_value("#company input[aria-label='link to watch']"))


def by_somebody_who_agreed(site: Site, game: str, settings: dict[str, Any], others: list[str | None]) -> Seat:
    """A table whose first seat is that of a person who agreed."""
    with site.server.database.write() as transaction:
        person = new_person(transaction)
        answer_consent(transaction, person.id, consent.VERSION, True)
        customs = Customs(pace=6 if game == "overcooked" else 0)
        return new_table(transaction, game, settings, others, person=person.id, customs=customs)


def play_on(tab: Any) -> None:
    """Plays the first card."""
    before = tab.locator("#history li").count()
    tab.locator(ON_TURN).first.click()
    tab.click("#choice >> text=Play")
    tab.locator(f"#history li >> nth={before}").or_(tab.locator("#replay")).first.wait_for()


def try_a_move_out(tab: Any) -> None:
    """Nothing of it is sent."""
    tab.click("#whatif")
    tab.locator(".hand.own button.card").first.click()
    tab.click("#choice button:has-text('R1')")
    tab.click("#choice button:has-text('Play')")
    assert "What if: you play red 1 and it scores. To move: person 1." in tab.inner_text("#status")
    tab.click("#choice button:has-text('Back to the game')")
    assert tab.inner_text("#score") == "0 / 5"


def test_two_browsers_and_an_agent_play_hanabi_while_a_third_watches(
    site: Site, tabs: list[Any], tmp_path: Path
) -> None:
    one, two, spectator = tabs
    one.goto("/play?game=hanabi-very-small&players=3")
    one.select_option("[name=partner] >> nth=0", "person")
    one.check("[name=agreed]")
    one.click("button:has-text('Sit down')")
    link = invitation(one)
    watch(one, spectator)
    accept(two, link)
    one.wait_for_selector("#company.complete")
    one.locator(ON_TURN).first.wait_for()
    assert one.title().startswith("● Your turn")
    two.locator(".hand:not(.own).on-turn").wait_for()
    assert two.title() == "Hanabi"
    try_a_move_out(one)
    assert two.locator(ON_TURN).count() == 0
    two.reload()  # whoever closes the page comes back to the same seat
    two.locator("#felt .hand.own b:has-text('you')").wait_for()
    spectator.locator("#history").wait_for(state="attached")
    moves = 0
    while not one.locator("#replay").count():
        on_turn = one.locator(ON_TURN).or_(one.locator("#replay")), two.locator(ON_TURN).or_(two.locator("#replay"))
        on_turn[moves % 2].first.wait_for()
        if not one.locator("#replay").count() and (one, two)[moves % 2].locator(ON_TURN).count():
            play_on((one, two)[moves % 2])
        if moves == 1:
            spectator.wait_for_selector("#history li:has-text('Person 1 played')")
            hidden = spectator.locator(".hand:has(b:has-text('person')) button.card:not(.hidden-card)").count()
            assert hidden == 0  # whoever watches may sit at the table, too
            assert spectator.locator(".card:enabled, .chip:enabled").count() == 0
        moves += 1
    for tab in (one, two, spectator):
        tab.wait_for_selector("#replay")
    own = two.locator(".hand.own button.card").first.get_attribute("aria-label")
    assert re.match(r"your card 1: red \d", own)  # what one had is shown at the end
    two.click("#replay")
    assert "person 0" in two.content()
    refused = two.request.get(link.replace("/join#", "/watch#"))  # the keys open nothing else
    assert refused.ok  # a page without anything of the game
    two.goto(link)
    two.click("button:has-text('Sit down')")
    assert "was used" in two.inner_text("main")  # an invitation gives one seat once
    (line,) = [line for line in export_people(site.server.database, tmp_path) if "hanabi-very-small-3." in line]
    assert "1 games of 2 people (episodes)" in line
    games = load(tmp_path / "hanabi-very-small-3.safetensors")
    assert counting_seats(games.extra, 1, 3).tolist() == [[True, True, False]]
    assert len(set(games.extra["participants"][0].tolist())) == 3
    data = str(tmp_path / "hanabi-very-small-3.safetensors")
    chosen = (f"data={data}", f"held_out={data}", "epochs=1", *SMALL[:3])
    settings = [word for setting in chosen for word in ("--set", setting)]
    made = command("train", "bc", "--game", "hanabi-very-small?players=3", *settings, "--out", str(tmp_path / "clone"))
    assert "agent-0.safetensors" in made


def test_who_asks_while_an_invitation_is_on_its_way_gets_an_answer(site: Site, tabs: list[Any]) -> None:
    held: list[Any] = []
    tabs[0].route("**/links", lambda route: route.continue_() if held else held.append(route))
    seat = by_somebody_who_agreed(site, "hanabi-very-small", {"players": 3}, [None, "random"])
    with tabs[0].expect_request("**/links"):
        tabs[0].goto(f"/play/{seat.attempt}?seat=0#{seat.key}")
    tabs[0].click("#watch")
    held[0].continue_()
    tabs[0].wait_for_selector("#company input[aria-label='link to watch']")


def test_two_browsers_and_an_agent_cook_at_the_pace_of_the_server(
    site: Site, tabs: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, spectator = tabs
    timing, company = HandMoved(), site.server.engine.seating.company
    clock = GameClock(timing)
    monkeypatch.setattr(company, "clock", clock)  # however busy the machine: a step is due when we say so
    settings = {"layout": "cramped_room", "horizon": 8, "chefs": 3}
    seat = by_somebody_who_agreed(site, "overcooked", settings, [None, "stay"])
    one.goto(f"/play/{seat.attempt}?seat=0#{seat.key}")
    watch(one, spectator)
    accept(two, invitation(one))
    for tab, key in ((one, "ArrowLeft"), (two, "ArrowUp")):
        tab.wait_for_selector("#controls:not([hidden])")
        tab.keyboard.down(key)
    (live,) = [live for live in company.tables.live.values() if live.dealt.terms.attempt == seat.attempt]
    for step in range(8):
        wait_for(lambda: live.party is not None and live.party.pressed.keys() == {0, 1})
        timing.advance(START if step == 0 else 0.2)  # at six steps a second
        clock.beat()
        wait_for(lambda step=step: live.course.turn > step)
    for tab in tabs:
        tab.wait_for_selector("#status:has-text('The kitchen is closed')")
    assert spectator.locator("#controls:not([hidden])").count() == 0
    (line,) = [line for line in export_people(site.server.database, tmp_path) if "overcooked-3-8-cramped_room" in line]
    assert "1 games of 2 people (episodes)" in line
    games = load(tmp_path / "overcooked-3-8-cramped_room.safetensors")
    assert counting_seats(games.extra, 1, 3).tolist() == [[True, True, False]]
    assert games.actions[0].tolist() == [[3, 0, 4]] * 8
