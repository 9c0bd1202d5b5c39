"""deploy/nginx.conf in a real nginx, before a real server: TLS, the protocol's WebSocket, and who asks."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from websockets.sync.client import connect

from coplay.serve.http.run import self_signed
from coplay.serve.http.server import Settings, create_app
from coplay.serve.ledger.hosting import host
from coplay.serve.pages.site import install
from coplay.serve.store.database import open_database
from tests.databases import ready_sqlite
from tests.serve.harness import rules
from tests.serve.serving import serving, wait_for

NGINX = shutil.which("nginx") or ("/usr/sbin/nginx" if Path("/usr/sbin/nginx").is_file() else None)
CONF = Path(__file__).parents[3] / "deploy" / "nginx.conf"
SIGN_UPS = 3  # an hour from one address
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed (apt-get install nginx-light)")


class Site(NamedTuple):
    """Where the proxy listens, and the certificate by which it is known."""

    port: int
    plain: int
    behind: int  # the server's own port
    trust: ssl.SSLContext


def _free() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _configuration(folder: Path, behind: int, port: int, plain: int) -> Path:
    """The file as it is shipped, with other ports and paths, in the frame that Debian puts around it."""
    certificate, key = self_signed(folder)
    text = CONF.read_text()
    for shipped, here in (
        ("127.0.0.1:8000", f"127.0.0.1:{behind}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("listen 80", f"listen 127.0.0.1:{plain}"),
        ("/etc/letsencrypt/live/challenge.example.org/fullchain.pem", str(certificate)),
        ("/etc/letsencrypt/live/challenge.example.org/privkey.pem", str(key)),
    ):
        assert shipped in text, shipped
        text = text.replace(shipped, here)
    kept = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
    (folder / "nginx.conf").write_text(f"{whole}http {{\naccess_log {folder}/access.log;\n{kept}{text}\n}}\n")
    return folder / "nginx.conf"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("nginx")
    ready_sqlite(folder / "a.db")
    url = f"sqlite:///{folder}/a.db"
    database = open_database(url)
    with database.write() as transaction:
        host.new_challenge(transaction, "small", rules(games=1))
        host.open_challenge(transaction, "small")
    database.close()
    app = create_app(Settings(url, sign_ups_per_hour=SIGN_UPS))
    install(app)
    assert NGINX is not None
    with serving(app, forwarded_allow_ips="127.0.0.1,::1") as behind:
        port, plain = _free(), _free()
        file = _configuration(folder, behind, port, plain)
        # The log of before the file is read has a place of its own, which not everybody may write to: hence -e.
        running = subprocess.Popen([NGINX, "-c", str(file), "-e", str(folder / "error.log")])
        trust = ssl.create_default_context(cafile=str(folder / "certificate.pem"))
        try:
            wait_for(lambda: running.poll() is not None or _listens(port))
            assert running.poll() is None, (folder / "error.log").read_text()
            yield Site(port, plain, behind, trust)
        finally:
            running.terminate()
            running.wait(60)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_page_and_the_protocol_come_through_tls(site: Site) -> None:
    with httpx.Client(base_url=f"https://localhost:{site.port}", verify=site.trust, timeout=60) as visitor:
        assert "Small" in visitor.get("/", headers={"accept": "text/html"}).text
        body = {"name": "through nginx", "method": "m", "contact": "c", "human_data": "none"}
        keys = visitor.post("/v1/challenges/small/register", json=body).json()
        form = {"origin": f"https://localhost:{site.port}"}  # as browsers send it: the page's own address
        assert visitor.post("/keys", data={"key": keys["test_key"]}, headers=form).status_code == 201
    headers = {"Authorization": f"Bearer {keys['evaluation_key']}"}
    with connect(f"wss://localhost:{site.port}/v1/socket", additional_headers=headers, ssl=site.trust) as wire:
        wire.send(json.dumps({"type": "hello", "version": 1, "want": ["legal"]}))
        assert json.loads(wire.recv())["challenge"] == "small"
        while (turns := json.loads(wire.recv()))["type"] != "turns":
            assert turns["type"] == "preparing"
    elsewhere = httpx.get(f"http://localhost:{site.plain}/keys", follow_redirects=False)
    assert (elsewhere.status_code, elsewhere.headers["location"]) == (301, "https://localhost/keys")


def _sign_up(address: str, number: int, claims: str, site: Site, proxied: bool) -> int:
    """From an address of this machine, with a header that says something else."""
    transport = httpx.HTTPTransport(local_address=address, verify=site.trust)
    place = f"https://127.0.0.1:{site.port}" if proxied else f"http://127.0.0.1:{site.behind}"
    body = {"name": f"{address} {proxied} {number}", "method": "m", "contact": "c", "human_data": "none"}
    with httpx.Client(transport=transport, timeout=60) as client:
        path = "/v1/challenges/small/register"
        return client.post(f"{place}{path}", json=body, headers={"X-Forwarded-For": claims}).status_code


def test_the_proxy_is_believed_about_who_asks_and_nobody_else_is(site: Site) -> None:
    tries = range(SIGN_UPS + 2)
    first = [_sign_up("127.0.0.2", number, f"203.0.113.{number}", site, proxied=True) for number in tries]
    assert first == [201] * SIGN_UPS + [429] * 2  # what it wrote into the header itself counts for nothing
    assert _sign_up("127.0.0.3", 0, "127.0.0.2", site, proxied=True) == 201  # another address has limits of its own
    past = [_sign_up("127.0.0.4", number, f"203.0.113.{number}", site, proxied=False) for number in tries]
    assert past == [201] * SIGN_UPS + [429] * 2  # past the proxy: no named proxy, so its header is not read
