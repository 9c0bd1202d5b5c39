"""A game that brings no page of its own gets a plain table, which shows what its seat may know and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from websockets.sync.client import connect

from coplay.challenge.batches import as_key
from coplay.games import make
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.people import Seat, new_table
from coplay.serve.pages.export import export_people
from tests.serve.pages.conftest import Site

OWN = Path(__file__).parents[2] / "own"
LEVERS, WORDS = f"file:{OWN}/levers.py:Levers", f"file:{OWN}/words.py:Words"
RULES = f"""
title = "Own games"
[[configuration]]
name = "levers"
game = "{LEVERS}"
games = 2
partners = ["random"]
rehearsal = ["file:{OWN}/levers.py:First"]
[[configuration]]
name = "words"
game = "{WORDS}"
games = 2
partners = ["random"]
rehearsal = ["file:{OWN}/words.py:Honest"]
"""


@pytest.fixture(scope="module")
def hosted(sqlite_site: Site) -> Iterator[Site]:
    """A server whose host has opened a challenge with two games of their own."""
    with sqlite_site.server.database.write() as transaction:
        host.new_challenge(transaction, "own", RULES)
        host.open_challenge(transaction, "own")
    yield sqlite_site
    with sqlite_site.server.database.write() as transaction:
        host.close_challenge(transaction, "own")


def secret_of(seed: str) -> int:
    return int(make(WORDS).reset(jax.random.wrap_key_data(jnp.asarray(as_key(seed)))).secret)


def lay(site: Site, game: str, seat: int, partner: str, seed: str | None = None) -> Seat:
    with site.server.database.write() as transaction:
        return new_table(transaction, game, {}, [f"file:{OWN}/{partner}"], seat, seed=seed)


class Player:
    """What the script of the plain table does."""

    def __init__(self, site: Site, seat: Seat, want: tuple[str, ...] = ("text", "legal")) -> None:
        self.socket = connect(f"{site.url.replace('http', 'ws')}/v1/socket")
        hello = {"type": "hello", "version": 1, "key": seat.key, "want": want, "turns": "all", "parallel": 1}
        self.socket.send(json.dumps(hello))
        self.heard: list[dict[str, Any]] = []

    def hear(self, kind: str) -> dict[str, Any]:
        """The next message of this kind; of `turns`, the next that is its own."""
        while True:
            message = json.loads(self.socket.recv(600))
            if message["type"] != "preparing":  # only the first table of a kind has to wait
                self.heard.append(message)
            if message["type"] == kind and (kind != "turns" or message["mine"][-1]):
                return message

    def act(self, message: dict[str, Any], action: int) -> None:
        move = {"type": "act", "game": message["game"][-1:], "turn": message["turn"][-1:], "action": [action]}
        self.socket.send(json.dumps(move))


def test_games_of_open_challenges_can_be_chosen_with_their_rehearsal_partners(hosted: Site) -> None:
    page = hosted.client.get("/play?game=own%2Fwords").text
    assert "Own games: words" in page
    assert re.search(r'<option value="file:[^"]*words.py:Honest" selected', page)
    assert "/play?game=own/words" in hosted.client.get("/").text
    form = {"game": "own/words", "partner": f"file:{OWN}/words.py:Honest"}
    laid = hosted.client.post("/play", data=form)
    assert laid.status_code == 303
    hosted.client.cookies.clear()
    table = hosted.client.get(laid.headers["location"].split("#")[0]).text
    assert "plain_table.js" in table
    assert re.search(r'"actions": \["action 0", "action 1", "action 2"\]', table)
    assert hosted.client.post("/play", data=form | {"partner": f"file:{OWN}/words.py:View"}).status_code == 422
    assert hosted.client.post("/play", data=form | {"game": WORDS}).status_code == 422
    assert hosted.client.get("/static/plain_table.js").status_code == 200


def test_a_person_plays_a_simultaneous_game_and_sees_it_again(hosted: Site, tmp_path: Path) -> None:
    seat = lay(hosted, LEVERS, 1, "levers.py:First")
    player = Player(hosted, seat)
    for turn in range(3):
        message = player.hear("turns")
        assert f"round: {turn}" in message["text"][-1]
        player.act(message, 0)
    over = player.hear("over")
    assert (over["how"], over["score"]) == (["done"], [3.0])
    replay = hosted.client.get(f"/play/{seat.attempt}/replay", follow_redirects=True).text
    assert 'id="final-score">3<' in replay
    assert replay.count("a person: action 0") == 3
    assert "<iframe" not in replay
    assert hosted.client.get(f"/play/{seat.attempt}/turns").status_code == 401
    turns = hosted.client.get(f"/play/{seat.attempt}/turns", headers={"authorization": f"Bearer {seat.key}"})
    assert turns.status_code == 404
    assert hosted.client.get(f"/play/{seat.attempt}/pictures").status_code == 404


def test_what_a_seat_must_not_know_changes_no_byte_of_its_page_or_socket(hosted: Site) -> None:
    """Deals of a game whose first seat alone sees a number; a partner that says nothing of it."""
    seeds = {secret_of(f"{number:016x}"): f"{number:016x}" for number in range(20)}
    assert len(seeds) == 3
    told = {}
    for who in (0, 1):
        told[who] = set()
        for seed in seeds.values():
            partner = "words.py:Honest" if who == 0 else "levers.py:First"  # always the first word
            seat = lay(hosted, WORDS, who, partner, seed)
            player = Player(hosted, seat, ("vector", "legal", "text", "view", "words"))
            player.hear("turns")
            for message in player.heard:
                message.pop("schedule_hash", None)  # of the seed, which nobody can guess
            page = hosted.client.get(f"/play/{seat.attempt}").text
            told[who].add((page + json.dumps(player.heard)).replace(seat.attempt, "ATTEMPT"))
            player.socket.close()
    assert len(told[0]) == 3  # whoever sees the number is told it
    assert len(told[1]) == 1


def test_games_of_people_are_exported_as_episodes(hosted: Site, tmp_path: Path) -> None:
    laid = hosted.client.post(
        "/play", data={"game": "own/words", "partner": f"file:{OWN}/words.py:Honest", "seat": 1, "agreed": "1"}
    )
    hosted.client.cookies.clear()
    attempt, key = laid.headers["location"].removeprefix("/play/").split("#")
    player = Player(hosted, Seat(attempt, key))
    message = player.hear("turns")
    word = int(re.search(r"word: (\d)", message["text"][-1]).group(1))  # pyright: ignore[reportOptionalMemberAccess]
    player.act(message, word)
    assert player.hear("over")["score"] == [1.0]
    (line,) = [one for one in export_people(hosted.server.database, tmp_path) if "words.py" in one]
    assert "(episodes)" in line
    from coplay.rollouts.episode_file import load

    (path,) = tmp_path.glob("*words.py*")
    episodes = load(path)
    assert episodes.scores.tolist() == [1.0]
    assert np.asarray(episodes.extra["human_seat"]).tolist() == [1]


def test_a_person_pulls_levers_by_clicking(hosted: Site, browser: Any) -> None:
    seat = lay(hosted, LEVERS, 0, "levers.py:First")
    context = browser.new_context(viewport={"width": 400, "height": 800}, base_url=hosted.url)
    tab = context.new_page()
    tab.set_default_timeout(600_000)
    tab.goto(f"/play/{seat.attempt}#{seat.key}")
    for turn in range(3):
        tab.wait_for_selector(f"#status:has-text('Turn {turn + 1}: your move')")
        assert tab.locator("#moves button").count() == 4
        tab.click("#moves [data-action='0']")
    tab.wait_for_selector("text=Final score: 3")
    assert tab.locator("#history li").count() == 2
    tab.click("#replay")
    assert tab.inner_text("#final-score") == "3"
    context.close()
