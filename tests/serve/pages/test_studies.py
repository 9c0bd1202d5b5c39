"""A study as its participants and its host see it, and what is exported of it."""

from __future__ import annotations

import csv
import json
import re
import secrets
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner

from coplay.cli import app
from coplay.games import make
from coplay.rollouts.episode_file import load
from coplay.serve.ledger.studies import hosting
from coplay.serve.pages.study_rows import plain
from coplay.serve.store.models import Table
from coplay.serve.store.study_models import Participant
from coplay.train import clone
from tests.experiment.plans import plan_text
from tests.serve.pages.conftest import Site, on_both_databases

EVIL = "<script>alert(1)</script>"


def opened(site: Site, **given: Any) -> str:
    """The address of a new open study."""
    name = f"study-{secrets.token_hex(4)}"
    with site.server.database.write() as transaction:
        hosting.new_experiment(transaction, name, plan_text(**given))
        hosting.open_experiment(transaction, name)
    return f"/studies/{name}"


class Visitor:
    """A browser without scripts: it keeps cookies, and sends the forms that it is shown."""

    def __init__(self, site: Site, study: str) -> None:
        limits = httpx.Limits(max_keepalive_connections=0)
        self.client = httpx.Client(base_url=site.url, timeout=120, limits=limits, follow_redirects=True)
        self.site, self.study, self.text = site, study, ""

    def look(self, query: str = "") -> str:
        self.text = self.client.get(self.study + query).text
        return self.text

    def send(self, where: str, **fields: Any) -> httpx.Response:
        """A form of the page that is shown, with its hidden fields."""
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', self.text))
        answer = self.client.post(f"{self.study}/{where}", data=hidden | fields)
        self.text = answer.text
        return answer

    def join(self, query: str = "") -> str:
        self.look(query)
        return self.send("consent", agreed="yes").text

    def play(self) -> str:
        """Sits down, and the engine writes that the game is over; returns the address of the table."""
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', self.text))
        laid = self.client.post(f"{self.study}/game", data=hidden, follow_redirects=False)
        address = laid.headers["location"]
        attempt = re.fullmatch(r"/play/(\w+)#coplay_seat_\S+", address).group(1)  # pyright: ignore[reportOptionalMemberAccess]
        with self.site.server.database.write() as transaction:
            transaction.execute(update(Table).where(Table.attempt_id == attempt).values(status="done"))
        self.look()
        return address

    @property
    def heading(self) -> str:
        return re.search(r"<h1>(.*?)</h1>", self.text).group(1)  # pyright: ignore[reportOptionalMemberAccess]


@on_both_databases
def test_a_participant_is_led_from_consent_to_the_code(site: Site) -> None:
    visitor = Visitor(site, opened(site))
    assert "We keep your games." in visitor.look()
    assert "Text 2" in visitor.text
    assert "take no part" in visitor.send("consent").text
    assert "Your consent" in visitor.look()  # nothing was kept
    assert "How many mistakes" in visitor.join()
    assert "Step 1 of 7" in visitor.text
    again = visitor.send("page", **{"q-mistakes": "none"})
    assert (again.status_code, "Please give a number" in again.text) == (422, True)
    assert 'value="none"' in again.text
    assert "Not every answer was right" in visitor.send("page", **{"q-mistakes": "4"}).text
    assert "This is the last try" in visitor.text
    assert visitor.send("page", **{"q-mistakes": "3"}).status_code == 200
    assert (visitor.heading, "Your own card is hidden." in visitor.text) == ("Practice game 1 of 1", True)
    visitor.play()
    assert (visitor.heading, "another partner" in visitor.text) == ("Game 1 of 2", True)
    visitor.play()
    assert "I trusted this partner." in visitor.text
    visitor.send("page", **{"q-trust": "5", "q-attention": "green"})
    visitor.play()
    visitor.send("page", **{"q-trust": "2", "q-attention": "red"})
    assert not re.search("piers|random", visitor.text)
    visitor.send("page", **{"q-words": EVIL})
    number = re.search(r"<code>(\w{16})</code>", visitor.text).group(1)  # pyright: ignore[reportOptionalMemberAccess]
    assert f'<code id="code">DONE-{number}</code>' in visitor.text
    assert f'href="https://example.org/back?cc=DONE-{number}&amp;id={number}"' in visitor.text
    assert {"piers", "random"} <= set(re.findall(r'<td class="words">(\w+)</td>', visitor.text))
    assert EVIL not in visitor.text
    assert f"DONE-{number}" in visitor.look()  # and it stays there


def test_nothing_tells_who_the_partners_are_before_the_end(site: Site) -> None:
    visitor = Visitor(site, opened(site))
    visitor.join()
    visitor.send("page", **{"q-mistakes": "3"})
    address = visitor.play().split("#")
    attempt = address[0].rpartition("/")[2]
    holder = {"authorization": f"Bearer {address[1]}"}
    table = site.client.get(address[0]).text
    assert '"names": ["you", "partner"]' in table or '"names": ["partner", "you"]' in table
    assert f'"page": "{visitor.study}"' in table
    assert "Back to the study" in table
    seen = [table, site.client.get(f"{address[0]}/turns", headers=holder).text]
    with site.server.database.read() as transaction:
        row = transaction.scalars(select(Table).where(Table.attempt_id == attempt)).one()
        assert row.partners == '["random"]'
    for path in (
        f"/replay/{row.id}",
        f"/replay/{row.id}/film",
        f"{address[0]}/replay",
        f"/v1/attempts/{attempt}/games",
    ):
        answer = site.client.get(path, headers=holder, follow_redirects=True)
        assert answer.status_code in (403, 404)
        seen.append(answer.text)
    assert not re.search("piers|random", "".join(seen))


def test_a_link_of_the_platform_leads_back_to_the_place_in_any_browser(site: Site) -> None:
    study = opened(site, more='outside_id = "PROLIFIC_PID"\n')
    first, second = Visitor(site, study), Visitor(site, study)
    assert first.client.get(study).status_code == 403
    assert "How many mistakes" in first.join("?PROLIFIC_PID=5f3a&STUDY_ID=x")
    first.send("page", **{"q-mistakes": "3"})
    assert "Practice game" in second.look("?PROLIFIC_PID=5f3a")
    assert "Practice game" in second.look()  # by its cookie now
    own = Visitor(site, opened(site))
    own.join()
    link = re.search(r"\?place=[^\"]+", own.text).group()  # pyright: ignore[reportOptionalMemberAccess]
    assert "How many mistakes" in Visitor(site, own.study).look(link)
    assert "Your consent" in Visitor(site, own.study).look(link[:-1])


def test_withdrawing_is_asked_once_more_and_erases(site: Site) -> None:
    visitor = Visitor(site, opened(site))
    visitor.join()
    assert "Stop and withdraw?" in visitor.client.get(f"{visitor.study}/withdraw").text
    visitor.send("withdraw")
    assert "How many mistakes" in visitor.text
    visitor.send("withdraw", sure="yes")
    assert visitor.heading == "You have withdrawn"
    assert visitor.heading in visitor.look()


def test_whoever_fails_or_is_late_is_told_so_politely(site: Site) -> None:
    failing, late = Visitor(site, opened(site)), Visitor(site, opened(site))
    for visitor in (failing, late):
        visitor.join()
    for _ in range(2):
        failing.send("page", **{"q-mistakes": "9"})
    assert failing.heading == "The study ends here"
    assert '<code id="code">SCREENED</code>' in failing.text
    assert "piers" not in failing.text
    with site.server.database.write() as transaction:
        name = late.study.rpartition("/")[2]
        transaction.execute(update(Participant).where(Participant.experiment_id == name).values(until=1.0))
    late.send("page", **{"q-mistakes": "3"})
    assert (late.heading, "within 60 minutes" in late.text) == ("Your time is over", True)


def test_strangers_other_sites_and_nonsense_get_nowhere(site: Site) -> None:
    study = opened(site)
    for where in ("page", "game", "withdraw"):
        assert site.client.post(f"{study}/{where}", data={"step": "0"}).status_code == 403
    assert site.client.get("/studies/none").status_code == 404
    foreign = {"sec-fetch-site": "cross-site"}
    assert site.client.post(f"{study}/consent", data={"agreed": "yes"}, headers=foreign).status_code == 403
    assert site.client.post(f"{study}/consent", data={"agreed": "yes", "version": "1"}).status_code == 409
    visitor = Visitor(site, study)
    visitor.join()
    for step in ("-1", "9" * 30, "x", "٣"):
        assert visitor.client.post(f"{study}/page", data={"step": step, "sheet": "1"}).status_code == 200
    assert "How many mistakes" in visitor.look()
    site.client.cookies.clear()


def test_not_more_join_from_one_address_than_the_host_says(site: Site) -> None:
    study = opened(site, more="per_address = 2\n")
    visitors = [Visitor(site, study) for _ in range(3)]
    told = [visitor.join() for visitor in visitors]
    assert ["too many people have joined" in text.lower() for text in told] == [False, False, True]
    assert "How many mistakes" in visitors[0].join()  # whoever is in it may agree again


@on_both_databases
def test_the_desk_shows_how_far_people_are_and_opens_and_closes(site: Site) -> None:
    study = opened(site)
    Visitor(site, study).join()
    signed = site.client.post("/admin/login", data={"token": site.token})
    cookie = {"cookie": signed.headers["set-cookie"].split(";")[0]}
    site.client.cookies.clear()
    assert "Show the admin token" in site.client.get("/admin/studies").text or "token" in site.client.get("/admin").text
    name = study.rpartition("/")[2]

    def desk() -> str:
        page = site.client.get("/admin/studies", headers=cookie).text
        return page.split(f'id="study-{name}"')[1].split("</section>")[0]

    assert "0 through, 1 in it, of 3" in desk()
    assert re.search(r"page rules</td>.*in it</td>.*>1</td>", desk())
    token = re.search(r'name="token" value="(\w+)"', desk()).group(1)  # pyright: ignore[reportOptionalMemberAccess]
    form = {"what": "close", "token": token, "reason": "enough"}
    assert site.client.post(f"/admin/studies/{name}", data=form | {"token": "0" * 64}).status_code in (401, 403)
    assert site.client.post(f"/admin/studies/{name}", data=form | {"reason": " "}, headers=cookie).status_code == 422
    assert site.client.post(f"/admin/studies/{name}", data=form, headers=cookie).status_code == 303
    assert "closed" in desk()
    assert "has ended" in Visitor(site, study).look()
    preview = re.search(r"\?preview=\w{32}", desk()).group()  # pyright: ignore[reportOptionalMemberAccess]
    assert "How many mistakes" in Visitor(site, study).join(preview)
    assert "1 in it" in desk()  # a try is not counted


def test_cells_are_no_formulas_and_what_was_left_out_stays_empty() -> None:
    given = ("=1+1", "@x", "-5", "+3.5", "-", "", "5", "a=b")
    assert [plain(one) for one in given] == ["'=1+1", "'@x", "-5", "+3.5", "'-", "", "5", "a=b"]


def play_to_the_end(tab: Any) -> None:
    """Plays the first card, turn after turn."""
    mine, on = tab.locator(".hand.own.on-turn button.card:enabled"), tab.locator("#on")
    while True:
        mine.first.or_(on).first.wait_for()
        if on.count():
            break
        before = tab.locator("#history li").count()
        mine.first.click()
        tab.click("#choice >> text=Play")
        tab.locator(f"#history li >> nth={before}").or_(on).first.wait_for()


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_from_consent_to_the_code_in_a_browser_and_the_export_is_cloned_from(
    site: Site, tab: Any, tmp_path: Path
) -> None:
    study = opened(site, partners='["piers"]')
    tab.goto(study)
    assert tab.locator("nav").count() == 0
    tab.check("[name=agreed]")
    tab.click("main button")
    tab.fill("[name=q-mistakes]", "3")
    tab.click("main button")
    for game in range(2):
        tab.click("text=Begin the game")
        play_to_the_end(tab)
        assert "left for this game" in tab.inner_text("#time-left")
        assert tab.locator("#replay, nav").count() == 0
        if game == 0:
            tab.goto(study)  # the tab was closed: the study knows that the game is over
        else:
            tab.click("#on")
    tab.check("[name=q-trust][value='6']")
    tab.check("[name=q-attention][value=green]")
    tab.click("main button")
    tab.fill("[name=q-words]", "=1+1")
    tab.click("main button")
    code = tab.inner_text("#code")
    assert "piers" in tab.inner_text("#games")
    name, number = study.rpartition("/")[2], code.removeprefix("DONE-")

    given = ["--database", site.server.settings.database]
    done = CliRunner().invoke(app, ["experiment", "export", name, "--out", str(tmp_path), "--ids", *given])
    assert done.exit_code == 0, done.output
    (person,) = rows(tmp_path / "participants.csv")
    assert [person[one] for one in ("participant", "status", "partners", "games")] == [number, "done", "piers", "1"]
    assert (person["rules.mistakes"], person["last.words"]) == ("3", "'=1+1")
    answers = {(one["page"], one["question"]): one for one in rows(tmp_path / "answers.csv")}
    assert [answers["partner", "trust"][one] for one in ("value", "partner", "game")] == ["6", "piers", "0"]
    assert answers["partner", "attention"]["right"] == "1"
    games = rows(tmp_path / "games.csv")
    assert [(one["practice"], one["partner"], one["file"], one["row"]) for one in games] == [
        ("1", "random", "small-practice.safetensors", "0"),
        ("0", "piers", "small.safetensors", "0"),
    ]
    played = load(tmp_path / "small.safetensors")
    assert f"{int(played.extra['participant'][0]):016x}" == number
    assert played.extra["human_seat"].tolist() == [int(games[1]["seat"])]
    turns = [one["turn"] for one in rows(tmp_path / "moves.csv") if one["table"] == games[1]["table"]]
    assert turns == [str(turn) for turn in range(int(played.lengths[0]))]
    assert all(games[1][name].endswith("Z") for name in ("begun", "first_move", "last_move", "left"))
    assert float(games[1]["score"]) == float(played.scores[0]) == float(person["mean_score"])
    about = json.loads((tmp_path / "study.json").read_text())
    assert about["consent"]["version"] == "2"
    assert about["changed_since"] == ""
    assert (tmp_path / "outside-ids.csv").stat().st_mode & 0o777 == 0o600
    assert {one["file"] for one in rows(tmp_path / "codebook.csv")} >= {"games.csv", "answers.csv"}
    learned = clone.read_games(make("hanabi-very-small", life_tokens=3), str(tmp_path / "small.safetensors"))
    assert len(learned.lengths) == 1  # what `coplay train bc` learns from
