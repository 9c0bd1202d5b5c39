"""What people do in a browser, done by one: register, win at Hanabi, serve a soup, leave their games to research."""

from __future__ import annotations

import re
import shlex
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.report.replay import page
from coplay.report.replay_file import read_game
from coplay.serve.engine.players.preparing import Need
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.erase import erase_person
from coplay.serve.ledger.people import Seat, new_table
from coplay.serve.pages.export import export_people
from coplay.worlds.hanabi.recordings import load_games
from tests.serve.pages.conftest import RULES, Site, on_both_databases
from tests.serve.serving import PATIENCE

coplay_client = pytest.importorskip("coplay_client", reason="needs clients/python")


def test_register_get_keys_play_and_stand_on_the_leaderboard(site: Site, tab: Any) -> None:
    with site.server.database.write() as transaction:
        host.new_challenge(transaction, "short", RULES.replace("Small & hidden", "Short"))
        host.open_challenge(transaction, "short")
    tab.goto("/")
    tab.click("text=Short")
    tab.click("text=Register")
    tab.fill("[name=name]", "First legal")
    tab.fill("[name=method]", "takes the first legal action")
    tab.fill("[name=human_data]", "none")
    tab.fill("[name=contact]", "me@example.org")
    tab.click("main button")
    key = tab.inner_text("#evaluation-key")
    entered = CliRunner().invoke(app, shlex.split(tab.inner_text("pre >> nth=0"))[1:])  # the page says: paste this
    assert "small: mean" in entered.stdout
    given: dict[str, Any] = {}
    exec(tab.inner_text("pre >> nth=1"), given)  # and this
    assert given["space"].results[0]["games"] == 4  # as many as the rules allow
    with coplay_client.EvaluationSpace(key, url=site.url, progress=False) as space:
        for batch in space:
            batch.act(batch.legal.argmax(1))
    tab.goto("/challenges/short")
    line = tab.inner_text("#board-small tbody tr")
    assert "First legal" in line
    assert "takes the first legal action" in line
    tab.click("text=First legal")
    tab.click("text=watch >> nth=0")
    tab.frame_locator("iframe").locator("#moving *").first.wait_for(state="attached")


def test_predictions_are_made_with_the_code_of_the_page_and_shown(site: Site, tab: Any) -> None:
    recorded = Path(__file__).parents[2] / "worlds" / "hanabi" / "recordings" / "golden" / "smartbot_3p.safetensors"
    with site.server.database.write() as transaction:
        asked = (
            f'accept_repeats = true\n{RULES}\n[prediction]\ndata = "{recorded}"\nrehearsal = "{recorded}"\ngames = 2\n'
        )
        host.new_challenge(transaction, "foreseen", asked)
        host.open_challenge(transaction, "foreseen")
    given = {"name": "Foresees", "method": "m", "contact": "c", "human_data": "none"}
    made = site.client.post("/v1/challenges/foreseen/register", json=given).json()
    tab.goto("/challenges/foreseen/enter")
    exec(tab.inner_text("pre >> nth=2").replace("coplay_test_...", made["evaluation_key"]), {})
    tab.goto("/challenges/foreseen")
    assert re.search(r"\b2\.\d{3}\b", tab.inner_text("[id='board-prediction 3p'] [data-label=CE]"))
    tab.click("text=Foresees")
    assert re.search(r"prediction 3p, \d+ games", tab.inner_text("#foreseen"))


@on_both_databases
def test_names_that_are_scripts_stay_text_on_every_page(site: Site, tab: Any) -> None:
    evil = "</script><img src=x onerror=alert(1)><svg onload=alert(2)>"
    with site.server.database.write() as transaction:
        host.new_challenge(transaction, "evil", RULES.replace("Small & hidden", evil))
        host.open_challenge(transaction, "evil")
    tab.goto("/challenges/evil/register")
    for field in ("name", "method", "human_data", "contact"):
        tab.fill(f"[name={field}]", evil)
    tab.click("main button")
    key = tab.inner_text("#evaluation-key")
    with coplay_client.EvaluationSpace(key, url=site.url, progress=False) as space:
        for batch in space:
            batch.act(batch.legal.argmax(1))
    tab.goto("/challenges/evil")
    assert evil in tab.inner_text("#board-small tbody tr")
    tab.click("#board-small td a")
    assert evil in tab.inner_text("h1")
    tab.click("text=watch >> nth=0")
    assert evil in tab.inner_text("h1")
    film = tab.frame_locator("iframe")
    film.locator("#moving *").first.wait_for(state="attached")
    assert evil in film.locator("h1").inner_text()
    tab.goto("/admin")
    tab.fill("[name=token]", site.token)
    tab.click("main button")
    assert tab.inner_text("main").count(evil) >= 4
    assert tab.locator("main img, main svg").count() == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_its_screen(site: Site, tab: Any, width: int) -> None:
    entrant = site.enter(f"{'long' * 19}{width % 100}")["entrant"]  # a name without a space to break at
    seats = [lay(site, *table) for table in (("hanabi", {"players": 5}, ["random"] * 4), ("overcooked", {}, ["stay"]))]
    tab.set_viewport_size({"width": width, "height": 800})
    for path in (
        "/",
        "/challenges/small",
        "/challenges/small/enter",
        "/challenges/small/register",
        f"/challenges/small/entrants/{entrant}",
        "/play?game=hanabi&players=5",
        "/play?game=football&per_side=5",
        "/play?game=overcooked",
        "/replay",
        "/nothing",
        *(f"/play/{seat.attempt}#{seat.key}" for seat in seats),
        "/admin",
    ):
        tab.goto(path)
        check_fit(tab, width)
    tab.fill("[name=token]", site.token)
    tab.click("main button")
    tab.wait_for_selector("text=Audit")
    check_fit(tab, width)
    beyond = f"(cells) => cells.filter((one) => one.getBoundingClientRect().right > {width}).length"
    assert tab.locator("#audit td").count() >= 10
    assert tab.eval_on_selector_all("#audit td", beyond) == 0  # no part of the audit is hidden at the side


def test_a_table_for_five_and_a_kitchen_fit_on_usual_screens(site: Site, tab: Any) -> None:
    table = lay(site, "hanabi", {"players": 5}, ["random"] * 4, seed="0" * 15 + "1")
    kitchen = lay(site, "overcooked", {"layout": "cramped_room", "horizon": 44}, ["stay"])
    lowest = "(parts) => Math.max(...parts.map((one) => one.getBoundingClientRect().bottom))"
    screens = ((1280, 900), (1366, 768))
    tab.goto(f"/play/{table.attempt}#{table.key}")
    tab.locator(".hand.own.on-turn button.card:enabled").first.click()
    tab.locator("#choice >> text=Play").wait_for()
    for width, height in screens:
        tab.set_viewport_size({"width": width, "height": height})
        assert tab.locator(".hand .chip").count() == 4 * 10
        assert tab.eval_on_selector_all(".hand, #choice, #board", lowest) <= height
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.eval_on_selector_all(".hand, #choice, #board", lowest) <= 844
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.goto(f"/play/{kitchen.attempt}#{kitchen.key}")
    tab.wait_for_selector("#controls:not([hidden])")
    for width, height in (*screens, (390, 844)):
        tab.set_viewport_size({"width": width, "height": height})
        assert tab.eval_on_selector_all("#kitchen svg, #pad button", lowest) <= height
        sizes = "(buttons) => buttons.flatMap((one) => [one.offsetWidth, one.offsetHeight])"
        assert min(tab.eval_on_selector_all("#pad button", sizes)) >= 44


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_has_the_same_number_wherever_it_is_named(site: Site, tab: Any, seat: int) -> None:
    """As in the rules of a challenge, in messages and in the pictures: from 0."""
    tab.goto("/play?game=overcooked")
    tab.select_option("[name=seat]", label=tab.locator("[name=seat] option").nth(seat).inner_text())
    assert tab.locator("[name=seat] option").nth(seat).inner_text().startswith(str(seat))
    tab.select_option("[name=partner]", "stay")
    tab.click("button:has-text('Sit down')")
    tab.wait_for_selector(f"#status:has-text('You are cook {seat}')")
    assert re.search(rf"\b{seat}\s*you\b", tab.locator("#kitchen svg").text_content())


def check_fit(tab: Any, width: int) -> None:
    """Nothing reaches beyond the screen, and every field says what it is for."""
    assert tab.evaluate("document.documentElement.scrollWidth") <= width, tab.url
    unnamed = "input:not([type=hidden], [hidden], [aria-label]), select:not([aria-label]), textarea"
    alone = "(fields) => fields.filter((one) => !one.closest('label')).length"
    assert tab.eval_on_selector_all(unnamed, alone) == 0, tab.url


def lay(site: Site, game: str, settings: dict[str, Any], partners: list[str], seed: str | None = None) -> Seat:
    with site.server.database.write() as transaction:
        return new_table(transaction, game, settings, partners, seed=seed)


def test_a_rainbow_card_is_hinted_by_any_colour(site: Site, tab: Any) -> None:
    seat = lay(site, "hanabi", {"players": 2, "variant": "black-rainbow-6"}, ["random"], seed="0" * 15 + "4")
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    tab.click(".hand:not(.own) button[aria-label*=rainbow]:enabled >> nth=0")
    named = tab.locator("#choice button").all_inner_texts()[:5]
    assert [name.split()[0] for name in named] == ["red", "yellow", "green", "blue", "black"]
    assert "There is only one black card of each rank." in tab.inner_text("#special")


def test_a_person_wins_a_rigged_small_hanabi_by_clicking(site: Site, tab: Any) -> None:
    seat = lay(site, "hanabi-very-small", {"players": 2}, ["smartbot"], seed="0" * 15 + "1")
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    mine = tab.locator(".hand.own.on-turn button.card:enabled")
    mine.nth(1).wait_for()
    tab.click("[data-hint='1 color 0']")  # a choice is not yet a move
    assert "Give hint" in tab.inner_text("#choice")
    tab.keyboard.press("Escape")
    mine.nth(1).click()
    tab.click("#choice >> text=Note")
    tab.fill("#choice input", "keep this")
    tab.keyboard.press("Enter")
    for slot in (0, 0, 1, 0, 0):  # what this deal asks for
        before = tab.locator("#history li").count()
        mine.nth(slot).click()
        tab.click("#choice >> text=Play")
        tab.locator(f"#history li >> nth={before}").or_(tab.locator("#replay")).first.wait_for()
        if slot == 0 and tab.locator("#history li").count() <= 2:
            assert tab.inner_text(".hand.own .place >> nth=0").endswith("keep this")  # the note moves with its card
    tab.wait_for_selector("#status:has-text('Score 5 of 5')")
    tab.click("#replay")
    assert tab.inner_text("#final-score") == "5"
    assert "/replay/" in tab.url


def test_the_table_is_there_at_once_and_says_whom_it_waits_for(site: Site, tab: Any) -> None:
    seat = lay(site, "hanabi-very-small", {"players": 2}, ["smartbot"], seed="0" * 15 + "1")
    held: list[Any] = []
    # As if the server had to compile the game first.
    tab.route("**/turns*", lambda route: route.continue_() if held else held.append(route))
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    tab.wait_for_selector("#waiting:has-text('smartbot is getting ready')")
    assert tab.locator("#felt .card").count() >= 4
    assert tab.locator(".card:enabled, .chip:enabled").count() == 0
    while not held:
        tab.wait_for_timeout(20)
    held[0].continue_()
    tab.locator(".hand.own.on-turn button.card:enabled").first.wait_for()
    assert not tab.is_visible("#waiting")


def test_while_a_table_is_made_ready_the_page_says_how_far_it_is_and_not_that_it_is_your_turn(
    site: Site, tab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    preparations, let = site.server.engine.preparations, threading.Event()
    work = preparations._work

    def slowly(need: Need) -> bool:
        assert let.wait(PATIENCE)
        return work(need)

    monkeypatch.setattr(preparations, "_work", slowly)
    seat = lay(site, "hanabi-very-small", {"players": 2, "life_tokens": 2}, ["random"], seed="0" * 15 + "1")
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    tab.wait_for_selector("#waiting:has-text('0 of 2 parts are there')")
    tab.wait_for_selector("#status:has-text('The table opens in a moment')")
    assert "your turn" not in tab.inner_text("#status").lower()
    let.set()
    tab.locator(".hand.own.on-turn button.card:enabled").first.wait_for()
    assert not tab.is_visible("#waiting")


def test_a_person_hints_and_plays_with_the_keyboard_and_looks_back(site: Site, tab: Any) -> None:
    seat = lay(site, "hanabi-very-small", {"players": 2}, ["smartbot"], seed="0" * 15 + "1")
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    mine = tab.locator(".hand.own.on-turn button.card:enabled")
    mine.first.wait_for()
    tab.click("[data-hint='1 color 0']")
    tab.keyboard.press("Escape")
    tab.keyboard.press("r")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#history li >> nth=1")
    assert "You hinted smartbot colour red" in tab.inner_text("#history")
    mine.first.wait_for()
    tab.reload()  # nothing is lost with the page
    mine.first.wait_for()
    tab.keyboard.press("ArrowLeft")
    assert "Looking back at turn 1" in tab.inner_text("#status")
    tab.keyboard.press("Escape")
    tab.keyboard.press("1")
    tab.keyboard.press("p")
    tab.wait_for_selector("#history li:has-text('You played')")


def test_a_soup_is_delivered_with_the_keyboard(site: Site, tab: Any) -> None:
    seat = lay(site, "overcooked", {"layout": "cramped_room", "horizon": 44}, ["stay"])
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    tab.wait_for_selector("#controls:not([hidden])")
    onion = ["ArrowLeft", " ", "ArrowRight", "ArrowUp", " "]
    dish = ["ArrowLeft", "ArrowDown", "ArrowDown", " ", "ArrowUp", "ArrowRight", "ArrowUp"]
    serve = [" ", "ArrowDown", "ArrowRight", "ArrowDown", " "]
    keys = ["ArrowUp", *onion, *onion, *onion, *dish, *["."] * 15, *serve, "."]
    for number, key in enumerate(keys, 1):
        tab.keyboard.press(key)
        if number < 44:
            tab.wait_for_selector(f"#status:has-text('Step {number} of 44')")
    tab.wait_for_selector("text=Final score: 20")
    tab.click("#replay")
    assert tab.inner_text("#final-score") == "20"


@pytest.mark.slow
def test_consent_lets_a_game_be_exported_and_the_file_replays(site: Site, tab: Any, tmp_path: Path) -> None:
    tab.goto("/play?game=hanabi")
    tab.select_option("[name=partner]", "random")
    tab.check("[name=agreed]")
    tab.click("button:has-text('Sit down')")
    mine = tab.locator(".hand.own.on-turn button.card:enabled")
    replay = tab.locator("#replay")
    while True:
        mine.first.or_(replay).first.wait_for()
        if replay.count():
            break
        before = tab.locator("#history li").count()
        mine.first.click()
        tab.click("#choice >> text=Play")
        tab.wait_for_selector(f"#history li >> nth={before}")
    assert re.search(r"Score \d+ of 25", tab.inner_text("#status"))
    (line,) = export_people(site.server.database, tmp_path)
    assert "1 games of 1 people (AH2AC2 format)" in line
    written = tmp_path / "hanabi-2.safetensors"
    assert "player 2" in page(read_game(written, 0), 0)  # what `coplay replay --html` writes
    tab.goto("/replay")
    tab.set_input_files("#file", written)
    tab.frame_locator("#film").locator("#moving *").first.wait_for(state="attached")
    games = load_games(written)  # plays every game by the rules
    assert games.players == 2
    assert games.extra["human_seat"].tolist() == [0]
    person = f"{int(games.extra['participant'][0]):016x}"
    assert erase_person(site.server.database, person, "asked") == 1
    with pytest.raises(ValueError, match="nothing to export"):
        export_people(site.server.database, tmp_path)
    assert np.asarray(games.lengths).min() > 0
