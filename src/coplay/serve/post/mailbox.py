"""Where letters are handed in: an SMTP server, named by an address."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from coplay.challenge.errors import ChallengeError
from coplay.challenge.names import is_address

SECONDS = 30.0  # for the server to answer
EXAMPLE = "smtp://user:password@mail.example.org:587?from=challenge@example.org"


class Mailbox(NamedTuple):
    """An SMTP server and who writes."""

    host: str
    port: int
    user: str
    password: str
    tls: str  # "at once", "asked for" (STARTTLS) or "none"
    sender: str
    desk: str  # the host's own address; empty: the host gets no letters


class Letter(NamedTuple):
    """What is sent."""

    to: str
    subject: str
    text: str


def mailbox(text: str) -> Mailbox | None:
    """From `smtp://…` or `smtps://…?from=…`; None where there is no text. The words of a mistake hold no password."""
    if not text:
        return None
    where = f"--mail: write it as {EXAMPLE}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ChallengeError(f"{where}; the port should be a number.") from error
    given = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ChallengeError(f"{where}, or with smtps:// and port 465.")
    if unknown := set(given) - {"from", "host", "tls"}:
        raise ChallengeError(f"{where}; {min(unknown)!r} is unknown beside from, host and tls.")
    if not is_address(given.get("from", "")) or not is_address(given.get("host", "a@b.c")):
        raise ChallengeError(f"{where}; from and host are addresses of e-mail.")
    tls = "at once" if parts.scheme == "smtps" else {"none": "none"}.get(given.get("tls", ""), "asked for")
    return Mailbox(
        parts.hostname,
        port or (465 if tls == "at once" else 587),
        unquote(parts.username or ""),
        unquote(parts.password or ""),
        tls,
        given["from"],
        given.get("host", ""),
    )


def send(box: Mailbox, letter: Letter) -> None:
    """Hands one letter in; OSError or SMTPException where that fails. Without a certificate that can be trusted nothing
    is sent, unless the address says `tls=none`."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = box.sender, letter.to, _one_line(letter.subject)
    message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=box.sender.partition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    with _connected(box) as server:
        if box.user:
            server.login(box.user, box.password)
        server.send_message(message)


def _connected(box: Mailbox) -> smtplib.SMTP:
    safe = ssl.create_default_context()
    if box.tls == "at once":
        return smtplib.SMTP_SSL(box.host, box.port, timeout=SECONDS, context=safe)
    server = smtplib.SMTP(box.host, box.port, timeout=SECONDS)
    if box.tls == "asked for":
        try:
            server.starttls(context=safe)
        except BaseException:
            server.close()
            raise
    return server


def _one_line(text: str) -> str:
    """A subject has no line of its own to smuggle a header in."""
    return " ".join(text.split())[:200]
