"""Letters go through a real SMTP server; links work once; nobody's mailbox is filled."""

from __future__ import annotations

import email
import email.policy
import logging
import re
import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from typer.testing import CliRunner

pytest.importorskip("aiosmtpd")

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from coplay.challenge.errors import ChallengeError
from coplay.challenge.names import is_address
from coplay.cli import app
from coplay.serve.http.run import new_admin_token, self_signed
from coplay.serve.http.server import Settings, create_app
from coplay.serve.ledger import letters
from coplay.serve.ledger.hosting import claims, host
from coplay.serve.ledger.hosting.erase import erase_contacts
from coplay.serve.ledger.keys import find
from coplay.serve.pages.site import install
from coplay.serve.post.mailbox import Letter, mailbox, send
from coplay.serve.post.posting import post_due
from coplay.serve.store.database import Database, open_database
from coplay.serve.store.models import Audit, Entrant
from tests.databases import ready_sqlite
from tests.serve.harness import rules
from tests.serve.serving import PATIENCE, serving, wait_for
from tests.serve.timing import HandMoved

SITE = "https://challenge.example.org"
GIVEN: dict[str, Any] = {"name": "Ada's", "method": "m", "contact": "ada@example.org", "human_data": "none"}


class Kept:
    """What an SMTP server does with what it takes; `refuses` for a while."""

    def __init__(self) -> None:
        self.letters: list[EmailMessage] = []
        self.refuses = False

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refuses:
            return "451 come again later"
        self.letters.append(email.message_from_bytes(envelope.content, policy=email.policy.default))  # pyright: ignore
        return "250 kept"

    def code(self) -> str:
        """The code of the last letter."""
        text = self.letters[-1].get_content()
        (code,) = re.findall(rf"{SITE}/claim#(\S+)", text)
        return code


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def smtp(kept: Kept, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A real SMTP server, which speaks TLS and lets in who knows the password; yields the address of a mailbox."""

    def let_in(server: Any, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
        return AuthResult(success=(given.login, given.password) == (b"coplay", b"p@ss"), handled=False)

    certificate, key = self_signed(tmp_path_factory.mktemp("tls"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told: dict[str, Any] = {
        "authenticator": let_in,
        "auth_required": True,
        "tls_context": tls,
        "require_starttls": True,
    }
    control = Controller(kept, hostname="127.0.0.1", port=port, **told)
    control.start()
    yield f"smtp://coplay:p%40ss@127.0.0.1:{port}?from=challenge@example.org&host=desk@example.org"
    control.stop()


@pytest.fixture
def url(tmp_path: Path) -> str:
    ready_sqlite(tmp_path / "a.db")
    return f"sqlite:///{tmp_path}/a.db"


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    made = open_database(url)
    yield made
    made.close()


def _open(database: Database, more: str = "confirm = true", name: str = "mailed", auto: bool = True) -> None:
    text = rules(more=more).replace("auto_approve = true", f"auto_approve = {str(auto).lower()}")
    with database.write() as transaction:
        host.new_challenge(transaction, name, text)
        host.open_challenge(transaction, name)


def _post(database: Database, smtp: str, timing: HandMoved) -> tuple[int, int]:
    box = mailbox(smtp)
    assert box is not None
    return post_due(database, box, SITE, timing)


@contextmanager
def _visitor(url: str, smtp: str) -> Iterator[httpx.Client]:
    site = create_app(Settings(url, mail=smtp, site=SITE))
    install(site)
    with (
        serving(site) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, follow_redirects=True) as visitor,
    ):
        yield visitor


def test_an_address_is_confirmed_by_a_letter_before_there_are_keys(
    url: str, database: Database, smtp: str, kept: Kept
) -> None:
    _open(database)
    with _visitor(url, smtp) as visitor:
        answer = visitor.post("/challenges/mailed/register", data=GIVEN)
        assert "A letter is on its way" in answer.text
        assert "coplay_" not in answer.text
        wait_for(lambda: bool(kept.letters))
        letter = kept.letters[0]
        assert (letter["to"], letter["from"]) == ("ada@example.org", "challenge@example.org")
        assert visitor.get("/claim").status_code == 200  # whoever only opens the link changes nothing
        answer = visitor.post("/claim", data={"code": kept.code()})
        (key,) = re.findall(r'id="evaluation-key">(\S+?)<', answer.text)
        assert visitor.get("/v1/me", headers={"Authorization": f"Bearer {key}"}).json()["entrant"] == "Ada's"
        again = visitor.post("/claim", data={"code": kept.code()})
        assert (again.status_code, "used already" in again.text) == (410, True)
        bad = visitor.get("/v1/me", headers={"Authorization": f"Bearer {kept.code()}"})
        assert bad.json()["code"] == "bad_key"
        assert "coplay_letters_sent" in visitor.get("/metrics").text
    assert len(kept.letters) == 1


def test_the_host_lets_in_by_mail_and_the_letter_holds_a_link_and_no_key(
    url: str, database: Database, smtp: str, kept: Kept
) -> None:
    _open(database, "", auto=False)
    (timing := HandMoved()).advance(10**10)
    with _visitor(url, smtp) as visitor:
        visitor.post("/challenges/mailed/register", data=GIVEN)
        visitor.post("/challenges/mailed/register", data=GIVEN | {"name": "Bob's"})
        wait_for(lambda: len(kept.letters) == 2)
        assert {letter["to"] for letter in kept.letters} == {"desk@example.org"}
        assert f"{SITE}/admin" in kept.letters[0].get_content()
        visitor.post("/admin/login", data={"token": new_admin_token(database)})
        desk = visitor.get("/admin").text
        assert "tell it by mail" in desk
        (token,) = set(re.findall(r'name="token" value="(.*?)"', desk))
        with database.read() as transaction:
            entrant = host.entrant_of(transaction, "Ada's").id
        form = {"token": token, "reason": "known to us", "mail": "yes"}
        answer = visitor.post(f"/admin/entrants/{entrant}", data=form | {"what": "approved"})
        assert "coplay_eval" not in answer.text
        wait_for(lambda: len(kept.letters) == 3)
        assert "coplay_eval" not in kept.letters[2].get_content()
        assert "coplay_eval" in visitor.post("/claim", data={"code": kept.code()}).text
        link = visitor.post(f"/admin/entrants/{entrant}", data=form | {"what": "link"}).text
        (code,) = re.findall(rf"{SITE}/claim#(coplay_claim_\S+?)<", link)
        assert "coplay_eval" in visitor.post("/claim", data={"code": code}).text
    for command in (["reject", "Bob's", "--mail"], ["approve", "Bob's", "--mail"]):
        done = CliRunner().invoke(app, ["entrants", *command, "--reason", "no contact", "--database", url])
        assert done.exit_code == 0, done.output
    assert _post(database, smtp, timing) == (2, 0)
    told = kept.letters[-2]
    assert (told["to"], "rejected" in told["subject"], "no contact" in told.get_content()) == (
        "ada@example.org",
        True,
        True,
    )
    assert "is approved" in kept.letters[-1].get_content()
    done = CliRunner().invoke(app, ["entrants", "letters", "--database", url])
    assert re.findall(r"sent +(\w+)", done.output) == ["waiting", "waiting", "claim", "rejected", "approved"]


def test_a_letter_that_cannot_be_sent_is_tried_again_and_its_code_opens_nothing(
    database: Database, smtp: str, kept: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    _open(database)
    timing = HandMoved()
    with database.write() as transaction:
        host.register(transaction, "mailed", **GIVEN)
    timing.advance(10**10)
    kept.refuses = True
    logging.getLogger("coplay.serve").setLevel(logging.WARNING)
    assert _post(database, smtp, timing) == (0, 1)
    assert "ada" not in caplog.text
    assert _post(database, smtp, timing) == (0, 0)  # not at once
    with database.read() as transaction:
        ((waiting, _),) = letters.listed(transaction, waiting=True)
        assert (waiting.tries, "451" in waiting.problem) == (1, True)
    kept.refuses = False
    timing.advance(letters.FIRST_WAIT)
    assert _post(database, smtp, timing) == (1, 0)
    assert _post(database, smtp, timing) == (0, 0)
    with database.write() as transaction:
        assert claims.use(transaction, kept.code()).keys is not None


def test_no_letter_goes_to_a_server_with_another_password_or_a_certificate_that_nobody_signed(
    smtp: str, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(text: str) -> str:
        box = mailbox(text)
        assert box is not None
        with pytest.raises((OSError, smtplib.SMTPException)) as problem:
            send(box, Letter("ada@example.org", "s", "t"))
        return str(problem.value)

    assert "535" in refused(smtp.replace("p%40ss", "guess"))
    assert "AUTH" in refused(f"{smtp}&tls=none")  # this server takes nothing without TLS
    monkeypatch.delenv("SSL_CERT_FILE")
    assert "CERTIFICATE_VERIFY_FAILED" in refused(smtp)
    assert kept.letters == []


def test_a_title_smuggles_no_header_in(smtp: str, kept: Kept) -> None:
    box = mailbox(smtp)
    assert box is not None
    send(box, Letter("ada@example.org", "one\r\nBcc: eve@example.org\n\nbody", "text"))
    assert kept.letters[0]["subject"] == "one Bcc: eve@example.org body"
    assert kept.letters[0]["bcc"] is None
    for odd in ("a@b", "a b@c.org", "a@c.org, d@e.org", "Ada <a@c.org>", "a@c.org\nBcc: e@f.org", "@c.org", "ä@c.org"):
        assert not is_address(odd), odd


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mail.example.org", "smtp://user:password@"),
        ("smtp://mail.example.org", "from and host are addresses"),
        ("smtp://mail.example.org:x?from=a@b.org", "the port should be a number"),
        ("smtp://mail.example.org?from=a@b.org&to=c@d.org", "'to' is unknown"),
    ],
)
def test_a_mailbox_is_named_in_one_line(text: str, told: str) -> None:
    with pytest.raises(ChallengeError, match=re.escape(told)):
        mailbox(text)


def _register(database: Database, **other: str) -> None:
    with database.write() as transaction:
        host.register(transaction, "mailed", **(GIVEN | other))  # pyright: ignore[reportArgumentType]


def test_nobody_fills_a_mailbox_and_names_that_nobody_confirms_are_free_again(database: Database) -> None:
    _open(database)
    for number in range(letters.MOST_A_DAY):
        _register(database, name=f"entrant {number}")
    with pytest.raises(ChallengeError, match="wait to be confirmed"):
        _register(database, contact="Ada@Example.org")
    with pytest.raises(ChallengeError, match="give an address of e-mail"):
        _register(database, contact="ask me")
    with database.write() as transaction:
        assert claims.forget_unconfirmed(transaction, 0) == 0
        late = max(transaction.scalars(select(Entrant.created))) + (claims.CONFIRM_DAYS + 1) * claims.A_DAY
        assert claims.forget_unconfirmed(transaction, late) == letters.MOST_A_DAY
    _register(database, name="entrant 0")


def test_a_link_is_for_approved_entrants_ends_the_older_one_and_goes_stale(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    _open(database, "", auto=False)
    with database.write() as transaction:
        entrant, _ = host.register(transaction, "mailed", **GIVEN)
        with pytest.raises(ChallengeError, match="let it in first"):
            claims.claim_link(transaction, entrant.id)
        before = host.approve(transaction, entrant.id)
        first, second = (claims.claim_link(transaction, entrant.id) for _ in range(2))
        assert find(transaction, before.evaluation).key.kind == "eval"  # it goes on until the link is opened
        with pytest.raises(ChallengeError, match="used already"):
            claims.use(transaction, first)
        found = claims.use(transaction, second)
        with pytest.raises(ChallengeError, match="was revoked"):
            find(transaction, before.evaluation)
        assert found.keys is not None
        assert find(transaction, found.keys.test).key.kind == "test"
        third = claims.claim_link(transaction, entrant.id)
        now = claims.time.time()
        monkeypatch.setattr(claims.time, "time", lambda: now + (claims.CLAIM_DAYS + 1) * claims.A_DAY)
        with pytest.raises(ChallengeError, match="older than 14 days"):
            claims.use(transaction, third)


def test_contacts_are_erased_after_the_close_and_the_check_agrees(database: Database) -> None:
    from coplay.serve.ledger.check import check_database
    from coplay.serve.ledger.hosting.closing import close_and_score

    for name in ("over", "open"):
        _open(database, "", name)
        with database.write() as transaction:
            host.register(transaction, name, **GIVEN)
    close_and_score(database, "over")
    with database.write() as transaction:
        assert erase_contacts(transaction, 0) == 0
        assert erase_contacts(transaction, 10**10) == 1
        query = select(Entrant.challenge_id, Entrant.contact).order_by(Entrant.challenge_id)
        assert [tuple(row) for row in transaction.execute(query)] == [("open", "ada@example.org"), ("over", "")]
        assert "contacts erased" in set(transaction.scalars(select(Audit.what)))
    assert check_database(database) == []
