"""`coplay serve`: prepares the database and starts uvicorn."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
from sqlalchemy import func, select, update

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import DEMO
from coplay.serve.http.apart import PEOPLE, Apart
from coplay.serve.http.logs import logging_settings
from coplay.serve.http.socket import LARGEST
from coplay.serve.http.workers import end_with_starter, run_workers
from coplay.serve.ledger import audit
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.keys import new_key
from coplay.serve.post.mailbox import mailbox
from coplay.serve.store.database import Database, hold, open_database
from coplay.serve.store.models import Challenge, Key, Table
from coplay.serve.store.study_models import Experiment

THIS_MACHINE = "127.0.0.1,::1"
PROTOCOLS: dict[str, Any] = {
    "http": "coplay.serve.http.protocols:HttpProtocol",
    "ws": "coplay.serve.http.protocols:SocketProtocol",
    "ws_max_size": LARGEST,
    "ws_ping_interval": 20,
    "ws_ping_timeout": 60,
    "timeout_graceful_shutdown": 10,
    "access_log": False,  # addresses of compatibility paths hold keys
    "log_config": logging_settings(),
}


class Kept(NamedTuple):
    """How many days; 0: for good."""

    games: int = 0  # of people
    contacts: int = 0  # of entrants, after the close


class Post(NamedTuple):
    """How letters are sent."""

    mail: str = ""
    site: str = ""


def run_server(
    url: str,
    address: str,
    port: int,
    workers: int,
    tls: bool,
    proxies: str = THIS_MACHINE,
    kept: Kept = Kept(),  # noqa: B008
    post: Post = Post(),  # noqa: B008
) -> None:
    """Serves until it is told to stop."""
    proxies = named_proxies(proxies)
    check_post(post)
    check_port(address, port)  # before anything is made
    database = open_database(url)
    if workers > 1 and database.is_sqlite:
        raise ChallengeError("several processes need PostgreSQL: --database postgresql://... or --workers 1.")
    held = hold(database)
    has_host, has_studies = prepare(database), any_studies(database)
    if database.is_sqlite:  # one process: whoever held tables is no more
        free_tables(database)
    database.close()
    os.environ["COPLAY_DATABASE"] = url
    os.environ["COPLAY_KEEP_DAYS"], os.environ["COPLAY_KEEP_CONTACTS"] = str(kept.games), str(kept.contacts)
    os.environ["COPLAY_MAIL"], os.environ["COPLAY_SITE"] = post
    scheme = "https" if tls else "http"
    print(f"coplay serves at {scheme}://{address}:{port}", file=sys.stderr)
    if not has_host:  # it is not made here: what is printed here ends in logs
        print("nobody can sign in at /admin yet: `coplay keys admin` makes a token for it", file=sys.stderr)
    certificate = self_signed(Path("coplay-tls")) if tls else None
    settings: dict[str, Any] = PROTOCOLS | {
        "factory": True,
        "forwarded_allow_ips": proxies,
        "host": address,
        "port": port,
        "workers": workers,
        "timeout_worker_healthcheck": 300,  # a process that imports JAX on a busy machine is not dead
        "ssl_certfile": certificate and str(certificate[0]),
        "ssl_keyfile": certificate and str(certificate[1]),
    }
    with people_apart(has_studies):
        if workers > 1:
            run_workers(uvicorn.Config("coplay.serve.http.run:application", **settings))
        else:
            uvicorn.run("coplay.serve.http.run:application", **settings)
    if held:
        held.close()


@contextmanager
def people_apart(now: bool) -> Iterator[None]:
    """People have a process of their own; `now`: from the start, for what studies need is compiled before they come."""
    if not hasattr(socket, "AF_UNIX"):  # on Windows they sit in this one
        yield
        return
    apart = Apart()
    os.environ[PEOPLE] = apart.path

    def end(number: int, frame: Any) -> None:
        apart.stop()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    signal.signal(signal.SIGTERM, end)  # uvicorn ends by the signal that stopped it: nothing after it would be done
    apart.start(now)
    try:
        yield
    finally:
        apart.stop()


def check_post(post: Post) -> None:
    """Letters have links, so the site's own address must be known; it is not taken from what visitors send."""
    if mailbox(post.mail) is not None and not post.site.startswith(("http://", "https://")):
        raise ChallengeError(
            f"--site {post.site!r}: with --mail, say how links begin: --site https://challenge.example.org"
        )


def named_proxies(text: str) -> str:
    """The proxies that may say for whom they ask: addresses and networks. Of the addresses that a request names, the
    last one that is no proxy counts; whoever believed everybody would take the first, which any client can write."""
    named = [one.strip() for one in text.split(",") if one.strip()]
    for one in named:
        try:
            network = ipaddress.ip_network(one)
        except ValueError as error:
            raise ChallengeError(
                f"--proxy {one}: give the address of a proxy, or a network as 172.30.0.0/24."
            ) from error
        if network.prefixlen == 0:
            raise ChallengeError(f"--proxy {one} would believe everybody; name the proxy's address.")
    return ",".join(named) or THIS_MACHINE


def check_port(address: str, port: int) -> None:
    """Refuses an address that cannot be listened on."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server itself does after a restart
        try:
            probe.bind((address, port))
        except OSError as error:
            why = error.strerror or error
            raise ChallengeError(
                f"cannot listen on {address}, port {port} ({why}); give another --port or --host."
            ) from error


def application() -> Any:
    """The application with everything that is installed beside it: pages and other people's protocols."""
    import importlib.util

    from coplay.serve.http.server import create_app

    end_with_starter()
    app = create_app()
    for name in (
        "coplay.serve.pages.site",
        "coplay.adapters.ah2ac2_server",
    ):  # above us: they know us, we only know their names
        if importlib.util.find_spec(name) is not None:
            importlib.import_module(name).install(app)
    return app


def prepare(database: Database) -> bool:
    """Makes the demo challenge on the first start; returns whether there is an admin token."""
    with database.write() as transaction:
        if not transaction.scalar(select(func.count()).select_from(Challenge)):
            host.new_challenge(transaction, "demo", DEMO.read_text(), "server")
            host.open_challenge(transaction, "demo", "server")
        has_admin = transaction.scalar(select(Key.id).where(Key.kind == "admin", Key.revoked.is_(None)).limit(1))
        return has_admin is not None


def any_studies(database: Database) -> bool:
    """Is a study with people open?"""
    with database.read() as transaction:
        return transaction.scalar(select(Experiment.id).where(Experiment.status == "open").limit(1)) is not None


def new_admin_token(database: Database) -> str:
    """Another admin token; the others end."""
    with database.write() as transaction:
        transaction.execute(update(Key).where(Key.kind == "admin").values(revoked=time.time()))
        audit.note(transaction, "host", "admin token made")
        return new_key(transaction, "admin")


def free_tables(database: Database) -> None:
    """Takes every table from its session."""
    with database.write() as transaction:
        transaction.execute(update(Table).where(Table.status == "active").values(holder=""))


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine, made once; for trying things out."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    certificate, key = folder / "certificate.pem", folder / "key.pem"
    if certificate.is_file() and key.is_file():
        return certificate, key
    folder.mkdir(exist_ok=True)
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=365))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(private, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    text = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with os.fdopen(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
        file.write(text)
    return certificate, key
