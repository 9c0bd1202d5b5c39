"""Pages: they render, escape what people wrote, allow no foreign script, and hide what must stay hidden."""

from __future__ import annotations

import base64
import json
import queue
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner
from websockets.sync.client import connect

from coplay.challenge.batches import as_key
from coplay.cli import app
from coplay.games import make
from coplay.serve.engine.session import Session
from coplay.serve.ledger import keys
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.people import new_table
from coplay.serve.pages.participants import kept_until
from coplay.serve.store.models import Attempt, DeskSession, Entrant, Table
from tests.serve.pages.conftest import RULES, Site, on_both_databases

EVIL = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/challenges/small",
        "/challenges/small/enter",
        "/challenges/small/register",
        "/play?game=overcooked",
        "/replay",
        "/admin",
    ],
)
def test_pages_load_only_scripts_of_this_server(site: Site, path: str) -> None:
    answer = site.client.get(path)
    assert answer.status_code == 200
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert not re.search(r"<script(?![^>]*(src=\"/static|application/json))", answer.text)
    assert not re.search(r"<[^>]*\s(on\w+|style)=|https?://(?!127\.0\.0\.1)", answer.text)


def test_readers_get_a_page_for_what_is_not_there_and_programs_json(site: Site) -> None:
    page = site.client.get("/nothing", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert "there is no page /nothing" in page.text.lower()
    assert site.client.get("/nothing").json() == {"code": "unknown", "message": "Not Found."}
    assert "There is no challenge" in site.client.get("/challenges/none").text


def test_whatever_goes_wrong_readers_get_a_page_with_the_policy(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*_: Any) -> float:
        return 7.0

    def broken(*_: Any) -> None:
        raise RuntimeError("a secret of the server")

    reader = {"accept": "text/html"}
    answers = [
        site.client.get("/challenges/%00", headers=reader),
        site.client.get("/challenges/small/entrants/x?begin=99999999999999999999", headers=reader),
        site.client.post("/challenges/small/register", data={"name": "x" * 70_000}, headers=reader),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(site.server.guard, "wait", too_much)
        answers.append(site.client.get("/", headers=reader))
    with monkeypatch.context() as patch:
        patch.setattr("coplay.serve.pages.challenges.summary_of", broken)
        answers.append(site.client.get("/", headers=reader))
    assert [answer.status_code for answer in answers] == [404, 422, 413, 429, 500]
    assert answers[3].headers["retry-after"] == "7"
    for answer in answers:
        assert "That did not work" in answer.text
        assert "secret of the server" not in answer.text
        assert "script-src 'self';" in answer.headers["content-security-policy"]


def test_pages_of_the_framework_that_load_scripts_from_elsewhere_are_gone(site: Site) -> None:
    assert site.client.get("/docs").status_code == 404
    assert "/v1/challenges" in site.client.get("/openapi.json").json()["paths"]


@on_both_databases
def test_a_name_cannot_bring_a_script_and_a_contact_is_shown_to_nobody(site: Site) -> None:
    given = {"name": EVIL, "method": EVIL, "contact": "hidden@example.org", "human_data": EVIL}
    answer = site.client.post("/challenges/small/register", data=given)
    assert answer.status_code == 201
    assert re.search(r"coplay_test_\S{40}", answer.text)
    assert re.search(r"coplay_eval_\S{40}", answer.text)
    own = site.client.get(re.search(r"/challenges/small/entrants/\w+", answer.text).group())  # pyright: ignore
    for text in (answer.text, own.text):
        assert EVIL not in text
        assert "&lt;script&gt;" in text
    assert "hidden@example.org" not in own.text
    again = site.client.post("/challenges/small/register", data=given)
    assert again.status_code == 409
    assert "has entered already" in again.text
    assert EVIL not in again.text


def test_a_key_is_changed_on_a_page(site: Site) -> None:
    keys = site.enter("changes")
    assert site.client.get("/keys").status_code == 200
    made = site.client.post("/keys", data={"key": f" {keys['test_key']} "})
    key = re.search(r"coplay_test_[\w-]{43}", made.text).group()  # pyright: ignore[reportOptionalMemberAccess]
    assert site.client.get("/v1/me", headers={"authorization": f"Bearer {key}"}).status_code == 200
    again = site.client.post("/keys", data={"key": keys["test_key"]})
    assert (again.status_code, "was revoked" in again.text) == (401, True)
    assert site.client.post("/keys", data={"key": site.token}).status_code == 403


@on_both_databases
@pytest.mark.parametrize(
    "headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}, {"origin": "null"}]
)
def test_no_other_site_can_send_a_form(site: Site, headers: dict[str, str]) -> None:
    table = {"game": "hanabi-small", "partner": "random", "agreed": "1"}
    for path, form in (("/play", table), ("/admin/login", {"token": site.token}), ("/challenges/small/register", {})):
        answer = site.client.post(path, data=form, headers=headers)
        assert answer.status_code == 403
        assert "sent by another site" in answer.text
        assert "set-cookie" not in answer.headers
    assert site.client.post("/play", data=table, headers={"origin": site.url}).status_code == 303
    site.client.cookies.clear()


class Signed:
    """Someone at the host's desk."""

    def __init__(self, site: Site) -> None:
        self.site = site
        answer = site.client.post("/admin/login", data={"token": site.token})
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert site.token not in cookie
        self.cookies = {"cookie": cookie.split(";")[0]}
        site.client.cookies.clear()
        page = self.get()
        self.token = re.search(r'name="token" value="(\w+)"', page).group(1)  # pyright: ignore[reportOptionalMemberAccess]

    def get(self) -> str:
        return self.site.client.get("/admin", headers=self.cookies).text

    def post(self, path: str, **data: Any) -> Any:
        return self.site.client.post(path, data=data, headers=self.cookies)


def test_a_track_and_terms_are_on_the_form_and_the_board(site: Site) -> None:
    more = 'terms = "Be <fair>."\n[[track]]\nname = "rl"\ntitle = "Learning"\n[[track]]\nname = "llm"\n'
    with site.server.database.write() as transaction:
        head, rest = RULES.split("[[configuration]]")
        terms, tracks = more.split("\n", 1)
        host.new_challenge(transaction, "tracks", f"{head}{terms}\n{tracks}[[configuration]]{rest}")
        host.open_challenge(transaction, "tracks")
    form = site.client.get("/challenges/tracks/register").text
    assert "Be &lt;fair&gt;." in form
    version = re.search(r'name="terms" value="(\w{12})"', form).group(1)  # pyright: ignore[reportOptionalMemberAccess]
    given = {"name": "Learner", "method": "m", "contact": "c", "human_data": "none"}
    refused = site.client.post("/challenges/tracks/register", data=given | {"terms": version})
    assert "choose rl or llm" in refused.text
    assert " checked" in refused.text
    made = site.client.post("/challenges/tracks/register", data=given | {"track": "rl", "terms": version})
    assert made.status_code == 201
    _play_all(site, re.search(r"coplay_eval_[\w-]{43}", made.text).group())  # pyright: ignore[reportOptionalMemberAccess]
    for track, there in (("", True), ("rl", True), ("llm", False)):
        assert ("Learner" in site.client.get("/challenges/tracks", params={"track": track}).text) is there
        lines = site.client.get("/v1/challenges/tracks/board", params={"track": track}).json()
        assert [line["entrant"] for line in lines] == ["Learner"] * there
    assert site.client.get("/v1/challenges/tracks/board?track=none").status_code == 422


def test_the_desk_looks_entrants_up(site: Site) -> None:
    site.enter("Sought after")
    desk = Signed(site)

    def listed(**query: str) -> str:
        page = site.client.get("/admin", params=query, headers=desk.cookies).text
        return page.split('id="entrants"')[1].split("</section>")[0]

    assert "Sought after" in listed(q="sought AFTER", of="small", status="approved")
    assert "Sought after" not in listed(q="sought after", status="banned")
    nobody = listed(q=f"nobody {EVIL}")
    assert "Nobody like that" in nobody
    assert "&lt;script&gt;" in nobody
    assert EVIL not in nobody
    assert site.client.get("/admin?q=Sought").text.count("Sought after") == 0  # without the cookie


def test_the_host_drains_by_command(site: Site) -> None:
    def drain(*words: str, key: str = site.token) -> Any:
        command = ["challenge", "drain", *words, "--reason", "new kernel", "--key", key, "--url", site.url]
        return CliRunner().invoke(app, command)

    assert drain().stdout == "no game begins\n"
    assert site.client.get("/healthz").json()["status"] == "draining"
    assert drain("--off").stdout == "games begin\n"
    assert site.client.get("/healthz").json()["status"] == "ok"
    assert "is not an admin token" in str(drain(key=site.enter("drains")["test_key"]).exception)
    assert "new kernel" in Signed(site).get()


def test_the_desk_needs_the_token_the_cookie_and_a_reason(site: Site) -> None:
    wrong = site.client.post("/admin/login", data={"token": "coplay_admin_wrong"})
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    entrant = site.enter("not a host")
    assert site.client.post("/admin/login", data={"token": entrant["test_key"]}).status_code == 403
    desk = Signed(site)
    assert site.client.post("/admin/drain", data={"on": "yes", "token": desk.token, "reason": "x"}).status_code == 401
    assert desk.post("/admin/drain", on="yes", reason="x").status_code == 403
    assert desk.post("/admin/drain", on="yes", token=desk.token, reason=" ").status_code == 422
    assert not site.server.engine.draining
    forged = {"cookie": desk.cookies["cookie"][:-1]}
    assert "Admin token" in site.client.get("/admin", headers=forged).text


@on_both_databases
def test_whoever_has_a_copy_of_the_cookie_is_out_when_the_host_signs_out(site: Site) -> None:
    desk, elsewhere = Signed(site), Signed(site)
    assert desk.post("/admin/logout", token=elsewhere.token).status_code == 403
    assert desk.post("/admin/logout", token=desk.token).status_code == 303
    assert "Admin token" in desk.get()
    assert desk.post("/admin/drain", on="yes", token=desk.token, reason="x").status_code == 401
    assert "Sign out" in elsewhere.get()
    with site.server.database.write() as transaction:
        transaction.execute(update(DeskSession).values(until=0.0))
    assert "Admin token" in elsewhere.get()


@on_both_databases
def test_the_host_lets_in_bans_revokes_and_drains_with_a_reason_in_the_audit(site: Site) -> None:
    with site.server.database.write() as transaction:
        host.new_challenge(transaction, "asked", RULES.replace("auto_approve = true", ""))
    desk = Signed(site)
    assert desk.post("/admin/challenges/asked", what="open", token=desk.token, reason="time").status_code == 303
    given = {"name": EVIL, "method": "m", "contact": "c", "human_data": "none"}
    pending = site.client.post("/challenges/asked/register", data=given)
    assert "coplay_test_" not in pending.text
    number = re.search(r"<code>(\w{16})</code>", pending.text).group(1)  # pyright: ignore[reportOptionalMemberAccess]
    let_in = desk.post(f"/admin/entrants/{number}", what="approved", token=desk.token, reason="known to us")
    assert EVIL not in let_in.text
    key = re.search(r"coplay_eval_[\w-]{43}", let_in.text).group()  # pyright: ignore[reportOptionalMemberAccess]
    me = {"authorization": f"Bearer {key}"}
    assert site.client.get("/v1/me", headers=me).status_code == 200
    assert key not in desk.get()
    desk.post("/admin/keys/revoke", prefix=key[:18], token=desk.token, reason="it was published")
    assert site.client.get("/v1/me", headers=me).status_code == 401
    desk.post(f"/admin/entrants/{number}/baseline", on="yes", token=desk.token, reason="ours")
    assert ">baseline<" in site.client.get(f"/challenges/asked/entrants/{number}").text
    desk.post(f"/admin/entrants/{number}", what="banned", token=desk.token, reason="cheated")
    desk.post("/admin/challenges/asked", what="pause", token=desk.token, reason="a bug")
    assert "takes no entrants" in site.client.get("/challenges/asked/register").text
    desk.post("/admin/drain", on="yes", token=desk.token, reason="new kernel")
    assert site.server.engine.draining
    assert site.client.post("/play", data={"game": "hanabi-small", "partner": "random"}).status_code == 503
    desk.post("/admin/drain", on="no", token=desk.token, reason="done")
    assert not site.server.engine.draining
    page = desk.get()
    for reason in ("time", "known to us", "it was published", "ours", "cheated", "a bug", "new kernel"):
        assert reason in page


@on_both_databases
def test_the_host_releases_voids_and_undoes_at_the_desk(site: Site) -> None:
    with site.server.database.write() as transaction:
        host.new_challenge(transaction, "troubled", RULES)
        host.open_challenge(transaction, "troubled")
    entrant = site.enter(EVIL, "troubled")
    with site.server.database.write() as transaction:
        attempt = open_attempt(transaction, transaction.get_one(Entrant, entrant["entrant"]), "eval")
        for deal, status in ((0, "stuck"), (1, "stuck"), (2, "forfeit")):
            which = Table.attempt_id == attempt.id, Table.deal == deal
            transaction.execute(update(Table).where(*which).values(status=status))
    desk = Signed(site)
    page = desk.get()
    assert "Games that wait for you" in page
    assert EVIL not in page
    assert "coplay_stuck 2" in site.client.get("/metrics").text
    ids = {deal: _table(site, attempt.id, deal) for deal in range(3)}
    for deal, what in ((0, "release"), (1, "void"), (2, "undo")):
        path = f"/admin/challenges/troubled/games/{ids[deal].id}"
        assert desk.post(path, what=what, reason="because").status_code == 403  # without the token of the form
        assert desk.post(path, what=what, token=desk.token, reason=" ").status_code == 422
        assert desk.post(path, what=what, token=desk.token, reason="because").status_code == 303
    assert [_table(site, attempt.id, deal).status for deal in range(3)] == ["todo", "void", "active"]
    page = desk.get()
    assert ids[0].id not in page.split("Audit")[0]
    for what in ("deal released", "deal voided", "forfeit undone"):
        assert what in page


def _table(site: Site, attempt: str, deal: int) -> Table:
    with site.server.database.read() as transaction:
        return transaction.scalars(select(Table).where(Table.attempt_id == attempt, Table.deal == deal)).one()


@on_both_databases
def test_the_desk_names_partners_that_have_changed_and_accepts_them(site: Site, tmp_path: Any) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("from coplay import Agent\nclass First(Agent):\n    def act(self, view): return 0\n")
    with site.server.database.write() as transaction:
        host.new_challenge(transaction, "changed", RULES.replace('["piers"]', f'["file:{agent}:First"]'))
        host.open_challenge(transaction, "changed")
    desk = Signed(site)
    assert "No rated game is played" not in desk.get()
    agent.write_text(agent.read_text() + "\n")
    assert f"{agent} has other contents" in desk.get()
    assert desk.post("/admin/challenges/changed", what="accept", token=desk.token, reason="a line").status_code == 303
    page = desk.get()
    assert "No rated game is played" not in page
    assert "partners accepted" in page


def test_only_listed_partners_and_kitchens_can_be_chosen(site: Site, tmp_path: Any) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\nclass A: pass\n")
    answer = site.client.post("/play", data={"game": "hanabi-small", "partner": f"file:{trap}:A"})
    assert answer.status_code == 422
    assert not (tmp_path / "sprung").exists()
    assert site.client.post("/play", data={"game": "overcooked", "layout": "/etc/passwd"}).status_code == 422
    assert site.client.post("/play", data={"game": "chess"}).status_code == 422
    assert site.client.get("/play?players=9").status_code == 422
    variant = {"game": "hanabi", "variant": "black-6"}
    assert site.client.post("/play", data=variant | {"partner": "iggi"}).status_code == 422  # it does not know it
    assert site.client.post("/play", data=variant | {"variant": "pink-6"}).status_code == 422


def test_all_games_of_a_number_have_one_answer(site: Site) -> None:
    table = {"game": "hanabi-very-small", "partner": "random"}
    numbers = []
    for answer in ({}, {"agreed": "1"}, {"agreed": "1"}):
        laid = site.client.post("/play", data=table | answer)
        assert re.fullmatch(r"/play/\w+#coplay_seat_[\w-]+", laid.headers["location"])
        page = site.client.get("/play").text
        assert ("checked" in page) == bool(answer)
        numbers += re.findall(r'id="number">(\w{16})<', page)
    site.client.cookies.clear()
    assert numbers[0] != numbers[1] == numbers[2]
    assert "number" not in re.findall(r'id="(\w+)"', site.client.get("/play").text)


@on_both_databases
def test_a_seat_shows_its_own_view_and_only_to_its_key(site: Site) -> None:
    settings = {"players": 2}
    with site.server.database.write() as transaction:
        mine = new_table(transaction, "hanabi-very-small", settings, ["random"], seed="0" * 15 + "1")
        other = new_table(transaction, "hanabi-very-small", settings, ["random"])
    path = f"/play/{mine.attempt}/turns"
    assert site.client.get(path).status_code == 401
    assert site.client.get(path, headers={"authorization": f"Bearer {other.key}"}).status_code == 403
    (first,) = site.client.get(path, headers={"authorization": f"Bearer {mine.key}"}).json()["turns"]
    assert [card["face"] for card in first["hands"][0]] == [None, None]
    assert all(card["face"] is not None for card in first["hands"][1])
    page = site.client.get(f"/play/{mine.attempt}")
    assert mine.key not in page.text
    assert '"seat": 0' in page.text
    assert site.client.get(f"/play/{mine.attempt}/replay", follow_redirects=True).status_code == 404


ALL_WANTS = ["vector", "legal", "text", "view", "words"]


@on_both_databases
def test_hands_that_a_person_cannot_see_change_no_byte_of_page_turns_or_socket(site: Site) -> None:
    """Two deals that differ only in the person's own hand and in the deck."""
    game = make("hanabi-very-small", players=2)
    dealt: dict[tuple[int, ...], dict[tuple[int, ...], str]] = {}  # partner's hand -> own hand -> seed
    for number in range(50):
        seed = f"{number:016x}"
        start = game.reset(jax.random.wrap_key_data(jnp.asarray(as_key(seed))))
        mine, partners = np.asarray(start.deck[:4]).reshape(2, 2).tolist()
        dealt.setdefault(tuple(partners), {})[tuple(mine)] = seed
    rigged = max(dealt.values(), key=len)
    assert len(rigged) > 2
    heard = []
    for seed in rigged.values():
        with site.server.database.write() as transaction:
            seat = new_table(transaction, "hanabi-very-small", {"players": 2}, ["random"], seed=seed)
        page = site.client.get(f"/play/{seat.attempt}").text
        turns = site.client.get(f"/play/{seat.attempt}/turns", headers={"authorization": f"Bearer {seat.key}"}).text
        with connect(f"{site.url.replace('http', 'ws')}/v1/socket") as socket:
            socket.send(json.dumps({"type": "hello", "version": 1, "key": seat.key, "want": ALL_WANTS, "turns": "all"}))
            heard_now = (json.loads(text) for text in socket)
            told = (message for message in heard_now if message["type"] != "preparing")  # of the first of a kind
            messages = [next(told), next(told)]
        messages[0].pop("schedule_hash")  # of the seed, which nobody can guess
        assert messages[1]["type"] == "turns"
        heard.append((page + turns + json.dumps(messages)).replace(seat.attempt, "ATTEMPT"))
    assert len(set(heard)) == 1


def _play_all(site: Site, key: str) -> str:
    """Plays an attempt with the first legal action; returns its id."""
    with site.server.database.write() as transaction:
        holder = keys.find(transaction, key)
        assert holder.entrant is not None
        attempt = open_attempt(transaction, holder.entrant, "eval")
    heard: queue.Queue[Any] = queue.Queue()

    def deliver(messages: list[dict[str, Any]]) -> None:
        for one in messages:
            heard.put(one)

    session = Session(attempt.id, deliver, parallel=4)
    site.server.engine.open(session)
    over = 0
    while over < 4:
        message = heard.get(timeout=600)
        over += len(message["game"]) if message["type"] == "over" else 0
        if message["type"] == "turns":
            bits = np.frombuffer(base64.b64decode(message["legal"]), np.uint8).reshape(len(message["game"]), -1)
            actions = np.unpackbits(bits, axis=1).argmax(1).tolist()
            columns = {name: message[name] for name in ("game", "turn")}
            site.server.engine.act(session, {"type": "act", **columns, "action": actions})
    while heard.get(timeout=600)["type"] != "finished":
        pass
    site.server.engine.close(session)
    return attempt.id


@on_both_databases
def test_a_report_and_its_replays_name_partners_only_after_the_challenge(site: Site) -> None:
    with site.server.database.write() as transaction:
        host.new_challenge(transaction, "watched", RULES)
        host.open_challenge(transaction, "watched")
    entrant = site.enter("<b>bold</b>", "watched")
    own = f"/challenges/watched/entrants/{entrant['entrant']}"
    assert "No rated game" in site.client.get(own).text
    _play_all(site, entrant["evaluation_key"])
    board, page = site.client.get("/challenges/watched").text, site.client.get(own).text
    for text in (board, page):
        assert "&lt;b&gt;bold" in text
        assert "<b>bold" not in text
        assert "piers" not in text
    rated = site.client.get("/challenges/watched?by=rating").text
    assert 'data-label="at any time"' in rated
    assert 'href="?by=mean#board-small"' in rated
    replay = re.search(r"/replay/\w+", page).group()  # pyright: ignore[reportOptionalMemberAccess]
    shown, film = site.client.get(replay), site.client.get(f"{replay}/film")
    assert shown.status_code == film.status_code == 200
    assert "piers" not in shown.text + film.text
    assert "'sha256-" in film.headers["content-security-policy"]
    assert "unsafe" not in film.headers["content-security-policy"]
    with site.server.database.read() as transaction:
        row = transaction.get_one(Table, replay.removeprefix("/replay/"))
    for score, answer in ((None, 403), (row.score, 200)):  # without one, other games of its configuration are not over
        with site.server.database.write() as transaction:
            transaction.execute(update(Table).where(Table.id == row.id).values(score=score))
            # As if other configurations were to come.
            transaction.execute(update(Attempt).where(Attempt.id == row.attempt_id).values(status="open"))
        assert site.client.get(replay).status_code == answer
        assert (replay in site.client.get(own).text) is (answer == 200)
    close_and_score(site.server.database, "watched", "over")
    assert "with piers" in site.client.get(own).text
    assert "piers" in site.client.get(f"{replay}/film").text
    assert "takes no entrants" in site.client.get("/challenges/watched/register").text
    desk = Signed(site)
    desk.post(f"{own.replace('/challenges/watched', '/admin')}/withdraw", token=desk.token, reason="asked by mail")
    assert "were withdrawn" in site.client.get(own).text
    line = site.client.get("/challenges/watched").text.split("&lt;b&gt;bold")[1].split("</tr>")[0]
    assert "withdrawn" in line
    assert "data-label" not in line  # no number is left


def test_the_form_says_how_long_games_are_kept() -> None:
    assert kept_until(0) == "until you ask the host to erase them"
    assert kept_until(30, now=0.0) == "until 1970-01-31"
